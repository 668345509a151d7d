// Tests the rule of each parameter: at, below and above every limit.
import { describe, expect, it } from "vitest";
import { formatEin } from "../../../api-static/contract/ein.ts";
import { href, pageKey } from "../../../api-static/contract/operations/searches.ts";
import { parseRequest } from "../../../api-static/contract/request.ts";
import { accepted, faults, filters, problems } from "./request.fixture.ts";

const encoded = (name: string, value: string) => `${name}=${encodeURIComponent(value)}`;

describe("a request without parameters", () => {
  it("requests the first 100 of all grants", () => {
    const all = { kind: "history", scope: "search", filters: {}, limit: 100, offset: 0 };
    for (const query of ["", "?", "&", "?&&"]) expect(accepted(query)).toStrictEqual(all);
  });
});

describe("match", () => {
  it("asks for every word of the texts", () => {
    expect(filters("purpose=Bank++FOOD&match=words")).toStrictEqual({
      purpose: "bank  food",
      isByWords: true,
    });
    expect(filters("recipient_name=food+bank&purpose=x&match=words")).toStrictEqual({
      recipientName: "food bank",
      purpose: "x",
      isByWords: true,
    });
  });

  it("is dropped without several words, because it makes no difference there", () => {
    expect(filters("purpose=food&match=words")).toStrictEqual({ purpose: "food" });
    expect(filters("match=words")).toStrictEqual({});
  });

  it("comes back from the canonical URL, which has no page file", () => {
    const request = accepted("purpose=food+bank&match=words&min_amount=5");
    expect(href(request)).toBe(
      "/v1/history?purpose=food+bank&match=words&min_amount=5.00&limit=100&offset=0",
    );
    expect(accepted(href(request).split("?")[1] ?? "")).toStrictEqual(request);
    expect(pageKey(request)).toBeUndefined();
  });

  it("has no other value", () => {
    expect(faults("purpose=food&match=all")).toStrictEqual(["match malformed"]);
    expect(faults("match=words&match=words")).toStrictEqual(["match repeated"]);
  });
});

describe("white space around a value", () => {
  it.each([
    ["/v1/history", "funder_ein", "131635294"],
    ["/v1/history", "recipient_ein", "13-1635294,530196605"],
    ["/v1/history", "transaction_year", "2023"],
    ["/v1/history", "recipient_state", "ny"],
    ["/v1/history", "min_amount", "-5.5"],
    ["/v1/history", "match", "words"],
    ["/v1/history", "sort", "amount"],
    ["/v1/history", "limit", "7"],
    ["/v1/history", "offset", "7"],
    ["/v1/history.csv", "excel", "1"],
    ["/v1/history/groups", "by", "funder"],
    ["/v1/recipients/shared", "funders", "131635294,530196605"],
    ["/v1/organizations", "name", "131635294"],
    ["/v1/names", "eins", "131635294,530196605"],
    ["/v1/reconcile/preview", "id", "131635294"],
    ["/v1/recipients/530196605/history", "matched", "only"],
  ])("has no effect in %s on %s", (path, name, value) => {
    const plain = parseRequest(path, encoded(name, value));
    expect(plain.kind).not.toBe("refused");
    for (const around of ["\t", "\u00A0", " \r\n", "\uFEFF"])
      expect(parseRequest(path, encoded(name, around + value + around))).toStrictEqual(plain);
  });

  it("has no effect in a list of EINs either", () => {
    expect(filters(encoded("funder_ein", "564626998, 076358352\u00A0,\t56-4626998"))).toStrictEqual({
      funderEins: ["076358352", "564626998"],
    });
    expect(faults(encoded("funder_ein", "564626998, ,076358352"))).toStrictEqual(["funder_ein malformed"]);
    expect(faults(encoded("funder_ein", "564 626 998"))).toStrictEqual(["funder_ein malformed"]);
  });
});

describe("a value that has the right form but is too large", () => {
  const eins = [1, 2, 3, 4, 5].map((digit) => String(digit).repeat(9)).join();
  it.each([
    ["/v1/grants/9223372036854775808", "", "id"],
    ["/v1/grants/-9223372036854775809", "", "id"],
    [`/v1/grants/${"9".repeat(5000)}`, "", "id"],
    ["/v1/recipients/shared", `funders=${eins}`, "funders"],
  ])("is out of range: %s?%s", (path, query, parameter) => {
    expect(parseRequest(path, query)).toMatchObject({ problems: [{ parameter, code: "out_of_range" }] });
  });
});

describe("limit", () => {
  it.each([
    ["1", 1],
    ["100", 100],
    ["999", 999],
    ["1000", 1000],
    ["0100", 100],
  ])("accepts %s", (value, limit) => {
    expect(accepted(`limit=${value}`).limit).toBe(limit);
  });

  it.each(["0", "-0", "-1", "1001", "5000", "99999999999999999999", "-99999999999999999999"])(
    "is out of range at %s",
    (value) => {
      expect(problems(`limit=${value}`)).toStrictEqual([
        {
          parameter: "limit",
          code: "out_of_range",
          message: `limit must be an integer from 1 to 1000, got "${value}"`,
        },
      ]);
    },
  );

  it.each(["1.0", "1e3", "1e2", "+5", "0x10", "--5", "ten", "NaN", "Infinity", "５", "1,000", "1_000"])(
    "is malformed as %j",
    (value) => {
      expect(problems(encoded("limit", value))).toStrictEqual([
        {
          parameter: "limit",
          code: "malformed",
          message: `limit must be an integer from 1 to 1000, got "${value}"`,
        },
      ]);
    },
  );
});

describe("offset", () => {
  it.each([
    ["0", 0],
    ["-0", 0],
    ["1", 1],
    ["999999999", 999_999_999],
    ["1000000000", 1_000_000_000],
    ["007", 7],
  ])("accepts %s", (value, offset) => {
    expect(accepted(`offset=${value}`).offset).toBe(offset);
  });

  it.each(["-1", "1000000001", "9007199254740993", "99999999999999999999"])(
    "is out of range at %s",
    (value) => {
      expect(problems(`offset=${value}`)).toStrictEqual([
        {
          parameter: "offset",
          code: "out_of_range",
          message: `offset must be an integer from 0 to 1000000000, got "${value}"`,
        },
      ]);
    },
  );

  it.each(["0.0", "1e3", "-", "1e9", "next"])("is malformed as %j", (value) => {
    expect(faults(encoded("offset", value))).toStrictEqual(["offset malformed"]);
  });
});

describe.each([
  ["transaction_year", "transactionYear"],
  ["min_year", "minYear"],
  ["max_year", "maxYear"],
])("%s", (name, key) => {
  it.each([
    ["2023", 2023],
    ["0000", 0],
    ["0987", 987],
    ["9999", 9999],
  ])("accepts the four digits %s", (value, year) => {
    expect(filters(`${name}=${value}`)).toStrictEqual({ [key]: year });
  });

  it.each(["999", "10000", "-2023", "+2023", "2023.0", "2e3", "02023", "20 23", "２０２３", "now"])(
    "is malformed as %j",
    (value) => {
      const message = `${name} must be a year of four digits, got "${value}"`;
      expect(problems(encoded(name, value))).toStrictEqual([{ parameter: name, code: "malformed", message }]);
    },
  );
});

describe.each([
  ["funder_ein", "funderEin"],
  ["recipient_ein", "recipientEin"],
])("%s", (name, key) => {
  it.each(["131635294", "13-1635294"])("reads %s as nine digits", (value) => {
    expect(filters(`${name}=${value}`)).toStrictEqual({ [key]: "131635294" });
  });

  it("keeps leading zeros", () => {
    expect(filters(`${name}=010211513`)).toStrictEqual({ [key]: formatEin(10_211_513) });
  });

  it.each(["13163529", "1316352940", "131-635294", "13--1635294", "13163529X", "131635294.0"])(
    "is malformed as %j",
    (value) => {
      expect(problems(encoded(name, value))).toStrictEqual([
        { parameter: name, code: "malformed", message: `${name} must be nine digits, got "${value}"` },
      ]);
    },
  );
});

describe.each([
  ["min_amount", "minAmountCents"],
  ["max_amount", "maxAmountCents"],
])("%s", (name, key) => {
  it.each([
    ["0", 0n],
    ["-0", 0n],
    ["-0.00", 0n],
    ["5", 500n],
    ["5.0", 500n],
    ["5.5", 550n],
    ["5.05", 505n],
    ["0.01", 1n],
    ["-0.01", -1n],
    ["-1234.5", -123_450n],
    ["0005.50", 550n],
    ["90071992547409.93", 9_007_199_254_740_993n],
    ["9999999999999999.99", 999_999_999_999_999_999n],
    ["-9999999999999999.99", -999_999_999_999_999_999n],
  ])("reads %s to the cent", (value, cents) => {
    expect(filters(`${name}=${value}`)).toStrictEqual({ [key]: cents });
  });

  it.each([
    ["10^16", "10000000000000000", 10n ** 18n],
    ["10^16 and a cent", "10000000000000000.01", 10n ** 18n],
    ["a cent below -10^16", "-10000000000000000.01", -(10n ** 18n)],
    ["5000 digits", "9".repeat(5000), 10n ** 18n],
    ["5000 digits below zero", `-${"9".repeat(5000)}`, -(10n ** 18n)],
  ])("reads %s, beyond every amount, as the largest or smallest bound", (_what, value, cents) => {
    expect(filters(`${name}=${value}`)).toStrictEqual({ [key]: cents });
  });

  it.each([
    "5.",
    ".5",
    "-.5",
    "-",
    "5.123",
    "5.000",
    "1e3",
    "1E3",
    "1,000",
    "$5",
    "+5",
    "0x10",
    "NaN",
    "Infinity",
    "--5",
    "5.5.5",
    "５",
  ])("is malformed as %j", (value) => {
    const message = `${name} must be a decimal number with at most two decimals, got "${value}"`;
    expect(problems(encoded(name, value))).toStrictEqual([{ parameter: name, code: "malformed", message }]);
  });
});

describe.each([
  ["purpose", "purpose"],
  ["recipient_name", "recipientName"],
  ["type", "type"],
])("%s", (name, key) => {
  const read = (value: string) => filters(encoded(name, value));

  it.each([
    ["one letter", "A", "a"],
    ["surrounding white space", "\u3000\t General Support \u00A0\n", "general support"],
    ["inner white space", "a  b", "a  b"],
    ["wildcards", "100%_*", "100%_*"],
    ["signs of URLs", "a&b=c#d?e+f", "a&b=c#d?e+f"],
    ["quotes", `it's "here"`, `it's "here"`],
    ["a letter and its mark", "Cafe\u0301", "café"],
    ["the same letter composed", "CAFÉ", "café"],
  ])("reads %s", (_what, value, text) => {
    expect(read(value)).toStrictEqual({ [key]: text });
  });

  it("reads + as a space", () => {
    expect(filters(`${name}=general+support`)).toStrictEqual({ [key]: "general support" });
  });

  it("accepts a stray percent sign and rejects escapes that are not UTF-8", () => {
    expect(filters(`${name}=100%`)).toStrictEqual({ [key]: "100%" });
    expect(faults(`${name}=%C3`)).toStrictEqual([`${name} malformed`]);
  });

  it.each([
    ["letters", "x"],
    ["letters outside the basic plane", "🌱"],
    ["letters of two characters that compose to one", "e\u0301"],
  ])("accepts 200 %s and refuses 201", (_what, letter) => {
    const canonical = letter.normalize("NFC");
    expect(read(letter.repeat(200))).toStrictEqual({ [key]: canonical.repeat(200) });
    expect(read(`  ${letter.repeat(200)}  `)).toStrictEqual({ [key]: canonical.repeat(200) });
    expect(problems(encoded(name, letter.repeat(201)))).toStrictEqual([
      { parameter: name, code: "out_of_range", message: `${name} must be 1 to 200 characters long, got 201` },
    ]);
  });
});
