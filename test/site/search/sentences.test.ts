// Tests the sentences about a search, and the looser searches offered when it finds nothing.
import { describe, expect, it } from "vitest";
import type { Query } from "../../../site/src/address/query.ts";
import { countYears, describeNothing, explainSearch, loosen } from "../../../site/src/search/loosened.ts";
import {
  describeOrder,
  describeResult,
  describeSearch,
  listFilters,
} from "../../../site/src/search/sentences.ts";
import { filterSamples } from "../../api-static/filterSamples.ts";

describe("the sentences about a search", () => {
  it.each(filterSamples)("name the value of %s", (_, first, second) => {
    for (const describe of [describeSearch, listFilters, (query: Query) => describeResult(7, query)])
      expect(new Set([{}, first, second].map((query) => describe(query))).size).toBe(3);
  });

  it("describe the results", () => {
    expect(describeResult(48, { purpose: "food", min_amount: "10000" })).toBe(
      "48 grants of $10,000 or more for “food”",
    );
    expect(describeResult(1, { recipient_name: "music", transaction_year: "2018" })).toBe(
      "1 grant to recipients named “music” in 2018",
    );
    expect(describeResult(1723, { funder_ein: "200253310" })).toBe("1,723 grants from EIN 20-0253310");
    expect(
      describeResult(2, { funder_ein: "20-0253310", recipient_ein: "951642394" }, { funder: "Pasadena" }),
    ).toBe("2 grants from Pasadena to EIN 95-1642394");
    expect(describeResult(0, { purpose: "music", transaction_year: "2020" })).toBe(
      "No grants for “music” in 2020",
    );
    expect(describeResult(0, { purpose: "music", min_amount: "2500.50" })).toBe(
      "No grants of $2,500.50 or more for “music”",
    );
  });

  it("name ranges, types and lists of EINs", () => {
    const eins = "200253310,951642394";
    expect(describeResult(2, { purpose: "music", min_year: "2018", type: "990-PF" })).toBe(
      "2 grants for “music” of type “990-PF” since 2018",
    );
    expect(describeResult(2, { funder_ein: eins, min_year: "2018", max_year: "2020" })).toBe(
      "2 grants from any of 2 funders in 2018–2020",
    );
    expect(describeResult(0, { recipient_ein: eins, max_year: "2020", max_amount: "5000" })).toBe(
      "No grants of $5,000 or less to any of 2 recipients until 2020",
    );
    expect(listFilters({ min_year: "2018", min_amount: "1", max_amount: "2", funder_ein: eins })).toBe(
      "Years since 2018, amount $1 to $2, funder any of 2 funders",
    );
  });

  it("name states", () => {
    expect(describeResult(3, { purpose: "music", recipient_state: "ca", funder_state: "NY" })).toBe(
      "3 grants for “music” from funders in New York to recipients in California",
    );
    expect(
      describeResult(3, { recipient_name: "bank", recipient_state: "PR", transaction_year: "2018" }),
    ).toBe("3 grants to recipients named “bank” in Puerto Rico in 2018");
    expect(listFilters({ recipient_state: "CA", min_amount: "5" })).toBe(
      "At least $5, recipients in California",
    );
  });

  it("name the order, which by year depends on whether there is one year", () => {
    expect(describeOrder({ min_amount: "10000" })).toBe("Any year. Newest year first, then largest amount.");
    expect(describeOrder({ transaction_year: "2018" })).toBe("Any amount. Largest amount first.");
    expect(describeOrder({ min_year: "2018", max_amount: "500" })).toBe(
      "Newest year first, then largest amount.",
    );
    expect(describeOrder({ sort: "amount" })).toBe("Any amount, any year. Largest amount first.");
  });

  it("explain why nothing was found", () => {
    const both = { purpose: "music", transaction_year: "2020" };
    const alone = "Each filter finds grants on its own, but no grant passes both.";
    expect(describeNothing(both, [11, 9])).toBe(alone);
    expect(describeNothing(both, [11, 0])).toBe("No grant passes these filters.");
    expect(describeNothing(both, [11, undefined])).toBe("No grant passes these filters.");
    expect(describeNothing({ ...both, min_amount: "5" }, [1, 1, 1])).toBe("No grant passes these filters.");
    expect(describeNothing({ purpose: "xyz" }, [])).toMatch(/^No purpose/);
  });
});

describe("the note below an empty result", () => {
  it("explains the filters that were set, and no others", () => {
    expect(explainSearch({ purpose: "food bank" })).toMatch(/^A purpose is searched letter for letter/);
    expect(explainSearch({ recipient_name: "food bank", match: "words" })).toMatch(
      /^Each word of a recipient’s name is searched letter for letter/,
    );
    expect(explainSearch({ recipient_ein: "951642394" })).toBe(
      "Many grants are filed without their recipient’s EIN, so also try its name.",
    );
    expect(explainSearch({ min_amount: "5", transaction_year: "2020" })).toBe("");
  });
});

describe("a search by words", () => {
  const query = { purpose: "youth mentoring", match: "words" };

  it("quotes each word", () => {
    expect(describeResult(3, query)).toBe("3 grants for “youth” and “mentoring”");
    expect(describeNothing(query, [])).toBe("No purpose in the data contains all of these words.");
  });

  it("stays one when it is loosened, as long as it has words", () => {
    const loosened = loosen({ ...query, transaction_year: "2020" });
    expect(loosened.map((each) => each.query)).toStrictEqual([
      query,
      { transaction_year: "2020" },
      { recipient_name: "youth mentoring", match: "words" },
    ]);
    expect(loosened[2]?.text).toBe("recipients named “youth” and “mentoring”, in any year");
  });
});

describe("loosened searches", () => {
  it("remove one filter each, and look for the words in names", () => {
    expect(loosen({ purpose: "music", transaction_year: "2020", offset: "100" })).toStrictEqual([
      { query: { purpose: "music" }, text: "“music” in any year", removed: "years" },
      { query: { transaction_year: "2020" }, text: "any purpose in 2020", removed: "purpose" },
      {
        query: { recipient_name: "music" },
        text: "recipients named “music”, in any year",
        removed: undefined,
      },
    ]);
  });

  it("are at most four, beside the words in the other field", () => {
    const all = {
      purpose: "music",
      transaction_year: "2020",
      min_amount: "10000",
      funder_ein: "200253310",
      recipient_ein: "951642394",
    };
    const loosened = loosen(all);
    expect(loosened.map(({ removed }) => removed)).toStrictEqual([
      "years",
      "amounts",
      "recipient_ein",
      "funder_ein",
      undefined,
    ]);
    expect(loosened[2]?.text).toBe("“music” from EIN 20-0253310 to any recipient in 2020 of $10,000 or more");
  });

  it("lose both ends of a range at once", () => {
    const ranges = { min_year: "2018", max_year: "2020", min_amount: "1", max_amount: "5", type: "990-PF" };
    expect(loosen(ranges).map(({ text }) => text)).toStrictEqual([
      "grants of type “990-PF” in any year of $1 to $5",
      "grants of type “990-PF” in 2018–2020 of any amount",
      "grants of any type in 2018–2020 of $1 to $5",
    ]);
  });

  it("have any state", () => {
    const states = loosen({ funder_state: "NY", recipient_state: "CA" });
    expect(states.map(({ query, text }) => [query, text])).toStrictEqual([
      [{ funder_state: "NY" }, "grants from funders in New York to recipients in any state"],
      [{ recipient_state: "CA" }, "grants from funders in any state to recipients in California"],
    ]);
    expect(describeNothing({ recipient_state: "ZZ" }, [])).toBe(
      "No recipient in the data is known to be in this state.",
    );
    expect(explainSearch({ recipient_state: "ZZ" })).toMatch(/whose state is known/);
  });

  it("never become all grants", () => {
    expect(loosen({ transaction_year: "2020" })).toStrictEqual([]);
    expect(loosen({ purpose: "x" }).map(({ query }) => query)).toStrictEqual([{ recipient_name: "x" }]);
  });
});

describe("the years of a loosened search", () => {
  it("have every year of the data, with 0 where it has no grants", () => {
    const grants = [{ transaction_year: 2015 }, { transaction_year: 2018 }, { transaction_year: 2018 }];
    expect(countYears(grants, 2014, 2018)).toStrictEqual([
      { year: 2014, value: 0 },
      { year: 2015, value: 1 },
      { year: 2016, value: 0 },
      { year: 2017, value: 0 },
      { year: 2018, value: 2 },
    ]);
  });
});

describe("filters in words", () => {
  it("are listed in the order of their fields", () => {
    expect(listFilters({ purpose: "Food", min_amount: "10000", transaction_year: "2016" })).toBe(
      "Year 2016, at least $10,000, purpose contains “Food”",
    );
    expect(listFilters({ recipient_name: "food bank", match: "words" })).toBe(
      "Recipient contains “food” and “bank”",
    );
  });
});
