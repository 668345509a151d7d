// Tests which searches verification draws from records.
import { expect, it } from "vitest";
import { meetsFilters } from "../../../api-static/contract/matching.ts";
import { drawSearches } from "../../../pipeline/verify/drawnSearches.ts";

const lines = [1, 2, 3].map(
  (id) =>
    `{"id":${id},"funder_ein":"10000000${id}","transaction_year":202${id},"recipient_name":"Friends of ${id}","recipient_ein":"20000000${id}","type":" Type ${id}","amount":${id}.25,"non_cash_amount":null,"non_cash_description":null,"purpose":"For the arts ${id}","created_at":"2026-11-20T04:00:00Z"},\n`,
);
const records = { readLines: ([position = 0]: readonly number[]) => Buffer.from(lines[position] ?? "") };

/** The last record has no known places. */
const placesAt = (position: number) =>
  position === 2 ? {} : { funderState: "NY", recipientState: position === 0 ? "CA" : "TX" };

const draw = () => drawSearches(records, lines.length, "seed", 1_000, placesAt) ?? [];

it("draws every filter, in searches that mostly match a record", () => {
  const drawn = draw();
  const names = new Set(drawn.flatMap(({ filters }) => Object.keys(filters)));
  expect([...names].sort()).toEqual([
    ...["funderEin", "funderEins", "funderState", "maxAmountCents", "maxYear", "minAmountCents", "minYear"],
    ...[
      "purpose",
      "recipientEin",
      "recipientEins",
      "recipientName",
      "recipientState",
      "transactionYear",
      "type",
    ],
  ]);
  const states = new Set(drawn.flatMap(({ filters }) => filters.recipientState ?? []));
  expect([...states].sort()).toEqual(["CA", "TX"]);
  const matched = drawn.filter(({ filters }) =>
    lines.some((line) => meetsFilters(line.slice(0, line.lastIndexOf(",")), filters)),
  );
  expect(matched.length).toBeGreaterThan(drawn.length / 2);
});

it("draws lists of two or more different EINs, in order", () => {
  const drawn = draw();
  for (const { filters } of drawn)
    for (const eins of [filters.funderEins, filters.recipientEins].filter((list) => list !== undefined)) {
      expect(eins.length).toBeGreaterThan(1);
      expect(eins).toEqual([...new Set(eins)].sort());
    }
});
