// Owns the tests of the plan of a search: the way that looks at the fewest rows.
import { describe, expect, it } from "vitest";
import { formatEin } from "../../../api-static/ein.ts";
import type { Filters } from "../../../api-static/request.ts";
import { type Known, planSearch } from "../../../api-static/server/plan.ts";

const ein = formatEin(123_456_789);
const all = { first: 0, records: 20_000_000 };
const year = { first: 3_000_000, records: 1_500_000 };
const found = (records: number) => ({ records, holds: "found" as const });

describe("planSearch", () => {
  it.each<[string, Filters, Omit<Known, "all">, number, object]>([
    ["a window of all", {}, {}, 5, { way: "window", ranks: all }],
    ["a window of a year", { transactionYear: 2020 }, { year }, 5, { way: "window", ranks: year }],
    [
      "a list by rank for an amount",
      { minAmountCents: 1n },
      {},
      0,
      { way: "list", projection: "by_rank", hasText: false },
    ],
    [
      "the funder's records before all",
      { funderEin: ein, recipientEin: ein, purpose: "x" },
      { purpose: found(1) },
      0,
      { way: "list", projection: "by_funder", hasText: true },
    ],
    [
      "the recipient's records before a text's",
      { recipientEin: ein, purpose: "x" },
      { purpose: found(1) },
      0,
      { way: "list", projection: "by_recipient", hasText: true },
    ],
    [
      "the order of a rare text, whose total is known",
      { purpose: "x" },
      { purpose: found(7) },
      0,
      { way: "order", projection: "by_purpose", total: 7 },
    ],
    [
      "the rarer text",
      { purpose: "x", recipientName: "y" },
      { purpose: found(9), recipientName: found(8) },
      0,
      { way: "order", projection: "by_recipient_name", total: undefined },
    ],
    [
      "the top of all for a frequent text",
      { purpose: "x" },
      { purpose: found(9_000_000) },
      1_000,
      { way: "top", total: 9_000_000, reach: 2 ** 15 },
    ],
    [
      "chunks for a frequent text's last pages",
      { purpose: "x" },
      { purpose: found(900_000) },
      800_000,
      { way: "chunks", projection: "by_purpose" },
    ],
    [
      "chunks of the first ranks for a page deep in a frequent text",
      { purpose: "x" },
      { purpose: found(9_000_000) },
      1_000_000,
      { way: "chunks", projection: "by_rank", total: 9_000_000, reach: 2 ** 22 },
    ],
    [
      "a year's chunks before those of a text that is more frequent",
      { purpose: "x", transactionYear: 2020 },
      { year, purpose: found(9_000_000) },
      0,
      { way: "chunks", projection: "by_rank", rows: year.records },
    ],
    [
      "a text's chunks before those of a year with more records",
      { purpose: "x", transactionYear: 2020 },
      { year, purpose: found(1_000_000) },
      0,
      { way: "chunks", projection: "by_purpose" },
    ],
  ])("takes %s", (_, filters, known, offset, plan) => {
    expect(planSearch(filters, { all, ...known }, 100, offset)).toMatchObject(plan);
  });

  it("puts every filter into the conditions, and no value into SQL", () => {
    const filters = {
      recipientEin: ein,
      transactionYear: 1987,
      minAmountCents: 424_242n,
      purpose: "secret",
      recipientName: "hidden",
    };
    const known = { all, year, purpose: found(5), recipientName: { records: 6, holds: "others" as const } };
    const plan = planSearch(filters, known, 100, 0);
    expect(plan).toHaveProperty("where", [
      "recipient_ein = $recipientEin",
      "transaction_year = $transactionYear",
      "amount_cents >= $minAmountCents",
      "purpose IN (SELECT id FROM found_purposes)",
      expect.stringContaining("NOT EXISTS (SELECT id FROM found_recipient_names"),
    ]);
    expect(JSON.stringify(plan)).not.toMatch(/secret|hidden|123456789|1987|424242/);
  });

  it("looks through few sizes of reach, each a statement of its own", () => {
    const reaches = new Set(
      Array.from({ length: 2_000 }, (_, page) =>
        planSearch({ purpose: "x" }, { all, purpose: found(8e6) }, 1000, page * 1000),
      ).map((plan) => (plan.way === "top" ? plan.reach : 0)),
    );
    expect(reaches.size).toBeLessThan(12);
  });
});
