// Tests requests for totals, groups, exports and summaries, and the parameters that only some operations accept.
import { describe, expect, it } from "vitest";
import { formatEin } from "../../../api-static/contract/ein.ts";
import type { Problem } from "../../../api-static/contract/errors.ts";
import { filterNames as names } from "../../../api-static/contract/filters/table.ts";
import { groupKeys } from "../../../api-static/contract/filters.ts";
import { parseRequest } from "../../../api-static/contract/request.ts";

const ein = formatEin(131_635_294);
const filterNames = names.join(", ");

function problems(path: string, query: string): readonly Problem[] {
  const parsed = parseRequest(path, query);
  if (parsed.kind !== "refused") throw new Error(`${path}?${query} is not refused`);
  return parsed.problems;
}

describe("an export", () => {
  it.each([
    ["/v1/history.csv", "", "search", {}, false],
    ["/v1/history.csv", "formulas=escape", "search", {}, true],
    ["/v1/history.csv", "funder_ein=13-1635294", "search", { funderEin: ein }, false],
    [
      "/v1/funders/131635294/history.csv",
      "purpose=Food",
      "funder",
      { funderEin: ein, purpose: "food" },
      false,
    ],
    ["/v1/funders/131635294/history.csv", "formulas=escape", "funder", { funderEin: ein }, true],
  ])("is requested by %s with %j", (path, query, scope, filters, isEscapingFormulas) => {
    const form = { isEscapingFormulas, isForExcel: false, hasNames: false };
    expect(parseRequest(path, query)).toStrictEqual({ kind: "export", scope, filters, form });
  });

  it.each([
    ["names=1", { isEscapingFormulas: false, isForExcel: false, hasNames: true }],
    ["excel=1", { isEscapingFormulas: true, isForExcel: true, hasNames: false }],
    ["excel=1&names=1&formulas=escape", { isEscapingFormulas: true, isForExcel: true, hasNames: true }],
  ])("has the form of %s", (query, form) => {
    expect(parseRequest("/v1/history.csv", query)).toMatchObject({ kind: "export", form });
  });

  it.each(["names", "excel"])("rejects other values than 1 of %s", (name) => {
    for (const value of ["0", "true", "01"])
      expect(problems("/v1/history.csv", `${name}=${encodeURIComponent(value)}`)).toStrictEqual([
        { parameter: name, code: "malformed", message: `${name} must be 1, got "${value}"` },
      ]);
    expect(problems("/v1/history", `${name}=1`)).toMatchObject([{ parameter: name, code: "unknown" }]);
  });

  it.each(["Escape", "1", "escaped"])("rejects formulas=%j", (value) => {
    expect(problems("/v1/history.csv", `formulas=${encodeURIComponent(value)}`)).toStrictEqual([
      { parameter: "formulas", code: "malformed", message: `formulas must be "escape", got "${value}"` },
    ]);
  });

  it("has no pages", () => {
    expect(problems("/v1/history.csv", "limit=5")).toStrictEqual([
      {
        parameter: "limit",
        code: "unknown",
        message: `limit is not a parameter of this operation; it accepts ${filterNames}, match, formulas, names, excel`,
      },
    ]);
  });
});

const everyFilter =
  "recipient_ein=530196605,200253310&min_year=2018&max_year=2022&purpose=Food+Bank&recipient_name=x&match=words&type=Schedule+I&min_amount=1&max_amount=2";

const filters = {
  recipientEins: ["200253310", "530196605"],
  minYear: 2018,
  maxYear: 2022,
  purpose: "food bank",
  recipientName: "x",
  isByWords: true,
  type: "schedule i",
  minAmountCents: 100n,
  maxAmountCents: 200n,
};

describe("totals", () => {
  it("accept every filter, of all funders or of one", () => {
    expect(parseRequest("/v1/history/summary", "")).toStrictEqual({
      kind: "totals",
      scope: "search",
      filters: {},
    });
    expect(parseRequest("/v1/history/summary", `funder_ein=131635294&${everyFilter}`)).toStrictEqual({
      kind: "totals",
      scope: "search",
      filters: { funderEin: ein, ...filters },
    });
    expect(parseRequest("/v1/funders/131635294/history/summary", everyFilter)).toStrictEqual({
      kind: "totals",
      scope: "funder",
      filters: { funderEin: ein, ...filters },
    });
    expect(parseRequest("/v1/funders/13-1635294/history/summary", "?type=a")).toStrictEqual({
      kind: "redirect",
      location: "/v1/funders/131635294/history/summary?type=a",
    });
  });

  it.each(["limit", "offset", "sort", "by", "formulas"])("have no parameter %s", (name) => {
    expect(problems("/v1/history/summary", `${name}=1`)).toStrictEqual([
      {
        parameter: name,
        code: "unknown",
        message: `${name} is not a parameter of this operation; it accepts ${filterNames}, match`,
      },
    ]);
  });
});

describe("groups", () => {
  const groups = (query: string) => parseRequest("/v1/history/groups", query);
  const faults = (query: string) =>
    problems("/v1/history/groups", query).map(({ parameter, code }) => `${parameter} ${code}`);
  const byYear = { kind: "groups", by: "year", filters: {}, sort: "amount", limit: 100, offset: 0 };

  it("accept every filter, an order and a page", () => {
    expect(groups("by=year")).toStrictEqual(byYear);
    expect(groups("sort=amount&by=year")).toStrictEqual(byYear);
    expect(
      groups(`by=funder&funder_ein=131635294&${everyFilter}&sort=records&limit=7&offset=14`),
    ).toStrictEqual({
      kind: "groups",
      by: "funder",
      filters: { funderEin: ein, ...filters },
      sort: "records",
      limit: 7,
      offset: 14,
    });
    for (const by of ["funder", "recipient", "year", "type", "funder_state", "recipient_state"])
      expect(groups(`by=${by}`)).toMatchObject({ by });
  });

  it("are by one of the keys, which must be given, also if there are other problems", () => {
    const given = `by must be given: one of ${groupKeys.join(", ")}`;
    for (const path of ["/v1/history/groups", "/v1/history/groups.csv"])
      expect(problems(path, "")).toStrictEqual([{ parameter: "by", code: "blank", message: given }]);
    expect(faults("limit=0&min_amount=2&max_amount=1")).toStrictEqual([
      "limit out_of_range",
      "max_amount out_of_range",
      "by blank",
    ]);
    for (const value of ["Funder", "funder_ein", "year,type"])
      expect(problems("/v1/history/groups", `by=${value}`)).toStrictEqual([
        {
          parameter: "by",
          code: "malformed",
          message: `by must be one of ${groupKeys.join(", ")}, got "${value}"`,
        },
      ]);
    expect(faults("by=")).toStrictEqual(["by blank"]);
    expect(faults("by=year&by=year")).toStrictEqual(["by repeated"]);
  });

  it("are by amount or by records", () => {
    expect(problems("/v1/history/groups", "by=year&sort=year")).toStrictEqual([
      { parameter: "sort", code: "malformed", message: 'sort must be one of amount, records, got "year"' },
    ]);
  });

  it("have pages within the first 10,000", () => {
    expect(groups("by=year&offset=9999&limit=1")).toMatchObject({ offset: 9999, limit: 1 });
    expect(groups("by=year&offset=9000&limit=1000")).toMatchObject({ offset: 9000, limit: 1000 });
    expect(groups("by=year&offset=9900")).toMatchObject({ offset: 9900 });
    const together = "offset must be at most 10000 together with limit";
    for (const query of ["by=year&offset=9901", "by=year&limit=1000&offset=9001"])
      expect(problems("/v1/history/groups", query)).toStrictEqual([
        { parameter: "offset", code: "out_of_range", message: together },
      ]);
    expect(problems("/v1/history/groups", "by=year&offset=10000&limit=1")).toStrictEqual([
      {
        parameter: "offset",
        code: "out_of_range",
        message: 'offset must be an integer from 0 to 9999, got "10000"',
      },
    ]);
  });

  it("have no path of a funder", () => {
    expect(parseRequest("/v1/funders/131635294/history/groups", "by=year")).toStrictEqual({
      kind: "unknown",
    });
  });

  it("are exported without pages, in the form of other exports", () => {
    const form = { isEscapingFormulas: true, isForExcel: true, hasNames: true };
    expect(
      parseRequest("/v1/history/groups.csv", "by=recipient&purpose=Food&sort=records&excel=1&names=1"),
    ).toStrictEqual({
      kind: "groupsExport",
      by: "recipient",
      filters: { purpose: "food" },
      sort: "records",
      form,
    });
    expect(problems("/v1/history/groups.csv", "by=year&limit=5")).toStrictEqual([
      {
        parameter: "limit",
        code: "unknown",
        message: `limit is not a parameter of this operation; it accepts by, level, ${filterNames}, match, sort, formulas, names, excel`,
      },
    ]);
  });
});

describe("a summary, and peers", () => {
  it.each([
    ["/v1/funders/131635294/summary", "summary", "funder"],
    ["/v1/recipients/131635294/summary", "summary", "recipient"],
    ["/v1/funders/131635294/peers", "peers", "funder"],
    ["/v1/recipients/131635294/peers", "peers", "recipient"],
  ])("are requested by %s", (path, kind, of) => {
    expect(parseRequest(path, "")).toStrictEqual({ kind, of, ein });
    const hyphenated = path.replace("13163", "13-163");
    expect(parseRequest(hyphenated, "")).toStrictEqual({ kind: "redirect", location: path });
  });

  it("accept no parameters", () => {
    expect(problems("/v1/recipients/131635294/summary", "purpose=food&=")).toStrictEqual([
      {
        parameter: "purpose",
        code: "unknown",
        message: "purpose is not a parameter of this operation; it accepts none",
      },
      {
        parameter: "",
        code: "unknown",
        message: "an empty name is not a parameter of this operation; it accepts none",
      },
    ]);
  });
});
