// Tests the search form's fields: they read an address, and send nothing that the API refuses.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Problem } from "../../../api-static/contract/errors.ts";
import {
  type AttributeName,
  type AttributeRow,
  attributeFilters,
} from "../../../api-static/contract/filters/attributes.ts";
import { parameterNames, readParameter } from "../../../api-static/contract/parameters.ts";
import { parseRequest } from "../../../api-static/contract/request.ts";
import { formatQuery, readPageQuery } from "../../../site/src/address/query.ts";
import { type Fields, readFields, withWords, writeFields } from "../../../site/src/search/fields.ts";
import { explain, explainEin } from "../../../site/src/text/problems.ts";

/** A value for each attribute, by name. */
function byName<Value>(make: (filter: AttributeRow) => Value): Record<AttributeName, Value> {
  return Object.fromEntries(attributeFilters.map((filter) => [filter.name, make(filter)])) as Record<
    AttributeName,
    Value
  >;
}

const empty: Fields = {
  scope: "purpose",
  purpose: "",
  recipient_name: "",
  min_year: "",
  max_year: "",
  ...byName(() => ""),
  min_amount: "",
  max_amount: "",
  sort: "",
  funder_ein: "",
  recipient_ein: "",
  limit: "",
};

const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 250 }),
  fc.stringMatching(/^ ?\d{2}[-– ]?\d{5,8} ?$/),
  fc.stringMatching(/^[-−]?\$? ?\d{1,4}([, '.]\d{1,3}){0,3}$/),
  fc.constantFrom("", " ", "2018", "10,000", "10k", "1e5", "\0", "%", "+", "&a=b", "\ud800"),
);
const anyFields: fc.Arbitrary<Fields> = fc.record({
  scope: fc.constantFrom("purpose" as const, "recipient_name" as const),
  purpose: anyText,
  recipient_name: anyText,
  min_year: anyText,
  max_year: anyText,
  ...byName(({ name }) => (name === "type" ? anyText : fc.constant(""))),
  min_amount: anyText,
  max_amount: anyText,
  sort: fc.oneof(anyText, fc.constantFrom("year", "amount")),
  funder_ein: anyText,
  recipient_ein: anyText,
  limit: anyText,
});

describe("the address of a page", () => {
  it("may have any unknown parameter, e.g., of an advertiser, which the page ignores", () => {
    const tracking = "msclkid=abc&gad_source=1&_hsenc=%FF&emci=&utm_source=x&utm_source=again&purpos=y";
    expect(readPageQuery(`?${tracking}`, parameterNames)).toStrictEqual({ query: {}, problems: [] });
    const unknown = fc.string().filter((name) => !parameterNames.includes(name));
    fc.assert(
      fc.property(unknown, fc.string(), (name, value) => {
        const search = `?${new URLSearchParams([
          ["purpose", "food"],
          [name, value],
        ])}&${tracking}`;
        expect(readPageQuery(search, parameterNames)).toStrictEqual({
          query: { purpose: "food" },
          problems: [],
        });
      }),
    );
  });
});

describe("the problem of a parameter", () => {
  it("never lists the parameters of the API, also if an older server does not know one", () => {
    const fault = readParameter(["purpose", "sort"], "funder_state", ["CA"], {});
    expect(fault?.message).toContain("purpose, sort");
    expect(explain({ parameter: "funder_state", ...fault } as Problem, "CA")).toBe(
      "This filter isn’t available here.",
    );
  });
});

describe("the fields of the search form", () => {
  it("hold chosen values as the API writes them, and others as they are", () => {
    const query = { funder_state: "ny", recipient_cause: "a68", accepts: "unstated" };
    const fields = readFields(query);
    expect(fields).toMatchObject({ funder_state: "NY", recipient_cause: "A68", accepts: "unstated" });
    expect(writeFields(fields)).toEqual({
      query: { funder_state: "NY", recipient_cause: "A68", accepts: "unstated" },
      problems: {},
    });
    expect(readFields({ funder_state: "n.y.", accepts: "maybe" })).toMatchObject({
      funder_state: "n.y.",
      accepts: "maybe",
    });
    expect(writeFields({ ...fields, accepts: "maybe" }).problems).toHaveProperty("accepts");
  });

  it("become a query that the API accepts, whatever they hold", () => {
    fc.assert(
      fc.property(anyFields, (fields) => {
        const { query } = writeFields(fields);
        expect(parseRequest("/v1/history", formatQuery(query))).toMatchObject({ kind: "history" });
      }),
      { numRuns: 300 },
    );
  });

  it("hold a problem or are sent: no text is dropped silently", () => {
    fc.assert(
      fc.property(anyFields, (fields) => {
        const { query, problems } = writeFields(fields);
        const { scope: _, min_year, max_year, ...named } = fields;
        const isOneYear = min_year.trim() === max_year.trim();
        const years = isOneYear ? { transaction_year: min_year } : { min_year, max_year };
        for (const [name, text] of Object.entries({ ...named, ...years }))
          expect(name in query || name in problems, name).toBe(text.trim() !== "");
      }),
    );
  });

  it("come back from the address that they made", () => {
    fc.assert(
      fc.property(anyFields, (fields) => {
        const { query } = writeFields(fields);
        const read = readPageQuery(formatQuery(query), parameterNames);
        expect(read.problems).toStrictEqual([]);
        expect(writeFields(readFields(read.query)).query).toStrictEqual(query);
      }),
      { numRuns: 200 },
    );
  });

  it("have one space between words, and search for all words", () => {
    const { query } = writeFields({ ...empty, purpose: " food \t bank ", recipient_name: "Los  Angeles\n" });
    expect(query).toStrictEqual({ purpose: "food bank", recipient_name: "Los Angeles", match: "words" });
    expect(writeFields({ ...empty, purpose: " food " }).query).toStrictEqual({ purpose: "food" });
  });

  it("lose the separators of an amount, but no decimal comma", () => {
    const write = (min_amount: string) => writeFields({ ...empty, min_amount });
    expect(write("10,000").query).toStrictEqual({ min_amount: "10000" });
    expect(write("$ 1 234 567.50").query).toStrictEqual({ min_amount: "1234567.50" });
    expect(write("−2,500").query).toStrictEqual({ min_amount: "-2500" });
    for (const text of ["10,50", "10k", "1,00,000", "ten"])
      expect(write(text)).toStrictEqual({
        query: {},
        problems: { min_amount: "An amount is a number of dollars, for example 10,000 or 2,500.50." },
      });
  });

  it("take an EIN with any hyphen or space, and count the digits of another", () => {
    for (const funder_ein of ["131635294", " 13-1635294 ", "13–1635294", "13 1635294"])
      expect(writeFields({ ...empty, funder_ein }).query).toStrictEqual({ funder_ein: "131635294" });
    expect(writeFields({ ...empty, recipient_ein: "20-02533" }).problems).toStrictEqual({
      recipient_ein: "An EIN has nine digits, for example 13-1635294. You entered seven.",
    });
    expect(writeFields({ ...empty, funder_ein: "Ford" }).problems.funder_ein).toBe(explainEin("Ford"));
    expect(explainEin("1234567890")).toMatch(/You entered 10\.$/);
    expect(explainEin("Ford")).not.toContain("You entered");
  });

  it("take a pasted list of EINs, whatever separates them, even nothing where a field dropped the line breaks", () => {
    const lists = [
      "13-1635294, 20-0253310",
      "131635294\n200253310\n",
      "13–1635294; 200253310;",
      "13-163529420-0253310",
    ];
    for (const recipient_ein of lists)
      expect(writeFields({ ...empty, recipient_ein }).query).toStrictEqual({
        recipient_ein: "131635294,200253310",
      });
    expect(readFields({ recipient_ein: "131635294,200253310" }).recipient_ein).toBe("13-1635294, 20-0253310");
    expect(writeFields({ ...empty, funder_ein: "131635294, 20025331, 0123456789" }).problems).toStrictEqual({
      funder_ein: "An EIN has nine digits, for example 13-1635294. Separate several by commas.",
    });
    const many = Array.from({ length: 51 }, (_, index) => String(200_000_000 + index)).join(" ");
    expect(writeFields({ ...empty, funder_ein: many }).problems).toStrictEqual({
      funder_ein: "Use at most 50 EINs. You entered 51.",
    });
  });

  it("send two equal years as one, and a range in order only", () => {
    const write = (min_year: string, max_year: string) => writeFields({ ...empty, min_year, max_year });
    expect(write("2018", "2018").query).toStrictEqual({ transaction_year: "2018" });
    expect(write("2018", "").query).toStrictEqual({ min_year: "2018" });
    expect(write("2018", "2020").query).toStrictEqual({ min_year: "2018", max_year: "2020" });
    expect(write("2020", "2018").problems).toStrictEqual({ max_year: "The last year is before the first." });
    expect(writeFields({ ...empty, min_amount: "2", max_amount: "1.50" })).toStrictEqual({
      query: { min_amount: "2" },
      problems: { max_amount: "The maximum is less than the minimum." },
    });
  });

  it("have the words of either parameter in the box, and a purpose if an address has both", () => {
    expect(readFields({ recipient_name: "bank" })).toMatchObject({
      ...empty,
      scope: "recipient_name",
      recipient_name: "bank",
    });
    const both = { purpose: "food", recipient_name: "bank" };
    expect(readFields({ ...both, min_amount: "10000" })).toStrictEqual({
      ...empty,
      ...both,
      min_amount: "10,000",
    });
  });

  it("move the words of the box to another scope, in place of what was there", () => {
    const both = { ...empty, purpose: "food", recipient_name: "bank" };
    expect(withWords(both, { scope: "recipient_name", words: "food" })).toStrictEqual({
      ...empty,
      scope: "recipient_name",
      recipient_name: "food",
    });
    expect(withWords(both, { scope: "purpose", words: "music" })).toStrictEqual({
      ...both,
      purpose: "music",
    });
  });
});
