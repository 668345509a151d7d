// Tests amounts: cents and decimal text convert exactly, at any size, in JavaScript and SQL.
import { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { centsSql, formatCents, parseCents } from "../../../../api-static/contract/text/amount.ts";

describe("an amount", () => {
  it("survives formatting and parsing", () => {
    fc.assert(
      fc.property(fc.bigInt(), (cents) => {
        expect(formatCents(cents)).toMatch(/^-?(0|[1-9]\d*)\.\d\d$/);
        expect(parseCents(formatCents(cents))).toBe(cents);
      }),
    );
  });

  it.each([
    [0n, "0.00"],
    [-5n, "-0.05"],
    [10n, "0.10"],
    [-123_450n, "-1234.50"],
    [999_999_999_999_999_999n, "9999999999999999.99"],
  ])("of %d cents is %s", (cents, text) => {
    expect(formatCents(cents)).toBe(text);
  });

  it.each([
    ["5", 500n],
    ["5.1", 510n],
    ["-0", 0n],
    ["007.05", 705n],
  ])("%s is read as %d cents", (text, cents) => {
    expect(parseCents(text)).toBe(cents);
  });

  it("has the same cents in SQL as in JavaScript", async () => {
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    const most = 10n ** 18n - 1n;
    const cents = fc.oneof(fc.bigInt({ min: -1000n, max: 1000n }), fc.bigInt({ min: -most, max: most }));
    await fc.assert(
      fc.asyncProperty(fc.array(cents, { minLength: 1 }), async (column) => {
        const rows = [...column, most, -most].map((each) => `('${formatCents(each)}'::DECIMAL(18,2))`);
        const result = await connection.runAndReadAll(
          `SELECT typeof(${centsSql("amount")}), ${centsSql("amount")} FROM (VALUES ${rows.join(", ")}) amounts(amount)`,
        );
        expect(result.getRows()).toEqual([...column, most, -most].map((each) => ["BIGINT", each]));
      }),
    );
  });

  it.each(["", "-", "+5", "1.234", "1.", ".5", "1e3", "1,000", " 1", "NaN", "٣"])(
    "does not parse from %j",
    (text) => {
      expect(parseCents(text)).toBeUndefined();
    },
  );
});
