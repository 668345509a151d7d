// Tests the API guide's content: complete, and its recipes are accepted.
import { describe, expect, it } from "vitest";
import { parseRequest } from "../../../api-static/contract/request.ts";
import { openapi } from "../../../api-static/openapi/document.ts";
import { makeGuide } from "../../../site/plugins/guide.ts";
import { kindOf, type OpenApiDocument, toSections } from "../../../site/src/docs/guide.ts";
import { rules } from "../../../site/src/docs/rules.ts";
import { describedElsewhere } from "../../../site/src/docs/sections.ts";

const guide = makeGuide();
const operations = guide.sections.flatMap((section) => section.operations);

describe("the guide", () => {
  it("shows every operation of the document once, apart from pinned ones and those described elsewhere", () => {
    const all = Object.entries(openapi.paths).flatMap(([path, { get }]) =>
      path.startsWith("/r/") ? [] : [(get as { operationId: string }).operationId],
    );
    const shown = operations.map(({ id }) => id);
    expect([...shown, ...describedElsewhere].sort()).toStrictEqual(all.sort());
  });

  it("adds a section for an operation outside all sections, and refuses an unknown one", () => {
    const document = structuredClone(openapi) as unknown as OpenApiDocument;
    const get = { operationId: "countStars", summary: "Stars", parameters: [], responses: {} };
    const paths = { ...document.paths, "/v1/stars": { get } };
    const added = toSections({ ...document, paths }).at(-1);
    expect(added).toMatchObject({ id: "countStars", title: "Stars", operations: [{ request: "/v1/stars" }] });
    const { "/v1/status": _, ...fewer } = document.paths;
    expect(() => toSections({ ...document, paths: fewer })).toThrow(
      "the OpenAPI document has no operation readStatus",
    );
  });

  it("describes each parameter once", () => {
    const names = operations.flatMap(({ parameters }) => parameters.map(({ name }) => name));
    expect(new Set(names).size).toBe(names.length);
    for (const name of ["funder_ein", "purpose", "limit", "formulas"]) expect(names).toContain(name);
  });

  it("has recipes that the API accepts", () => {
    const recipes = rules.find(({ title }) => title === "Recipes")?.items ?? [];
    const kinds = recipes.map(({ name }) => parseRequest(...(name.split("?") as [string, string])).kind);
    expect(kinds).toStrictEqual(["totals", "groups", "history", "history"]);
  });

  it("writes amounts with two decimals and counts with none", () => {
    const answerOf = (id: string) => operations.find((operation) => operation.id === id)?.answer;
    expect(answerOf("readStatus")).toMatch(/"non_cash_amount": \d+,/);
    expect(answerOf("summarizeFunder")).toMatch(/"from": 1000\.00,/);
  });

  it("shows the body of a 400 that reports both mistakes", () => {
    expect(JSON.parse(guide.mistake.answer)).toMatchObject({
      success: false,
      code: "invalid_parameter",
      details: [
        { parameter: "limit", code: "out_of_range" },
        { parameter: "min_amount", code: "malformed" },
      ],
    });
  });
});

describe("kindOf", () => {
  it.each([
    [{ type: "string", pattern: "^\\d{9}$" }, "nine digits"],
    [{ type: "string", minLength: 1, maxLength: 200 }, "1 to 200 characters"],
    [{ type: "integer", minimum: 1000, maximum: 9999 }, "four digits"],
    [{ type: "integer", minimum: 1, maximum: 1000, default: 100 }, "1 to 1,000, default 100"],
    [{ type: "string", enum: ["year", "amount"], default: "year" }, "year or amount, default year"],
    [{ type: "string", enum: ["a", "b", "c"] }, "a, b, or c"],
    [{ type: "number" }, "dollars"],
    [{ const: "escape" }, "escape"],
    [{ type: "string", pattern: "^\\d{4}$" }, ""],
  ])("of %j is %s", (schema, kind) => {
    expect(kindOf(schema)).toBe(kind);
  });
});
