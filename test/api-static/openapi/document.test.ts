// Tests the OpenAPI document against the code: routes, parameters and their limits, fields, errors.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { nullableFields, recordFields } from "../../../api-static/contract/answers/record.ts";
import { problemCodes, statuses } from "../../../api-static/contract/errors.ts";
import { operations, parseRequest, paths } from "../../../api-static/contract/request.ts";
import { openapi, openapiText } from "../../../api-static/openapi/document.ts";
import { isPinned } from "./breaks.ts";

/** The document as clients parse it. */
const document = JSON.parse(openapiText);

type Documented = {
  readonly name: string;
  readonly required?: boolean;
  readonly in: "path" | "query";
  readonly schema: {
    readonly minimum?: number;
    readonly maximum?: number;
    readonly maxLength?: number;
    readonly examples?: readonly unknown[];
  };
};

const parametersOf = (path: string): Documented[] =>
  document.paths[path].get.parameters.filter((parameter: object) => "in" in parameter);

/** How the server parses a documented path with one parameter, and the examples of those that are required. */
function ask(path: string, name: string, value: unknown) {
  const ein = /\{(\w+)\}/.exec(path)?.[1];
  const filled = path.replace(/\{\w+\}/, ein === name ? encodeURIComponent(String(value)) : "131635294");
  const required = parametersOf(path).filter((parameter) => parameter.in === "query" && parameter.required);
  const query = new URLSearchParams(required.map(({ name, schema }) => [name, String(schema.examples?.[0])]));
  if (name === "offset") query.set("limit", "1"); // groups bound the sum of both
  if (ein !== name) query.set(name, String(value));
  return parseRequest(filled, `?${query}`);
}

describe("the document", () => {
  it("has every route, and no other path", () => {
    const known: string[] = Object.values(paths).filter((path) => path !== paths.callTools);
    const pinned = known.filter(isPinned).map((path) => `/r/{release}${path}`);
    expect(Object.keys(document.paths).sort()).toStrictEqual([...known, ...pinned].sort());
  });

  it("has the version of the package, and is valid JSON", () => {
    const { version } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"));
    expect(openapi.info.version).toBe(version);
    expect(document).toStrictEqual(JSON.parse(JSON.stringify(openapi)));
  });

  it("has each operation id once, and no dangling reference", () => {
    const ids = Object.values<{ get: { operationId: string } }>(document.paths).map(
      ({ get }) => get.operationId,
    );
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, path = ""] of openapiText.matchAll(/"\$ref": "#\/([^"]+)"/g)) {
      const found = path.split("/").reduce((value, key) => value?.[key], document);
      expect(found, path).toBeDefined();
    }
  });
});

const queried = operations.filter((operation) => "toRequest" in operation);

describe.each(queried.map(({ path }) => path))("%s", (path) => {
  it("accepts the parameters that it documents, and no others", () => {
    const refused = parseRequest(path.replace(/\{\w+\}/, "131635294"), "?no_such=1");
    const [, known = "none"] =
      /it accepts (.*)$/.exec(refused.kind === "refused" ? (refused.problems[0]?.message ?? "") : "") ?? [];
    const documented = parametersOf(path).filter((parameter) => parameter.in === "query");
    if (path.includes("/suggest/")) return expect(refused.kind).toBe("suggest"); // clients send parameters of their own
    expect(documented.map(({ name }) => name).join(", ") || "none").toBe(known);
  });

  it("accepts every example, and every value up to the documented limits", () => {
    for (const { name, schema } of parametersOf(path)) {
      const { minimum, maximum, maxLength, examples = [] } = schema;
      const longest = maxLength === undefined ? [] : ["é".repeat(maxLength)];
      for (const value of [minimum, maximum, ...longest, ...examples].filter((value) => value !== undefined))
        expect(ask(path, name, value).kind, `${name}=${value}`).not.toBe("refused");
      const beyond = [
        ...(minimum === undefined ? [] : [minimum - 1]),
        ...(maximum === undefined ? [] : [maximum + 1]),
        ...(maxLength === undefined ? [] : ["é".repeat(maxLength + 1)]),
      ];
      for (const value of beyond) expect(ask(path, name, value).kind, `${name}=${value}`).toBe("refused");
    }
  });
});

describe("the schemas", () => {
  const { Grant, Error: error } = document.components.schemas;

  it("have the fields of a record in order, nullable if they may be null", () => {
    expect(Object.keys(Grant.properties)).toStrictEqual([...recordFields]);
    expect(Grant.required).toStrictEqual([...recordFields]);
    const nullables = recordFields.filter((field) => [Grant.properties[field].type].flat().includes("null"));
    expect(nullables.sort()).toStrictEqual([...nullableFields].sort());
  });

  it("have every error code and every code of a problem", () => {
    expect(error.properties.code.enum).toStrictEqual(Object.keys(statuses));
    expect(error.properties.details.items.properties.code.enum).toStrictEqual([...problemCodes]);
  });

  it("list each error under its status", () => {
    const listed = Object.values<{ get: { responses: Record<string, never> } }>(document.paths).flatMap(
      ({ get }) =>
        Object.entries<{ content?: Record<string, { examples?: object }> }>(get.responses).flatMap(
          ([status, { content }]) =>
            Object.keys(content?.["application/json"]?.examples ?? {}).map((code) => [code, Number(status)]),
        ),
    );
    expect(listed.length).toBeGreaterThan(20);
    for (const [code, status] of listed) expect(statuses[code as keyof typeof statuses]).toBe(status);
  });
});
