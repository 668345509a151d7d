// Tests how a query is read: as URLSearchParams reads it, except that escapes which are not UTF-8 are found, not replaced.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Problem } from "../../../api-static/contract/errors.ts";
import { readQuery } from "../../../api-static/contract/query.ts";
import { parseRequest } from "../../../api-static/contract/request.ts";

const read = (query: string) => [...readQuery(query)];

describe("a query", () => {
  it("is read as URLSearchParams reads it if every escape is UTF-8", () => {
    const piece = fc.constantFrom(
      "x", // not a hexadecimal digit, or "%" before it could start an escape
      "y",
      "é",
      "+",
      "%",
      "%2",
      "%zz",
      "%20",
      "%C3%A9",
      "%f0%9f%92%a9",
      "%EF%BB%BF",
      "?",
      ";",
    );
    const text = fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(""));
    const pair = fc.oneof(
      text,
      fc.tuple(text, text).map((sides) => sides.join("=")),
      fc.constantFrom("=", "a==b", ""),
    );
    const query = fc.tuple(fc.constantFrom("", "?", "??", "&"), fc.array(pair, { maxLength: 5 }));
    fc.assert(
      fc.property(query, ([start, pairs]) => {
        const text = start + pairs.join("&");
        const known = new URLSearchParams(text);
        const expected = [...new Set(known.keys())].map((name) => [name, known.getAll(name)]);
        expect(read(text)).toStrictEqual(expected);
      }),
    );
  });

  it.each([
    ["a lone byte", "%FF"],
    ["Latin-1 text", "caf%E9"],
    ["half a character", "%C3"],
    ["half a character before a letter", "%C3a"],
    ["a surrogate", "%ED%A0%80"],
    ["a character in a longer form than needed", "%C0%AF"],
    ["one bad byte after good ones", "%C3%A9%ff"],
  ])("keeps %s as sent", (_, encoded) => {
    expect(read(`purpose=${encoded}`)).toStrictEqual([["purpose", [{ encoded }]]]);
    expect(read(`x=1&${encoded}=5`)).toStrictEqual([
      ["x", ["1"]],
      [encoded, ["5"]],
    ]);
  });
});

describe("an escape that is not UTF-8", () => {
  it.each([
    ["after empty pairs", "&&x=1&&purpose=%FF", "purpose", { encoded: "%FF" }],
    ["after the question mark of the query", "?purpose=%FF", "purpose", { encoded: "%FF" }],
    ["after a question mark of its value", "purpose=?%FF", "purpose", { encoded: "?%FF" }],
    ["after an equals sign of its value", "purpose=a=%FF", "purpose", { encoded: "a=%FF" }],
    ["in a name without a value", "%FF", "%FF", ""],
  ])("is found %s", (_where, query, name, value) => {
    expect(readQuery(query).get(name)).toStrictEqual([value]);
  });
});

describe("a request with an escape that is not UTF-8", () => {
  function problems(pathname: string, query: string): readonly Problem[] {
    const request = parseRequest(pathname, query);
    if (request.kind !== "refused") throw new Error(`${pathname}?${query} is not refused`);
    return request.problems;
  }

  it.each([
    [
      "purpose=%FF",
      { parameter: "purpose", code: "malformed", message: 'purpose must be UTF-8 text, got "%FF"' },
    ],
    ["limit=%C3", { parameter: "limit", code: "malformed", message: 'limit must be UTF-8 text, got "%C3"' }],
    [
      "purpose=%FF&purpose=a",
      { parameter: "purpose", code: "repeated", message: "purpose must be given once, got 2 values" },
    ],
  ])("is refused with an error that names the parameter: %s", (query, problem) => {
    expect(problems("/v1/history", query)).toStrictEqual([problem]);
  });

  it("has the names of its parameters as sent", () => {
    const [problem, ...others] = problems("/v1/history", "purpose%FF=a");
    expect(problem).toMatchObject({ parameter: "purpose%FF", code: "unknown" });
    expect(problem?.message).toContain("purpose%FF ");
    expect(others).toStrictEqual([]);
  });

  it("has the path as sent", () => {
    expect(problems("/v1/funders/1316%FF/history", "limit=%FF")).toMatchObject([
      { parameter: "funder_ein", message: expect.stringContaining('got "1316%FF"') },
      { parameter: "limit" },
    ]);
  });
});
