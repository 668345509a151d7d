// Tests that an amount of a return means what the same text means in a warehouse.

import { listValue } from "@duckdb/node-api";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readAmount } from "../../../pipeline/irs/values.ts";
import { centsOfText } from "../../../pipeline/warehouse/normalize.ts";
import { close, type Database, openSmallDatabase } from "../warehouse/warehouse.fixture.ts";

let database: Database;

beforeAll(async () => {
  database = await openSmallDatabase();
});

afterAll(() => close(database));

/** The amounts as a warehouse reads them, e.g., "500.00", and as a return does. */
async function readBoth(texts: readonly string[]) {
  const found = await database.connection.runAndReadAll(
    `SELECT ${centsOfText("text")}::VARCHAR FROM (SELECT unnest($texts::VARCHAR[]) AS text)`,
    { texts: listValue([...texts]) },
  );
  const asDecimal = (text: string) => {
    const amount = readAmount(text, () => undefined);
    if (amount === null) return null;
    const [whole = "", decimals = ""] = amount.split(".");
    return `${whole.replace(/^(-?)0+(?=\d)/, "$1")}.${decimals.padEnd(2, "0")}`.replace("-0.00", "0.00");
  };
  return { warehouse: found.getRows().map(([amount]) => amount), irs: texts.map(asDecimal) };
}

describe("an amount", () => {
  it.each([
    ["500.", "500.00"],
    [".50", "0.50"],
    ["1234.5000", "1234.50"],
    ["1234.567", "1234.57"],
    ["-0.005", "-0.01"],
    ["+500", "500.00"],
    ["00000500", "500.00"],
    ["1E5", "100000.00"],
    ["1.5e-1", "0.15"],
    ["9999999999999999.994", "9999999999999999.99"],
    ["9999999999999999.995", null],
    ["99999999999999999", null],
    ["12,345", null],
    ["$500", null],
    ["(500)", null],
    ["500-", null],
    ["- 500", null],
    ["0x10", null],
    ["١٢", null],
    [".", null],
    ["e5", null],
    ["1_000", null],
    ["1e3.", null],
    ["0e99", "0.00"],
  ])("%j is %j in a return and in a warehouse", async (text, amount) => {
    expect(await readBoth([text])).toEqual({ warehouse: [amount], irs: [amount] });
  });

  it("is read alike for any text", async () => {
    const piece = fc.string({
      unit: fc.constantFrom(..."0001234567899..-+e_ ,"),
      minLength: 1,
      maxLength: 12,
    });
    const texts = fc
      .sample(piece, 5_000)
      .map((text) => text.trim())
      .filter((text) => text !== "");
    const { warehouse, irs } = await readBoth(texts);
    expect(texts.map((text, index) => [text, irs[index]])).toEqual(
      texts.map((text, index) => [text, warehouse[index]]),
    );
  });
});
