// Tests that the plan of a search reads the fewest rows.
import { describe, expect, it } from "vitest";
import { formatEin } from "../../../api-static/contract/ein.ts";
import type { Filters } from "../../../api-static/contract/filters.ts";
import { type Known, planCount, planPage } from "../../../api-static/search/plan.ts";

const ein = formatEin(123_456_789);
const all = { first: 0, records: 20_000_000 };
const year = { first: 3_000_000, records: 1_500_000 };
const found = (records: number) => ({ records, holds: "found" as const });

describe("planCount", () => {
  it.each<[string, Filters, Omit<Known, "all">, number | object]>([
    ["knows the total of all", {}, {}, all.records],
    ["knows a year's total", { transactionYear: 2020 }, { year }, year.records],
    ["knows a text's total", { purpose: "x" }, { purpose: found(7) }, 7],
    ["counts by rank for an amount", { minAmountCents: 1n }, {}, { projection: "by_rank" }],
    [
      "counts the funder's records before all",
      { funderEin: ein, recipientEin: ein, purpose: "x" },
      { purpose: found(1) },
      { projection: "by_funder" },
    ],
    [
      "counts the recipient's records before a text's",
      { recipientEin: ein, purpose: "x" },
      { purpose: found(1) },
      { projection: "by_recipient" },
    ],
    [
      "counts the rarer text",
      { purpose: "x", recipientName: "y" },
      { purpose: found(9), recipientName: found(8) },
      { projection: "by_recipient_name" },
    ],
    [
      "counts a year before a text that is more frequent",
      { purpose: "x", transactionYear: 2020 },
      { year, purpose: found(9_000_000) },
      { projection: "by_rank" },
    ],
    [
      "counts a text before a year with more records",
      { purpose: "x", transactionYear: 2020 },
      { year, purpose: found(1_000_000) },
      { projection: "by_purpose" },
    ],
  ])("%s", (_, filters, known, count) => {
    const planned = planCount(filters, { all, ...known });
    if (typeof count === "number") expect(planned).toBe(count);
    else expect(planned).toMatchObject(count);
  });
});

describe("planPage", () => {
  it.each<[string, Filters, Omit<Known, "all">, number, number, object]>([
    ["a window of all", {}, {}, all.records, 5, { way: "window", ranks: all }],
    [
      "a window of a year",
      { transactionYear: 2020 },
      { year },
      year.records,
      5,
      { way: "window", ranks: year },
    ],
    [
      "a list by rank for an amount",
      { minAmountCents: 1n },
      {},
      9_000_000,
      0,
      { way: "list", projection: "by_rank", hasText: false },
    ],
    [
      "a list of the funder's records",
      { funderEin: ein, recipientEin: ein, purpose: "x" },
      { purpose: found(1) },
      1,
      0,
      { way: "list", projection: "by_funder", hasText: true },
    ],
    [
      "the order of a rare text",
      { purpose: "x" },
      { purpose: found(7) },
      7,
      0,
      { way: "order", projection: "by_purpose" },
    ],
    [
      "the order of the few that are found of many",
      { purpose: "x", minAmountCents: 1n },
      { purpose: found(9_000_000) },
      90,
      0,
      { way: "order", projection: "by_purpose" },
    ],
    [
      "the top of all for a frequent text",
      { purpose: "x" },
      { purpose: found(9_000_000) },
      9_000_000,
      1_000,
      { way: "top", ranks: all, depth: 2 ** 15 },
    ],
    [
      "the top of a year for a frequent text",
      { purpose: "x", transactionYear: 2020 },
      { year, purpose: found(9_000_000) },
      900_000,
      0,
      { way: "top", ranks: year, depth: 2 ** 15 },
    ],
    [
      "chunks for a frequent text's last pages",
      { purpose: "x" },
      { purpose: found(900_000) },
      900_000,
      800_000,
      { way: "chunks", projection: "by_purpose" },
    ],
    [
      "chunks of the first ranks for a page deep in a frequent text",
      { purpose: "x" },
      { purpose: found(9_000_000) },
      9_000_000,
      1_000_000,
      { way: "chunks", projection: "by_rank", depth: 3_333_667 },
    ],
    [
      "chunks of a year for its last pages",
      { purpose: "x", transactionYear: 2020 },
      { year, purpose: found(9_000_000) },
      900_000,
      800_000,
      { way: "chunks", projection: "by_rank", ranks: year },
    ],
  ])("takes %s", (_, filters, known, total, offset, plan) => {
    expect(planPage(filters, { all, ...known }, total, 100, offset)).toMatchObject(plan);
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
    const plan = planPage(filters, known, 5, 100, 0);
    expect(plan).toHaveProperty("where", [
      "recipient_ein = getvariable('recipientEin')",
      "transaction_year = getvariable('transactionYear')",
      "amount_cents >= getvariable('minAmountCents')",
      "purpose IN (SELECT id FROM found_purposes)",
      expect.stringContaining("NOT EXISTS (SELECT id FROM found_recipient_names"),
    ]);
    expect(JSON.stringify(plan)).not.toMatch(/secret|hidden|123456789|1987|424242/);
  });
});
