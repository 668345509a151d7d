// Tests the sentences on how a funder gives.
import { expect, it } from "vitest";
import type { FunderSummary } from "../../../site/src/api/client.ts";
import { habitSentences } from "../../../site/src/organization/habits.tsx";

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
  habitSentences({ amount: 1_000_000, first_year, habits: { ...habits, ...changes } } as FunderSummary);

it("has one sentence for each habit", () => {
  expect(textsOf({})).toStrictEqual([
    "Half of its grants are from $5,000 to $25,000; the middle one is $10,000.",
    "In 2019, 12 of 48 recipients were new.",
    "Half of its first grants to a recipient are $7,500 or less.",
    "To its own state: $620,000 (62%) in 31 grants.",
    "In the tax year 2018 it paid out 5% of its assets.",
  ]);
});

it("says nothing of what is unknown, nor of new recipients in the first year of the data", () => {
  expect(textsOf({ quartiles: [], in_state: null, payout: [] }, 2019)).toStrictEqual([]);
});
