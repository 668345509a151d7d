// Tests the sentences on how a funder gives.
import { expect, it } from "vitest";
import type { FunderSummary } from "../../../site/src/api/client.ts";
import { causesSentence, habitSentences } from "../../../site/src/text/habits.ts";

const habits = {
  quartiles: [5_000, 10_000, 25_000],
  new_recipients: [
    { transaction_year: 2019, recipients: 48, new: 12 },
    { transaction_year: 2018, recipients: 30, new: 30 },
  ],
  first_grants: { median: 7_500 },
  in_state: { records: 31, amount: 620_000 },
  payout: [{ tax_year: 2018, share: 0.0512 }],
};

type Changes = Partial<FunderSummary["habits"]>;

const textsOf = (changes: Changes, first_year = 2018) =>
  habitSentences({
    amount: 1_000_000,
    first_year,
    last_year: 2019,
    years: [{}, {}],
    habits: { ...habits, ...changes },
  } as FunderSummary);

it("has one sentence for each habit", () => {
  expect(textsOf({})).toStrictEqual([
    "It made grants in each of the 2 years from 2018 to 2019.",
    "Half of its grants are from $5,000 to $25,000; the middle one is $10,000.",
    "In 2019, 12 of 48 recipients were new.",
    "Half of its first grants to a recipient are $7,500 or less.",
    "To its own state: $620,000 (62%) in 31 grants.",
    "In the tax year 2018 it paid out 5% of its assets.",
  ]);
});

it("says nothing of what is unknown, nor of new recipients in the first year of the data", () => {
  expect(textsOf({ quartiles: [], in_state: null, payout: [] }, 2019)).toStrictEqual([
    "All of its grants in this data are of 2019.",
  ]);
  expect(textsOf({ quartiles: [], in_state: null, payout: [], new_recipients: [] }, 2015)).toStrictEqual([
    "It made grants in 2 of the 5 years from 2015 to 2019.",
  ]);
});

it("names the causes with a tenth of the dollars or more, and how much has none", () => {
  const group = (cause: string | null, amount: number) => ({ cause, amount });
  expect(
    causesSentence([group(null, 500), group("B", 300), group("E", 150), group("A", 45), group("C", 5)]),
  ).toBe(
    "Of dollars whose cause is known, 60% went to Education and 30% to Health Care; of 50% it isn’t known.",
  );
  expect(causesSentence([group("B", 10)])).toBe("Of dollars whose cause is known, 100% went to Education.");
  expect(causesSentence([group(null, 10)])).toBe("");
  expect(causesSentence([])).toBe("");
});
