// Tests matching of single records. search.properties.test.ts compares it with every other way to answer.
import { describe, expect, it } from "vitest";
import { type Ein, parseEin } from "../../../../api-static/contract/ein.ts";
import { areInRecords, meetsFilters } from "../../../../api-static/contract/filters/table.ts";

const line =
  '{"id":1,"funder_ein":"131635294","transaction_year":2020,"recipient_name":"Straße \\"x\\",\\"amount\\":9.99,","recipient_ein":"530196605",' +
  '"type":null,"amount":-90071992547409.93,"non_cash_amount":null,"non_cash_description":null,"purpose":"FOOD  bank","created_at":"2020-01-01T00:00:00Z"}';

describe("areInRecords", () => {
  it("is false with a filter on a place, which no record's line tells", () => {
    expect(areInRecords({ type: "trust", transactionYear: 2020 })).toBe(true);
    for (const filters of [{ funderState: "NY" }, { recipientState: "NY", type: "trust" }]) {
      expect(areInRecords(filters)).toBe(false);
      expect(meetsFilters(line.replace('"type":null', '"type":"Trust"'), filters)).toBe(true);
    }
  });
});

describe("meetsFilters", () => {
  it.each([
    [{}, true],
    [{ funderEin: parseEin("131635294") }, true],
    [{ funderEin: parseEin("131635295") }, false],
    [{ recipientEin: parseEin("530196605") }, true],
    [{ recipientEin: parseEin("131635295") }, false],
    [{ transactionYear: 2020 }, true],
    [{ transactionYear: 2021 }, false],
    [{ purpose: "d  b" }, true],
    [{ purpose: "d b" }, false],
    [{ purpose: "bank food", isByWords: true }, true],
    [{ purpose: "bank  foods", isByWords: true }, false],
    [{ purpose: "bank food", recipientName: "x straße", isByWords: true }, true],
    [{ purpose: "bank food", recipientName: "x strasse", isByWords: true }, false],
    [{ recipientName: "straße" }, true],
    [{ recipientName: "strasse" }, false],
    [{ minAmountCents: -9007199254740993n }, true],
    [{ minAmountCents: -9007199254740992n }, false],
    [{ maxAmountCents: -9007199254740993n }, true],
    [{ maxAmountCents: -9007199254740994n }, false],
    [{ minAmountCents: -9007199254740993n, maxAmountCents: -9007199254740993n }, true],
    [{ minYear: 2020 }, true],
    [{ minYear: 2021 }, false],
    [{ maxYear: 2020 }, true],
    [{ maxYear: 2019 }, false],
    [{ minYear: 2019, maxYear: 2021 }, true],
    [{ funderEins: ["010211513", "131635294"].map(parseEin) }, true],
    [{ funderEins: ["010211513", "131635295"].map(parseEin) }, false],
    [{ recipientEins: ["010211513", "530196605"].map(parseEin) }, true],
    [{ recipientEins: ["010211513", "131635294"].map(parseEin) }, false],
  ])("of %o is %s", (filters, isMet) => {
    const given = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
    expect(meetsFilters(line, given)).toBe(isMet);
  });

  it("reads the amount of a record only where it is, even if its text has one", () => {
    const texts = line.replace('"type":null', '"type":"\\",\\"amount\\":99.99,"');
    expect(meetsFilters(texts, { minAmountCents: 0n })).toBe(false);
  });

  it.each(["", '"amount":5,', '"amount":5.1,', '"amount":5.123,'])(
    "is an error if the amount of a record is written as %j, which no release does",
    (amount) => {
      const broken = line.replace('"amount":-90071992547409.93,', amount);
      expect(() => meetsFilters(broken, { minAmountCents: 0n })).toThrow("no amount");
      expect(meetsFilters(broken, { transactionYear: 2020 })).toBe(true);
    },
  );

  it("compares the whole type, trimmed and ignoring case", () => {
    const typed = line.replace('"type":null', '"type":" Schedule  Ié "');
    expect(meetsFilters(typed, { type: "schedule  ié" })).toBe(true);
    for (const type of ["schedule", "schedule ié", "schedule  ie"])
      expect(meetsFilters(typed, { type }), type).toBe(false);
  });

  it("never matches null with a filter", () => {
    const absent = line.replace('"FOOD  bank"', "null").replace('"530196605"', "null");
    const recipientEins = ["010211513", "530196605"].map((text) => parseEin(text) as Ein);
    for (const filters of [{ purpose: "n" }, { type: "null" }, { recipientEins }])
      expect(meetsFilters(absent, filters)).toBe(false);
  });
});
