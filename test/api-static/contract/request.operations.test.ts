// Tests requests for exports and summaries, and the parameters that only some operations accept.
import { describe, expect, it } from "vitest";
import { formatEin } from "../../../api-static/contract/ein.ts";
import type { Problem } from "../../../api-static/contract/errors.ts";
import { parseRequest } from "../../../api-static/contract/request.ts";

const ein = formatEin(131_635_294);
const filterNames = "funder_ein, recipient_ein, transaction_year, purpose, recipient_name, min_amount";

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
    for (const value of ["0", "true", "1 ", "01"])
      expect(problems("/v1/history.csv", `${name}=${encodeURIComponent(value)}`)).toStrictEqual([
        { parameter: name, code: "malformed", message: `${name} must be 1, got "${value}"` },
      ]);
    expect(problems("/v1/history", `${name}=1`)).toMatchObject([{ parameter: name, code: "unknown" }]);
  });

  it.each(["Escape", "1", "escape ", "escaped"])("rejects formulas=%j", (value) => {
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
