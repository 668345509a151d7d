// Describes each operation for the OpenAPI document: its parameters, its answer with an example, and its errors.
import { changesTypes } from "../contract/answers/changes.ts";
import { downloadTypes } from "../contract/answers/downloads.ts";
import type { Schema } from "../contract/answers/schema.ts";
import { einSchema } from "../contract/ein.ts";
import type { ErrorCode } from "../contract/errors.ts";
import { feedEntriesMax } from "../contract/limits.ts";
import type { Operation } from "../contract/operations/operation.ts";
import { parameters } from "../contract/parameters.ts";
import {
  type Answers,
  answer,
  conditional,
  failures,
  type HeaderName,
  redirect,
  unreadable,
} from "./answers.ts";
import examples from "./examples.json" with { type: "json" };
import { reconcileForm } from "./schemas/reconcile.ts";

const text = { type: "string" };

const feedEntry: Schema = {
  type: "object",
  required: ["id", "url", "title", "content_text", "date_published"],
  properties: { id: text, url: text, title: text, content_text: text, date_published: text },
};

/** The schemas of media types other than JSON. */
const typeSchemas: Readonly<Record<string, Schema>> = {
  "application/feed+json": {
    type: "object",
    required: ["version", "title", "home_page_url", "feed_url", "authors", "items"],
    properties: {
      version: text,
      title: text,
      home_page_url: text,
      feed_url: text,
      authors: { type: "array", items: { type: "object", properties: { name: text } } },
      items: { type: "array", maxItems: feedEntriesMax, items: feedEntry },
    },
  },
};

/** The error for an EIN or id in the path that the release does not have. */
const notFound: Readonly<Record<string, ErrorCode>> = {
  funder_ein: "funder_not_found",
  recipient_ein: "recipient_not_found",
  ein: "organization_not_found",
  id: "grant_not_found",
};

/** The body of a POST. */
const requestBody: Schema = {
  required: true,
  content: {
    "application/x-www-form-urlencoded": {
      schema: reconcileForm,
      example: { queries: '{"q0":{"query":"harbor street foundation"}}' },
    },
  },
};

const allExamples: Readonly<Record<string, unknown>> = { ...examples, readContract: { openapi: "3.1.0" } };

const binary = { schema: { type: "string", format: "binary" } };

/** A whole download, or the bytes of a part. */
function bytes(description: string, ...more: readonly ["Content-Range"] | []): Schema {
  const types = Object.values(downloadTypes).map((type) => type.replace(/;.*/, ""));
  const isJson = (type: string) => more.length === 0 && type.endsWith("json");
  const content = types.map((type) => [type, isJson(type) ? { schema: { type: "object" } } : binary]);
  const names = ["X-Release", "ETag", "Accept-Ranges", "Content-Length", ...more] as const;
  return answer(description, names, Object.fromEntries(content));
}

/** The answers of operations that have several types. */
const several: Readonly<Partial<Record<string, (content: Schema) => Answers>>> = {
  downloadFile: () => ({
    200: bytes("The file."),
    206: bytes("The part of the file.", "Content-Range"),
    304: answer("The client's copy is current.", ["ETag", "Accept-Ranges", "X-Release"]),
  }),
  readChanges: (content) => ({
    200: answer("The index or the file.", ["ETag", "X-Release"], {
      ...content,
      ...Object.fromEntries(Object.values(changesTypes).map((type) => [type, binary])),
    }),
    304: answer("The client's copy is current.", ["ETag", "X-Release"]),
  }),
};

/** The successful answers. */
function answersOf({ id, path, inPath, answer: meaning }: Operation): Answers {
  const { about, type = "application/json", schema: name, headers = [] } = meaning ?? { about: "" };
  const plain = type === "application/json" ? { type: "object" } : text;
  const schema = name === undefined ? (typeSchemas[type] ?? plain) : { $ref: `#/components/schemas/${name}` };
  const content = { [type]: { schema, example: allExamples[id] } };
  const special = several[id];
  if (special !== undefined) return special(content);
  return {
    200: answer(about, headers as readonly HeaderName[], content),
    ...(headers.includes("ETag") && conditional),
    ...(inPath === undefined && /_?ein\}/.test(path) && redirect),
  };
}

/** The key in a path: an id, or one EIN. */
function describeKey(name: string): Pick<Schema, "description" | "schema"> {
  const { description = "", schema } = parameters[name] ?? {};
  if (name === "id") return { description, schema };
  const [first] = description.split(/(?<=\.) /); // the rest is about lists
  const [example] = (schema?.examples ?? []) as readonly string[];
  return { description: first, schema: { ...einSchema, examples: [example] } };
}

function inHeader(name: string, description: string, example: string): Schema {
  return { name, in: "header", description, schema: { type: "string", examples: [example] } };
}

const rangeHeaders = [
  inHeader("Range", "The bytes to send. A GET for several ranges gets the whole file.", "bytes=0-99"),
  inHeader(
    "If-Range",
    "The ETag of the file that the client has a part of; another file is sent whole.",
    '"…"',
  ),
];

function parametersOf(operation: Operation, isService: boolean): Schema[] {
  const { path, own = {}, inPath, parameters: names = [], required, answer, file } = operation;
  const keys = [...path.matchAll(/\{(\w+)\}/g)].map(([, key = ""]) => key);
  const ofPath = keys.map((name) => ({
    name,
    in: "path",
    required: true,
    ...(inPath?.[name] ?? describeKey(name)),
  }));
  const ofQuery = names
    .filter((name) => !keys.includes(name))
    .map((name) => {
      const { description, schema } = own[name] ?? parameters[name] ?? {};
      return { name, in: "query", ...(name === required?.name && { required: true }), description, schema };
    });
  const isKept =
    !isService && answer?.headers?.some((name) => name === "ETag" || name === "Content-Disposition");
  const ifNoneMatch = isKept ? [{ $ref: "#/components/parameters/IfNoneMatch" }] : [];
  return [...ofPath, ...ofQuery, ...ifNoneMatch, ...(file === "part" ? rangeHeaders : [])];
}

/** What the document says at the operation's path. @param isPinned true for the path in a pinned release */
export function describeOperation(operation: Operation, isPinned = false): Schema {
  const { id, summary, path, inPath, methods = "", errors = [], toRequest, isLenient } = operation;
  const isService = toRequest === undefined && isLenient === true;
  const [, key = ""] = inPath === undefined ? (/\{(\w+)\}/.exec(path) ?? []) : [];
  const missing = notFound[key];
  const codes: ErrorCode[] = [
    ...(toRequest === undefined ? [] : (["invalid_parameter"] as const)),
    ...errors.filter((code) => !isPinned || code !== "not_ready"),
    ...(missing === undefined ? [] : [missing]),
    ...(isPinned ? (["release_not_found"] as const) : []),
  ];
  const respond = (...more: readonly ErrorCode[]) => ({
    ...answersOf(operation),
    ...failures("bad_request", ...codes, ...more, "internal"),
    ...unreadable,
  });
  const name = isPinned ? `${id}OfRelease` : id;
  const all = [
    ...(isPinned ? [{ $ref: "#/components/parameters/Release" }] : []),
    ...parametersOf(operation, isService),
  ];
  const about = {
    summary: isPinned ? `${summary}; from a pinned release` : summary,
    tags: [isService ? "Service" : "Grants"],
  };
  const get = { operationId: name, ...about, parameters: all, responses: respond() };
  if (!methods.includes("POST")) return { get };
  const ofPath = all.filter(({ in: place }: Schema) => place !== "query");
  const responses = respond("content_too_large", "unsupported_media_type");
  return { get, post: { operationId: `${name}Form`, ...about, parameters: ofPath, requestBody, responses } };
}
