// Tests requests of the Reconciliation API: batches of queries, suggestions and previews.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatEin } from "../../../../api-static/contract/ein.ts";
import { parseRequest } from "../../../../api-static/contract/request.ts";

const path = "/v1/reconcile";

const parseBatch = (queries: unknown) =>
  parseRequest(
    path,
    String(new URLSearchParams({ queries: typeof queries === "string" ? queries : JSON.stringify(queries) })),
  );

function parsedBatch(queries: unknown) {
  const parsed = parseBatch(queries);
  if (parsed.kind !== "reconcile") throw new Error(`refused: ${JSON.stringify(parsed)}`);
  return Object.fromEntries(parsed.queries ?? []);
}

function messages(queries: unknown): string[] {
  const parsed = parseBatch(queries);
  if (parsed.kind !== "refused") throw new Error("not refused");
  return parsed.problems.map(({ message }) => message);
}

describe("a batch", () => {
  it("is absent without queries, and may be empty", () => {
    expect(parseRequest(path, "")).toStrictEqual({ kind: "reconcile", queries: undefined });
    expect(parsedBatch({})).toStrictEqual({});
  });

  it("has canonical names, and what types and properties say", () => {
    const properties = [
      { pid: "city", v: " New  York " },
      { pid: "state", v: "ny" },
      { pid: "ein", v: ["13-1635294", "530196605"] },
      { pid: "role", v: "funder" },
      { pid: "zip", v: 10001 },
    ];
    expect(
      parsedBatch({
        q0: { query: "  Saint MARY  School " },
        q1: { query: "a", limit: 3, type: "funder", type_strict: "should" },
        q2: { query: "a", type: ["organization", "recipient"] },
        q3: { query: "a", type: "Q43229", properties },
        q4: { properties: [{ pid: "state", v: "New York" }] },
        q5: { properties: [{ pid: "ein", v: { id: "131635294", name: "A" } }] },
      }),
    ).toStrictEqual({
      q0: { name: "saint mary school", limit: 10 },
      q1: { name: "a", role: "funder", limit: 3 },
      q2: { name: "a", limit: 10 },
      q3: {
        ...{ name: "a", role: "funder", ein: formatEin(131_635_294), state: "NY", place: "new york" },
        limit: 10,
      },
      q4: { name: "", place: "new york", limit: 10 },
      q5: { name: "", ein: formatEin(131_635_294), limit: 10 },
    });
  });

  it.each(["EIN 38-3886511", "ein: 383886511", " 38-3886511\u00A0"])("reads %j as an EIN", (query) => {
    const properties = [{ pid: "ein", v: query }];
    expect(parsedBatch({ q0: { query }, q1: { properties } })).toStrictEqual({
      q0: { name: "383886511", limit: 10 },
      q1: { name: "", ein: "383886511", limit: 10 },
    });
  });

  it.each(["10211501", "EIN 1-0211501", 10_211_501])("restores the zero that %j lost", (v) => {
    expect(parsedBatch({ q0: { query: String(v), properties: [{ pid: "ein", v }] } })).toStrictEqual({
      q0: { name: "010211501", ein: "010211501", limit: 10 },
    });
  });

  it("has as many candidates as a query may have, if it wants more", () => {
    expect(parsedBatch({ q0: { query: "a", limit: 101 }, q1: { query: "a", limit: 1e300 } })).toMatchObject({
      ...{ q0: { limit: 100 }, q1: { limit: 100 } },
    });
  });

  it.each([
    [0, "out_of_range"],
    [-3, "out_of_range"],
    [1.5, "malformed"],
    ["5", "malformed"],
  ])("refuses the limit %j as %s", (limit, code) => {
    expect(parseBatch({ q0: { query: "a", limit } })).toMatchObject({ problems: [{ code }] });
  });

  it("may have any key", () => {
    expect(Object.keys(parsedBatch('{"__proto__":{"query":"b"},"":{"query":"c"}}'))).toStrictEqual([
      "__proto__",
      "",
    ]);
  });

  it("cuts a name that is too long, because the others have theirs", () => {
    expect(parsedBatch({ q0: { query: "é".repeat(500) } }).q0?.name).toBe("é".repeat(200));
  });

  it.each<[unknown, string]>([
    ["{", 'queries must be a JSON object, got "{"'],
    ["[]", 'queries must be a JSON object, got "[]"'],
    ["null", 'queries must be a JSON object, got "null"'],
    ['"a"', 'queries must be a JSON object, got ""a""'],
    [{ q0: "a" }, 'queries.q0 must be an object, got "a"'],
    [{ q0: [] }, "queries.q0 must be an object, got a list"],
    [{ q0: {} }, "queries.q0 must have query or properties, got an object"],
    [{ q0: { query: 5 } }, 'queries.q0.query must be a string, got "5"'],
    [{ q0: { query: "a", limit: 0 } }, 'queries.q0.limit must be an integer of at least 1, got "0"'],
    [{ q0: { query: "a", limit: "5" } }, 'queries.q0.limit must be an integer of at least 1, got "5"'],
    [
      { q0: { query: "a", type: [{ id: "funder" }] } },
      "queries.q0.type must be a string or a list of strings, got a list",
    ],
    [{ q0: { query: "a", properties: "city" } }, 'queries.q0.properties must be a list, got "city"'],
    [
      { q0: { query: "a", properties: [{ pid: "city" }] } },
      "queries.q0.properties[0] must be an object with a string pid, and v, got an object",
    ],
    [
      { q0: { query: "a", name: "b" } },
      'queries.q0 must have no fields but query, type, type_strict, limit, properties, got "name"',
    ],
  ])("refuses %j with the place, the rule and the value", (queries, message) => {
    expect(messages(queries)[0]).toBe(message);
  });

  it("has at most 50 queries, and reports at most 20 problems", () => {
    const batch = (count: number, query: unknown) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`q${index}`, query]));
    expect(Object.keys(parsedBatch(batch(50, { query: "a" })))).toHaveLength(50);
    expect(messages(batch(51, { query: "a" }))).toStrictEqual([
      "queries must have at most 50 queries, got 51",
    ]);
    expect(messages(batch(50, {}))).toHaveLength(20);
  });

  it("is refused or parsed, whatever JSON it is", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        for (const queries of [value, { q0: value }, { q0: { query: "a", properties: value, type: value } }])
          expect(["reconcile", "refused"]).toContain(parseBatch(queries).kind);
      }),
    );
    const deep = `{"q0":{"query":"a","properties":${"[".repeat(3_000)}${"]".repeat(3_000)}}}`;
    expect(parseBatch(deep).kind).toBe("refused");
  });
});

describe("a request for suggestions", () => {
  it("has a canonical prefix, and ignores blank and unknown parameters, which clients add", () => {
    const suggest = (of: string, query: string) => parseRequest(`${path}/suggest/${of}`, query);
    const all = "?prefix=%20Harbor++S&cursor=10&type=funder&type_strict=any&filter=a&filter=b&limit=%FF";
    expect(suggest("entity", all)).toStrictEqual({
      ...{ kind: "suggest", of: "entity", prefix: "harbor s", role: "funder", skipped: 10 },
    });
    expect(suggest("entity", "?prefix=&type=organization")).toStrictEqual({
      ...{ kind: "suggest", of: "entity", prefix: "", skipped: 0 },
    });
    for (const of of ["property", "type"])
      expect(suggest(of, "?prefix=St&cursor=x")).toStrictEqual({
        ...{ kind: "suggest", of, prefix: "st", skipped: 0 },
      });
  });

  it("refuses values that are not valid", () => {
    const parsed = parseRequest(`${path}/suggest/entity`, `?prefix=${"a".repeat(201)}&cursor=-1`);
    expect(parsed).toMatchObject({
      kind: "refused",
      problems: [{ parameter: "prefix" }, { parameter: "cursor", code: "out_of_range" }],
    });
  });
});

describe("a request for a preview", () => {
  it("has an EIN, in either form", () => {
    for (const id of ["131635294", "13-1635294"])
      expect(parseRequest(`${path}/preview`, `?id=${id}`)).toStrictEqual({
        kind: "preview",
        ein: formatEin(131_635_294),
      });
  });

  it("is refused without one", () => {
    for (const query of ["", "?id=", "?id=12", "?id=131635294&id=131635294", "?ein=131635294"])
      expect(parseRequest(`${path}/preview`, query), query).toMatchObject({ kind: "refused" });
  });
});
