// Tests paths, parameter names, repeated parameters, and requests with several problems.
import { describe, expect, it } from "vitest";
import { formatEin } from "../../../api-static/contract/ein.ts";
import type { Problem } from "../../../api-static/contract/errors.ts";
import { parameterNames } from "../../../api-static/contract/parameters.ts";
import { parseRequest } from "../../../api-static/contract/request.ts";

const path = "/v1/funders/131635294/history";

function problems(path: string, query: string): readonly Problem[] {
  const request = parseRequest(path, query);
  if (request.kind !== "refused") throw new Error(`${path}?${query} is not refused`);
  return request.problems;
}

/** Parameter and code of each problem, e.g., "limit malformed". */
const faults = (path: string, query: string) =>
  problems(path, query).map(({ parameter, code }) => `${parameter} ${code}`);

describe("the path of a funder", () => {
  const funderEin = formatEin(131_635_294);

  it("requests the first 100 grants of the funder", () => {
    expect(parseRequest(path, "")).toStrictEqual({
      kind: "history",
      scope: "funder",
      filters: { funderEin },
      limit: 100,
      offset: 0,
    });
  });

  it("accepts every search filter except funder_ein", () => {
    const query =
      "recipient_ein=53-0196605&transaction_year=2023&purpose=Food&recipient_name=Bank&min_amount=5&limit=7&offset=14";
    expect(parseRequest(path, query)).toStrictEqual({
      kind: "history",
      scope: "funder",
      filters: {
        funderEin,
        recipientEin: formatEin(530_196_605),
        transactionYear: 2023,
        purpose: "food",
        recipientName: "bank",
        minAmountCents: 500n,
      },
      limit: 7,
      offset: 14,
    });
  });

  it("rejects funder_ein, even with the EIN of the path", () => {
    expect(faults(path, "funder_ein=131635294")).toStrictEqual(["funder_ein unknown"]);
  });

  it.each([
    ["", "/v1/funders/131635294/history"],
    ["?limit=5&offset=10", "/v1/funders/131635294/history?limit=5&offset=10"],
    ["limit=5&offset=10", "/v1/funders/131635294/history?limit=5&offset=10"],
    ["?purpose=a%20b+c%C3%A9", "/v1/funders/131635294/history?purpose=a%20b+c%C3%A9"],
    ["?limit=0&nonsense", "/v1/funders/131635294/history?limit=0&nonsense"],
  ])("with a hyphen redirects to nine digits and keeps the query %j unchanged", (query, location) => {
    const redirect = { kind: "redirect", location };
    expect(parseRequest("/v1/funders/13-1635294/history", query)).toStrictEqual(redirect);
    expect(parseRequest("/v1/funders/13%2D1635294/history", query)).toStrictEqual(redirect);
  });

  it("keeps leading zeros in a redirect", () => {
    expect(parseRequest("/v1/funders/01-0211513/history", "")).toStrictEqual({
      kind: "redirect",
      location: "/v1/funders/010211513/history",
    });
  });

  it.each([
    ["13163529", "13163529"],
    ["1316352940", "1316352940"],
    ["131-635294", "131-635294"],
    ["", ""],
    ["abc", "abc"],
    ["%20131635294", " 131635294"],
    ["131635294%0A", "131635294\n"],
    ["%", "%"],
    ["%C3", "%C3"],
    ["..", ".."],
    ["131635294%2Fhistory", "131635294/history"],
  ])("refuses the EIN %j", (segment, shown) => {
    expect(parseRequest(`/v1/funders/${segment}/history`, "")).toStrictEqual({
      kind: "refused",
      problems: [
        {
          parameter: "funder_ein",
          code: "malformed",
          message: `funder_ein in the path must be nine digits, got "${shown}"`,
        },
      ],
    });
  });
});

describe("any other path", () => {
  it.each([
    "",
    "/",
    "/v1",
    "/v1/",
    "/v1/history/",
    "/v1//history",
    "//v1/history",
    "/V1/history",
    "/v1/History",
    "/v1/hist%6Fry",
    "v1/history",
    "/v1/history\n",
    "/v2/history",
    "/v1/funders",
    "/v1/funders/history",
    "/v1/funders/131635294",
    "/v1/funders/131635294/",
    "/v1/funders/131635294/history/",
    "/v1/funders/131635294/history-100-0.json",
    "/v1/funders/131635294/extra/history",
    "/v1/funders/131635294/history\n",
    "/x/v1/funders/131635294/history",
    "/v1/funders/131635294/history?limit=5",
  ])("is unknown: %j", (path) => {
    expect(parseRequest(path, "limit=5")).toStrictEqual({ kind: "unknown" });
  });
});

describe("a parameter", () => {
  it.each(parameterNames)("is blank if %s has no value or only white space", (name) => {
    for (const value of ["", "=", "=+", "=%20%09", "=%E3%80%80%EF%BB%BF"])
      expect(faults("/v1/history", `${name}${value}`)).toStrictEqual([`${name} blank`]);
  });

  it.each(parameterNames)("is repeated if %s occurs twice, whatever its values", (name) => {
    for (const values of [`${name}=5&${name}=5`, `${name}=&${name}=`, `${name}=5&limit=5&${name}=6`])
      expect(faults("/v1/history", values)).toStrictEqual([`${name} repeated`]);
    expect(problems("/v1/history", `${name}=1&${name}=2&${name}=3`)[0]?.message).toBe(
      `${name} must be given once, got 3 values`,
    );
  });

  it.each([
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "valueOf",
    "Limit",
    "limit ",
    "limit[]",
    "page",
    "",
    "funderEin",
  ])("is unknown when it is called %j", (name) => {
    expect(faults("/v1/history", `${encodeURIComponent(name)}=1`)).toStrictEqual([`${name} unknown`]);
    expect(
      faults("/v1/history", `${encodeURIComponent(name)}=1&${encodeURIComponent(name)}=2`),
    ).toStrictEqual([`${name} unknown`]);
  });

  it("gets an error that lists the accepted names", () => {
    expect(problems("/v1/history", "page=2")[0]?.message).toBe(
      "page is not a parameter of this operation; it accepts funder_ein, recipient_ein, transaction_year, min_year, max_year, purpose, recipient_name, type, funder_state, recipient_city, recipient_state, recipient_zip, funder_cause, recipient_cause, accepts, min_amount, max_amount, match, sort, limit, offset",
    );
    expect(problems(path, "page=2")[0]?.message).toBe(
      "page is not a parameter of this operation; it accepts recipient_ein, transaction_year, min_year, max_year, purpose, recipient_name, type, funder_state, recipient_city, recipient_state, recipient_zip, funder_cause, recipient_cause, accepts, min_amount, max_amount, match, sort, limit, offset",
    );
  });

  it("is cut to 60 characters in an error", () => {
    expect(problems("/v1/history", `limit=${"🌱".repeat(60)}`)[0]?.message).toContain(
      `got "${"🌱".repeat(60)}"`,
    );
    expect(problems("/v1/history", `limit=${"🌱".repeat(61)}`)[0]?.message).toContain(
      `got "${"🌱".repeat(60)}…"`,
    );
    expect(problems("/v1/history", `${"n".repeat(61)}=1`)[0]?.parameter).toBe(`${"n".repeat(60)}…`);
  });
});

describe("a request with several problems", () => {
  it("gets an error that lists all of them, in the order of the URL", () => {
    const query =
      "offset=-1&limit=5000&min_amount=1e3&purpose=&recipient_name=+&transaction_year=99&recipient_ein=1&funder_ein=x&page=2&__proto__=1&limit=6";
    expect(faults("/v1/history", query)).toStrictEqual([
      "offset out_of_range",
      "limit repeated",
      "min_amount malformed",
      "purpose blank",
      "recipient_name blank",
      "transaction_year malformed",
      "recipient_ein malformed",
      "funder_ein malformed",
      "page unknown",
      "__proto__ unknown",
    ]);
  });

  it("has the EIN of the path first", () => {
    expect(faults("/v1/funders/123/history", "limit=0&funder_ein=131635294")).toStrictEqual([
      "funder_ein malformed",
      "limit out_of_range",
      "funder_ein unknown",
    ]);
  });

  it("lists at most 20 problems, the first ones", () => {
    const names = Array.from({ length: 500 }, (_none, index) => `p${index}`);
    const listed = (count: number) => names.slice(0, count).map((name) => `${name} unknown`);
    const query = (count: number) =>
      names
        .slice(0, count)
        .map((name) => `${name}=1`)
        .join("&");
    expect(faults("/v1/history", `${query(19)}&limit=0`)).toStrictEqual([
      ...listed(19),
      "limit out_of_range",
    ]);
    expect(faults("/v1/history", query(500))).toStrictEqual(listed(20));
    expect(faults("/v1/funders/123/history", query(500))).toStrictEqual([
      "funder_ein malformed",
      ...listed(19),
    ]);
  });
});
