// Owns the tests of the plan of a search: the projection that leaves the fewest rows, and SQL that holds no value.
import { describe, expect, it } from "vitest";
import { formatEin } from "../../../api-static/ein.ts";
import type { Filters } from "../../../api-static/request.ts";
import {
  formatCount,
  formatPage,
  type Known,
  planPage,
  planSearch,
} from "../../../api-static/server/plan.ts";

const ein = formatEin(123_456_789);
const records = 20_000_000;
const found = (records: number) => ({ records, holds: "found" as const });

describe("planSearch", () => {
  it.each<[string, Filters, Known, string, number | undefined]>([
    ["nothing", {}, { records }, "by_rank", records],
    ["a year", { transactionYear: 2020 }, { records }, "by_rank", undefined],
    ["an amount", { minAmountCents: 1n }, { records }, "by_rank", undefined],
    [
      "a funder before all",
      { funderEin: ein, recipientEin: ein, purpose: "x" },
      { records, purpose: found(1) },
      "by_funder",
      undefined,
    ],
    [
      "a recipient before a text",
      { recipientEin: ein, purpose: "x" },
      { records, purpose: found(1) },
      "by_recipient",
      undefined,
    ],
    ["a text, whose total is known", { purpose: "x" }, { records, purpose: found(7) }, "by_purpose", 7],
    [
      "the rarer text",
      { purpose: "x", recipientName: "y" },
      { records, purpose: found(9), recipientName: found(8) },
      "by_recipient_name",
      undefined,
    ],
    [
      "a rare text before a year",
      { purpose: "x", transactionYear: 2020 },
      { records, purpose: found(1_000) },
      "by_purpose",
      undefined,
    ],
    [
      "a year before a frequent text",
      { purpose: "x", transactionYear: 2020 },
      { records, purpose: found(9_000_000) },
      "by_rank",
      undefined,
    ],
  ])("takes %s", (_, filters, known, projection, total) => {
    expect(planSearch(filters, known)).toMatchObject({ projection, total });
  });
});

describe("planPage", () => {
  const frequent = { records, purpose: found(9_000_000) };
  const plan = planSearch({ purpose: "x" }, frequent);

  it("looks for the first pages of a frequent text among the first ranks", () => {
    const page = planPage(plan, frequent, 9_000_000, 100, 0);
    expect(page.plan.projection).toBe("by_rank");
    expect(page.reach).toBeLessThan(records / 100);
  });

  it("orders all records of a rare text", () => {
    const rare = { records, purpose: found(500) };
    const page = planPage(planSearch({ purpose: "x" }, rare), rare, 500, 100, 400);
    expect(page).toMatchObject({ plan: { projection: "by_purpose" }, reach: undefined });
  });

  it("reads a window of a projection in its own order without a bound", () => {
    const known = { records };
    for (const filters of [{}, { transactionYear: 2020 }, { recipientEin: ein, purpose: "x" }])
      expect(planPage(planSearch(filters, known), known, 100, 10, 0).reach).toBeUndefined();
  });
});

describe("the SQL of a plan", () => {
  it("never holds a value, and orders wherever found texts are joined", () => {
    const filters = { purpose: "secret", recipientEin: ein, transactionYear: 1987, minAmountCents: 424_242n };
    const known = { records, purpose: found(5) };
    const plan = planSearch(filters, known);
    const page = formatPage(planPage(plan, known, 5, 100, 0));
    expect(formatCount(plan) + page).not.toMatch(/secret|123456789|1987|424242/);
    expect(page).toContain("ORDER BY place");
  });

  it("orders the rows of a projection by text by their rank", () => {
    const known = { records, purpose: found(5) };
    expect(formatPage(planPage(planSearch({ purpose: "x" }, known), known, 5, 100, 0))).toContain(
      "ORDER BY rank",
    );
  });

  it("leaves the order of a projection that is only scanned as it is", () => {
    const plan = planSearch({ transactionYear: 2020 }, { records });
    expect(formatPage(planPage(plan, { records }, 5, 100, 0))).not.toContain("ORDER BY");
  });
});
