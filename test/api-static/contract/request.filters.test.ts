// Tests lists of EINs, ranges, the order of grants, and parameters that are valid, but not together.
import { describe, expect, it } from "vitest";
import { formatEin } from "../../../api-static/contract/ein.ts";
import { href, pageKey } from "../../../api-static/contract/operations/searches.ts";
import { accepted, faults, filters, problems } from "./request.fixture.ts";

/** Different EINs in ascending order. */
const eins = (count: number) =>
  Array.from({ length: count }, (_none, index) => formatEin(10_000_000 + index));

describe.each([
  ["funder_ein", "funderEin", "funderEins"],
  ["recipient_ein", "recipientEin", "recipientEins"],
] as const)("a list of %s", (name, key, listKey) => {
  it("has each EIN once, in ascending order, whatever the spelling", () => {
    const list = { [listKey]: ["131635294", "200253310", "530196605"] };
    for (const value of [
      "131635294,200253310,530196605",
      "530196605,131635294,200253310",
      "53-0196605,13-1635294,200253310,530196605,131635294",
      "530196605%2C131635294%2c200253310",
    ])
      expect(filters(`${name}=${value}`), value).toStrictEqual(list);
  });

  it("of one EIN, given once or more often, is that EIN", () => {
    const one = filters(`${name}=131635294`);
    expect(one).toStrictEqual({ [key]: "131635294" });
    expect(filters(`${name}=131635294,13-1635294,131635294`)).toStrictEqual(one);
  });

  it("has up to 50 different EINs", () => {
    const list = eins(50);
    expect(filters(`${name}=${list}`)).toStrictEqual({ [listKey]: list });
    expect(filters(`${name}=${list},${list}`)).toStrictEqual({ [listKey]: list });
    expect(problems(`${name}=${eins(51)}`)).toStrictEqual([
      {
        parameter: name,
        code: "out_of_range",
        message: `${name} must have at most 50 different EINs, got 51`,
      },
    ]);
  });

  it.each([
    ",",
    "131635294,",
    ",131635294",
    "131635294,,200253310",
    "131635294,1",
    "131635294,%20,200253310",
  ])("is malformed as %s", (value) => {
    expect(problems(`${name}=${value}`)).toStrictEqual([
      {
        parameter: name,
        code: "malformed",
        message: `${name} must be EINs of nine digits, separated by commas, got "${decodeURIComponent(value)}"`,
      },
    ]);
  });

  it("is malformed, not too long, if one of its many texts is not an EIN", () => {
    expect(faults(`${name}=${eins(60)},x`)).toStrictEqual([`${name} malformed`]);
  });
});

describe("a range", () => {
  it("may be open, be a single value, or include all values", () => {
    expect(filters("min_year=2020&max_year=2020")).toStrictEqual({ minYear: 2020, maxYear: 2020 });
    expect(filters("max_year=2020")).toStrictEqual({ maxYear: 2020 });
    expect(filters("min_amount=5&max_amount=5.00")).toStrictEqual({
      minAmountCents: 500n,
      maxAmountCents: 500n,
    });
    expect(filters("min_amount=-2&max_amount=-1")).toStrictEqual({
      minAmountCents: -200n,
      maxAmountCents: -100n,
    });
  });

  it("is refused at its upper bound if that is less than the lower", () => {
    expect(problems("max_amount=5&min_amount=5.01")).toStrictEqual([
      {
        parameter: "max_amount",
        code: "out_of_range",
        message: "max_amount must not be less than min_amount",
      },
    ]);
    expect(problems("min_year=2021&max_year=2020")).toStrictEqual([
      { parameter: "max_year", code: "out_of_range", message: "max_year must not be less than min_year" },
    ]);
  });

  it("of years is refused together with a year, at each bound", () => {
    const message = (name: string) => `${name} must not be given together with transaction_year`;
    expect(problems("min_year=2020&transaction_year=2020&max_year=2021")).toStrictEqual([
      { parameter: "min_year", code: "malformed", message: message("min_year") },
      { parameter: "max_year", code: "malformed", message: message("max_year") },
    ]);
    expect(faults("transaction_year=2020&max_year=2020")).toStrictEqual(["max_year malformed"]);
  });

  it("is refused with all other problems of the request, at most 20", () => {
    expect(faults("limit=0&min_amount=2&max_amount=1&transaction_year=2020&min_year=2020&x=1")).toStrictEqual(
      ["limit out_of_range", "x unknown", "min_year malformed", "max_amount out_of_range"],
    );
    const unknown = Array.from({ length: 19 }, (_none, index) => `p${index}=1`).join("&");
    expect(faults(`${unknown}&min_amount=2&max_amount=1&min_year=2&transaction_year=2020`)).toHaveLength(20);
    expect(faults("transaction_year=20&min_year=2020&max_year=2020")).toStrictEqual([
      "transaction_year malformed",
    ]);
  });
});

describe("a state", () => {
  it.each(["ny", "NY", "nY"])("is two letters, in any case: %s", (value) => {
    const both = `funder_state=${value}&recipient_state=${value}`;
    expect(filters(both)).toStrictEqual({ funderState: "NY", recipientState: "NY" });
  });

  it.each(["N", "NYC", "N1", "ſſ", "ÅÅ", "N%Y"])("is malformed as %j", (value) => {
    expect(problems(`recipient_state=${encodeURIComponent(value)}`)).toStrictEqual([
      {
        parameter: "recipient_state",
        code: "malformed",
        message: `recipient_state must be two letters, got "${value}"`,
      },
    ]);
  });
});

describe("sort", () => {
  it("is by year unless it is by amount, which has no page files", () => {
    expect(accepted("sort=year")).toStrictEqual(accepted(""));
    const request = accepted("sort=amount&purpose=Music");
    expect(request).toStrictEqual({ ...accepted("purpose=music"), sort: "amount" });
    expect(href(request)).toBe("/v1/history?purpose=music&sort=amount&limit=100&offset=0");
    expect(pageKey(request)).toBeUndefined();
  });

  it.each(["records", "Amount", "amount,year", "-amount"])("has no other value: %j", (value) => {
    const message = `sort must be one of year, amount, got "${value}"`;
    expect(problems(`sort=${value}`)).toStrictEqual([{ parameter: "sort", code: "malformed", message }]);
  });

  it("by amount has offsets up to 100,000", () => {
    expect(accepted("sort=amount&offset=100000&limit=1000").offset).toBe(100_000);
    expect(accepted("sort=year&offset=100001").offset).toBe(100_001);
    expect(problems("offset=100001&sort=amount")).toStrictEqual([
      {
        parameter: "offset",
        code: "out_of_range",
        message: "offset must be at most 100000 with sort=amount",
      },
    ]);
  });
});
