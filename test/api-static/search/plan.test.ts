// Tests that the plan of a search reads the fewest rows.
import { describe, expect, it } from "vitest";
import { formatEin } from "../../../api-static/contract/ein.ts";
import type { Filters } from "../../../api-static/contract/filters.ts";
import { type Known, planCount, planPage, planWalk } from "../../../api-static/search/plan.ts";

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
      "a list of the recipient's records without a text",
      { recipientEin: ein },
      {},
      1,
      0,
      { way: "list", projection: "by_recipient", hasText: false },
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

  const few = { first: 0, records: 40_000 };
  const chunks = { way: "chunks", projection: "by_purpose" };

  it.each<[string, number, number, number, object]>([
    ["orders up to 30,000 rows of a text", 30_000, 30_000, 0, { way: "order", projection: "by_purpose" }],
    ["counts more rows of a text in chunks", 30_001, 30_001, 0, { ...chunks, rows: 30_001 }],
    ["orders up to 30,000 matches", 30_001, 30_000, 0, { way: "order", projection: "by_purpose" }],
    ["skips up to 20,000 rows", 9_000_000, 9_000_000, 20_000, { way: "top", depth: 67_000 }],
    ["skips no more", 9_000_000, 9_000_000, 20_001, { way: "chunks", projection: "by_rank", rows: 67_004 }],
  ])("%s", (_, rows, total, offset, plan) => {
    expect(planPage({ purpose: "x" }, { all, purpose: found(rows) }, total, 100, offset)).toMatchObject(plan);
  });

  it.each([
    [32_768, { ...chunks, rows: 32_768, depth: 32_768 }],
    [32_769, { way: "top", ranks: few, depth: 32_768 }],
  ])("reads the ranks only if they are fewer than the %d rows of a text", (rows, plan) => {
    expect(planPage({ purpose: "x" }, { all: few, purpose: found(rows) }, rows, 100, 0)).toMatchObject(plan);
  });

  it("takes a text's rows if the year has as many", () => {
    const known = { all, year: few, purpose: found(few.records) };
    expect(planCount({ purpose: "x", transactionYear: 2020 }, known)).toHaveProperty(
      "projection",
      "by_purpose",
    );
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

describe("planWalk", () => {
  it.each<[string, Filters, string, readonly string[]]>([
    ["the funder's records", { funderEin: ein, recipientEin: ein }, "by_funder", ["funder_ein"]],
    [
      "the recipient's records",
      { recipientEin: ein, transactionYear: 2020 },
      "by_recipient",
      ["recipient_ein"],
    ],
    ["all records", { transactionYear: 2020, minAmountCents: 1n }, "by_rank", []],
  ])("runs through %s with conditions for every filter", (_, filters, projection, run) => {
    const walk = planWalk(filters, { all });
    expect(walk.projection).toBe(projection);
    expect(walk.where).toHaveLength(Object.keys(filters).length);
    expect(walk.run.map((condition) => condition.split(" ")[0])).toStrictEqual(run);
  });
});
