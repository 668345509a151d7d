// Finds the changes between two OpenAPI documents that break clients of the earlier one.
import fc from "fast-check";

// biome-ignore lint/suspicious/noExplicitAny: a document is read as the JSON that it is
type Json = any;

/** Keys of a schema or an operation whose text is for people. */
const forPeople = new Set(["description", "summary", "title", "example", "examples", "tags"]);

/** The document without texts for people, and without the pinned paths, which repeat all others. */
export function compact(document: Json): Json {
  const kept = Object.entries(document.paths).filter(([path]) => !path.startsWith("/r/"));
  return strip({ ...document, paths: Object.fromEntries(kept) }, false);
}

function strip(value: Json, isByName: boolean): Json {
  if (Array.isArray(value)) return value.map((item) => strip(item, false));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => isByName || !forPeople.has(key));
  return Object.fromEntries(entries.map(([key, inner]) => [key, strip(inner, key === "properties")]));
}

/** True if a release pins the path: it does not pin feeds. */
export function isPinned(path: string): boolean {
  return path.startsWith("/v1/") && !/\.(?:atom|feed\.json)$/.test(path);
}

/**
 * One line for each breaking change; docs/stability.md defines them.
 * @param before a compact document
 * @param after a whole one
 */
export function findBreaks(before: Json, after: Json): string[] {
  const pinned = Object.keys(before.paths).filter(isPinned);
  return [
    ...pinned.flatMap((path) => missing(after.paths[`/r/{release}${path}`], `/r/{release}${path}`)),
    ...Object.entries<Json>(before.paths).flatMap(([path, { get }]) => {
      const changed = after.paths[path]?.get;
      return changed === undefined
        ? [`${path} is missing`]
        : compareOperations(path, { before: get, after: changed }, { before, after });
    }),
    ...compareErrors(before, after),
  ];
}

type Pair = { readonly before: Json; readonly after: Json };

const missing = (value: unknown, name: string) => (value === undefined ? [`${name} is missing`] : []);
const changed = (name: string, before: unknown, after: unknown) =>
  JSON.stringify(before) === JSON.stringify(after)
    ? []
    : [`${name} is ${JSON.stringify(after)}, was ${JSON.stringify(before)}`];

function compareOperations(path: string, { before, after }: Pair, documents: Pair): string[] {
  const parametersOf = (side: "before" | "after", { parameters }: Json) =>
    parameters.map((parameter: Json) => resolve(documents[side], parameter));
  const old = parametersOf("before", before);
  const now = parametersOf("after", after);
  const find = (list: Json[], { name }: Json) => list.find((parameter) => parameter.name === name);
  return [
    ...changed(`${path} operationId`, before.operationId, after.operationId),
    ...old.flatMap((parameter: Json) => compareParameters(path, parameter, find(now, parameter))),
    ...now.flatMap((parameter: Json) =>
      parameter.required && find(old, parameter) === undefined
        ? [`${path} requires the new parameter ${parameter.name}`]
        : [],
    ),
    ...Object.keys(before.responses)
      .filter((status) => Number(status) < 400)
      .flatMap((status) => {
        const sides = { before: before.responses[status], after: after.responses[status] };
        return compareResponses(`${path} ${status}`, sides, documents);
      }),
  ];
}

/** A parameter may accept more than before, never less. */
function compareParameters(path: string, before: Json, after: Json): string[] {
  const name = `${path} ${before.name}`;
  if (after === undefined) return [`${name} is missing`];
  const [old, now] = [before.schema, after.schema];
  const keys = ["type", "format", "const", "default"];
  const smaller = ["maximum", "maxLength"].filter((key) => now[key] < (old[key] ?? Infinity));
  const larger = ["minimum", "minLength"].filter((key) => now[key] > (old[key] ?? -Infinity));
  return [
    ...changed(`${name} place`, before.in, after.in),
    ...(after.required && !before.required ? [`${name} is required now`] : []),
    ...keys.flatMap((key) => changed(`${name} ${key}`, old[key], now[key])),
    ...(isWider(old.pattern, now.pattern) ? [] : changed(`${name} pattern`, old.pattern, now.pattern)),
    ...[...smaller, ...larger].flatMap((key) => changed(`${name} ${key}`, old[key], now[key])),
    ...compareEnums(name, old, now),
  ];
}

/** True if the new pattern matches every text drawn from the old one. */
function isWider(before: string | undefined, after: string | undefined): boolean {
  if (before === undefined || before === after) return before === after;
  const texts = fc.sample(fc.stringMatching(new RegExp(before)), { numRuns: 500, seed: 20261124 });
  return texts.every((text) => new RegExp(after ?? "").test(text));
}

function compareResponses(name: string, { before, after }: Pair, documents: Pair): string[] {
  if (after === undefined) return [`${name} is missing`];
  return [
    ...Object.keys(before.headers ?? {}).flatMap((key) => missing(after.headers?.[key], `${name} ${key}`)),
    ...Object.entries<Json>(before.content ?? {}).flatMap(([type, { schema }]) => {
      const now = after.content?.[type]?.schema;
      if (now === undefined) return [`${name} ${type} is missing`];
      return compareSchemas(`${name}`, { before: schema, after: now }, documents);
    }),
  ];
}

/** A response keeps its fields, their types and their order. It may have more fields, except in a grant. */
function compareSchemas(name: string, pair: Pair, documents: Pair): string[] {
  const before = resolve(documents.before, pair.before);
  const after = resolve(documents.after, pair.after);
  const names = Object.keys(before.properties ?? {});
  const now = Object.keys(after.properties ?? {});
  const isFixed = pair.before.$ref?.endsWith("/Grant");
  const required = (before.required ?? []).filter((key: string) => !after.required?.includes(key));
  return [
    ...["type", "format", "pattern", "const"].flatMap((key) =>
      changed(`${name} ${key}`, before[key], after[key]),
    ),
    ...compareEnums(name, before, after),
    ...required.map((key: string) => `${name}.${key} is not always present`),
    ...changed(`${name} fields`, names, isFixed ? now : now.filter((key) => names.includes(key))),
    ...names.flatMap((key) =>
      after.properties?.[key] === undefined
        ? []
        : compareSchemas(
            `${name}.${key}`,
            { before: before.properties[key], after: after.properties[key] },
            documents,
          ),
    ),
    ...(before.items === undefined
      ? []
      : compareSchemas(`${name}[]`, { before: before.items, after: after.items ?? {} }, documents)),
  ];
}

function compareEnums(name: string, before: Json, after: Json): string[] {
  const lost = (before.enum ?? []).filter((value: Json) => after.enum?.includes(value) === false);
  return lost.map((value: Json) => `${name} has no ${JSON.stringify(value)}`);
}

/** Every error code stays, in its shape and with its status. */
function compareErrors(before: Json, after: Json): string[] {
  const error = { $ref: "#/components/schemas/Error" };
  const old = statusesOf(before);
  const now = statusesOf(after);
  return [
    ...compareSchemas("Error", { before: error, after: error }, { before, after }),
    ...[...old].flatMap(([code, status]) => changed(`the status of ${code}`, status, now.get(code))),
  ];
}

/** The status of each code that an operation can answer with. */
function statusesOf(document: Json): Map<string, string> {
  const responses = Object.values<Json>(document.paths).flatMap(({ get }) => Object.entries(get.responses));
  return new Map(
    responses.flatMap(([status, response]) => {
      const { content } = resolve(document, response);
      const schema = content?.["application/json"]?.schema;
      const codes: string[] = schema?.allOf?.[1]?.properties.code.enum ?? [];
      return codes.map((code) => [code, status] as const);
    }),
  );
}

function resolve(document: Json, value: Json): Json {
  const [, kind, name] = /^#\/components\/(\w+)\/(.+)$/.exec(value.$ref ?? "") ?? [];
  return kind === undefined ? value : document.components[kind][name ?? ""];
}
