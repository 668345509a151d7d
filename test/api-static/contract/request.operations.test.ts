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
    expect(parseRequest(path, query)).toStrictEqual({ kind: "export", scope, filters, isEscapingFormulas });
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
        message: `limit is not a parameter of this operation; it accepts ${filterNames}, match, formulas`,
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
