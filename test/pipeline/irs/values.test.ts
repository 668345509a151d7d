// Tests that an amount of a return means what the same text means in a warehouse.

import { listValue } from "@duckdb/node-api";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readAmount, readDate, readInstant } from "../../../pipeline/irs/values.ts";
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

describe("a time of filing", () => {
  it.each([
    ["2023-05-01T12:00:00-05:00", "2023-05-01T17:00:00Z"],
    ["2023-05-01t12:00:00z", "2023-05-01T12:00:00Z"],
    ["20230501T120000Z", "2023-05-01T12:00:00Z"],
    ["2023-05-01 12:00 UTC", "2023-05-01T12:00:00Z"],
    ["2023-05-01 12:00:00.5 +0200", "2023-05-01T10:00:00.500Z"],
    ["2023-05-01", "2023-05-01T00:00:00Z"],
    ["23-05-01", null],
    ["2023-05-01T12:00:00+25:00", null],
    ["2023-0501", null],
    ["2023-02-29T12:00:00Z", null],
  ])("%s is %s", (text, instant) => {
    expect(readInstant(text, () => undefined)).toBe(instant);
    expect(readDate(text, () => undefined)).toBe(
      instant === null && !text.includes("+25") ? null : "2023-05-01",
    );
  });

  it("may be a day in basic form", () => {
    expect(
      ["20221231", "2022-12-31-05:00", "20220230", "2022-1231", "202212311"].map((day) =>
        readDate(day, () => undefined),
      ),
    ).toEqual([...["2022-12-31", "2022-12-31"], ...[null, null, null]]);
  });
});
