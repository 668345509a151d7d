// Tests the sentences on an organization's page.

import { describe, expect, it } from "vitest";
import { searchCall } from "../../../site/src/api/calls.ts";
import type { FunderSummary, RecipientSummary } from "../../../site/src/api/client.ts";
import { findCurrent } from "../../../site/src/api/useCall.ts";
import {
  filteredSentence,
  funderSentence,
  repeatedSentence,
} from "../../../site/src/organization/funderSentences.ts";
import { recipientSentence } from "../../../site/src/organization/recipientSentences.ts";
import { organizationTitle } from "../../../site/src/organization/sentences.ts";
import { newestOf } from "../../../site/src/text/numbers.ts";
import { formatPieces } from "./pieces.fixture.ts";

const band = (from: number | null, below: number | null, records: number) => ({
  from,
  below,
  records,
  amount: records,
});

const summary = {
  funder_ein: "200253310",
  records: 1_723,
  amount: 31_135_042,
  first_year: 2010,
  last_year: 2018,
  sizes: [band(null, 0, 0), band(0, 1_000, 202), band(1_000, 10_000, 777), band(10_000, null, 744)],
  largest_grant: { amount: 2_576_721 },
  non_cash: { records: 0, amount: 0 },
  individuals: { records: 0, amount: 0 },
  passed_on: { records: 0, amount: 0 },
  donor_advised: { records: 0, amount: 0 },
} as unknown as FunderSummary;

const few = (changes: object) => ({ ...summary, ...changes }) as FunderSummary;

describe("a funder's sentence", () => {
  it("has the total, the years, the usual size and the largest grant", () => {
    expect(formatPieces(funderSentence(summary))).toBe(
      "Gave $31.1 million in 1,723 grants from 2010 to 2018. The usual grant is $1,000 to $9,999 (45% of grants); the largest was $2,576,721.",
    );
    expect(funderSentence(summary)).toContainEqual({
      text: "$2,576,721",
      href: "/funder?ein=200253310&min_amount=2576721",
    });
    expect(organizationTitle("Pasadena", summary, false)).toBe(
      "Pasadena: 1,723 grants, $31.1 million – Grant History",
    );
    expect(organizationTitle("Pasadena", summary, false, { purpose: "food" })).toBe(
      "Pasadena: grants made for “food” – Grant History",
    );
  });

  it("has the usual size in lower case", () => {
    const small = few({ sizes: [band(0, 1_000, 3)] });
    expect(formatPieces(funderSentence(small))).toContain("The usual grant is under $1,000 (100% of grants)");
  });

  it("is shorter for few grants", () => {
    const two = few({ records: 2, last_year: 2010, sizes: [band(0, 1_000, 1), band(1_000, null, 1)] });
    expect(formatPieces(funderSentence(two))).toBe(
      "Gave $31.1 million in 2 grants in 2010. The largest was $2,576,721.",
    );
    const one = few({ records: 1, last_year: 2010, sizes: [band(0, 1_000, 1)] });
    expect(formatPieces(funderSentence(one))).toBe("Gave $31.1 million in 1 grant in 2010.");
  });

  it("notes that a negative sum is net of corrections", () => {
    expect(formatPieces(funderSentence(few({ amount: -5_000 })))).toMatch(
      /^Gave −\$5,000 net of corrections in 1,723 grants/,
    );
  });
});

describe("the sentence on repeated grants", () => {
  const repeated = (...years: [year: number, records: number, amount: number, filings?: number][]) => {
    const sum = (column: 1 | 2) => years.reduce((total, year) => total + year[column], 0);
    const listed = years.map(([transaction_year, records, amount, filings = 2]) => ({
      ...{ transaction_year, records, amount, filings },
    }));
    return repeatedSentence(few({ repeated: { records: sum(1), amount: sum(2), years: listed } }));
  };

  it("has the grants, their year and their sum, and the total without them", () => {
    expect(repeated([2015, 137, 2_798_959])).toBe(
      "137 grants of 2015 ($2.8 million) appear in two filings. Without the repeats, the total is $28.3 million in 1,586 grants.",
    );
    expect(repeated([2015, 1, 500])).toBe(
      "1 grant of 2015 ($500) appears in two filings. Without the repeats, the total is $500 less in 1,722 grants.",
    );
  });

  it("names up to three years, and joins more", () => {
    const years = [2018, 2016, 2015, 2012].map((year) => [year, 2, 500] as [number, number, number]);
    expect(repeated(...years.slice(0, 3))).toMatch(
      /^2 grants of 2018 \(\$500\), 2 grants of 2016 \(\$500\), and 2 grants of 2015 \(\$500\) appear in two filings\. /,
    );
    expect(repeated(...years)).toMatch(/^8 grants of 2012 to 2018 \(\$2,000\) appear in two filings\. /);
  });

  it("does not say two filings if there are more", () => {
    expect(repeated([2015, 2, 500, 3])).toMatch(
      /^2 grants of 2015 \(\$500\) repeat grants of other filings\. /,
    );
    expect(repeated([2016, 1, 50], [2015, 2, 500, 3])).toContain(" repeat grants of other filings. ");
  });

  it("is missing if there are none", () => {
    expect(repeated()).toBeUndefined();
  });
});

describe("a funder's sentence about what is no cash grant to one recipient", () => {
  it("has the value of non-cash support beside the cash", () => {
    const giving = few({ amount: 2_500_000, records: 19, non_cash: { records: 3, amount: 4_672_740 } });
    expect(formatPieces(funderSentence(giving))).toMatch(
      /^Gave \$2\.5 million in 19 grants from 2010 to 2018, plus \$4\.7 million non-cash in 3 of them\. The usual/,
    );
  });

  it("has totals over people, and money to grantmakers and to donor-advised funds, at its end", () => {
    const individuals = { records: 13, amount: 2_500_000 };
    const passed_on = { records: 1, amount: 40_000 };
    const donor_advised = { records: 2, amount: 10_000 };
    expect(formatPieces(funderSentence(few({ individuals, passed_on, donor_advised })))).toMatch(
      / To individuals: \$2\.5 million in 13 kinds of aid\. To organizations that make grants themselves: \$40,000 in 1 grant\. To organizations with donor-advised funds: \$10,000 in 2 grants\.$/,
    );
  });

  it("names no largest grant if there are only totals over people", () => {
    const people = few({ records: 13, sizes: [], individuals: { records: 13, amount: 31_135_042 } });
    expect(formatPieces(funderSentence(people))).not.toContain("largest");
  });
});

describe("the sentence about the filtered grants of a funder", () => {
  it("has the sum, the count, the recipients and the filters", () => {
    const non_cash = { records: 0, amount: 0 };
    const totals = { amount: 1_234_567, records: 48, funders: 1, recipients: 20, non_cash };
    expect(filteredSentence({ min_year: "2016", min_amount: "10000" }, totals)).toBe(
      "$1.2 million in 48 grants to 20 recipients: years since 2016, at least $10,000.",
    );
    expect(filteredSentence({}, { ...totals, non_cash: { records: 2, amount: 1_500 } })).toMatch(
      /^\$1\.2 million in 48 grants to 20 recipients, plus \$1,500 non-cash in 2 of them:/,
    );
    expect(filteredSentence({ purpose: "music" }, { ...totals, amount: -5, records: 1, recipients: 0 })).toBe(
      "−$5 net of corrections in 1 grant: purpose contains “music”.",
    );
  });
});

describe("an answer", () => {
  it("never describes the rows of an earlier call", () => {
    const call = searchCall({ purpose: "food" });
    const progress = (state: string, href: string) =>
      ({ state, found: { href, body: "rows" } }) as unknown as Parameters<typeof findCurrent>[0];
    expect(findCurrent(progress("found", call.href), call as never)).toBe("rows");
    expect(findCurrent(progress("found", `/r/20261120T040000Z${call.href}`), call as never)).toBe("rows");
    expect(findCurrent(progress("asking", call.href), call as never)).toBeUndefined();
    expect(findCurrent(progress("found", "/v1/history?purpose=music"), call as never)).toBeUndefined();
  });
});

const received = {
  records: 40,
  amount: 2_621_063,
  funders: 5,
  non_cash: { records: 0, amount: 0, share: 0 },
  first_year: 2010,
  last_year: 2018,
  top_funders: [{ amount: 2_401_886 }, { amount: 163_177 }],
} as RecipientSummary;

const textOf = (changes: Partial<RecipientSummary>) =>
  formatPieces(recipientSentence({ ...received, ...changes }));

describe("a recipient's sentence", () => {
  it("has the total, the number of funders, and whether one gave most", () => {
    expect(textOf({})).toBe(
      "Received $2.6 million in 40 grants from 5 funders, 2010 to 2018. One funder gave 92% of it.",
    );
    expect(organizationTitle("USC", received, false)).toBe(
      "USC: 40 grants received, $2.6 million – Grant History",
    );
  });

  it("has likely grants apart, if they are shown", () => {
    const matched = { records: 31, amount: 400_000 } as RecipientSummary["matched"];
    const summary = { ...received, funders: 1, matched };
    expect(formatPieces(recipientSentence(summary))).not.toContain("likely");
    expect(formatPieces(recipientSentence(summary, true))).toMatch(/ 31 more, \$400,000, are likely\.$/);
    const only = { ...summary, records: 0, amount: 0, first_year: null, last_year: null };
    expect(formatPieces(recipientSentence(only, true))).toBe(
      "No grant names this EIN. 31 grants, $400,000, are likely.",
    );
    expect(organizationTitle("USC", only, false)).toBe("USC: 31 likely grants received – Grant History");
  });

  it("omits the share of a single funder, a smaller share, and one with larger corrections", () => {
    expect(textOf({ funders: 1 })).toBe("Received $2.6 million in 40 grants from one funder, 2010 to 2018.");
    expect(textOf({ amount: 2_401_887 })).toMatch(/One funder gave nearly all of it\.$/);
    expect(textOf({ amount: 24_000_000 })).not.toMatch(/One funder/);
    expect(textOf({ amount: 1_000_000 })).not.toMatch(/One funder/);
    expect(textOf({ amount: -1 })).toMatch(/^Received −\$1 net of corrections/);
  });

  it("mentions that a part covers only the newest grants", () => {
    expect(newestOf(1_000, 41_204)).toBe("Of the newest 1,000 of 41,204 grants. ");
    expect(newestOf(40, 40)).toBe("");
  });
});
