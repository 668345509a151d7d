// Tests that sums of hashes notice values that were swapped between rows.
import { expect, it } from "vitest";
import { rowHashSql } from "../../../pipeline/releases/funderDigests.ts";
import { close, openSmallDatabase } from "../warehouse/warehouse.fixture.ts";

it("changes a sum if two rows swap their last values, whichever two of 300,000 they are", async () => {
  const database = await openSmallDatabase();
  try {
    const hashAt = (time: string) => `${rowHashSql(`id, TIMESTAMP '${time}'`)}::HUGEINT`;
    // Two rows could swap these times without a change of the sum if the times make the same difference in both.
    const alike = await database.connection.runAndReadAll(`
      SELECT count(*) - count(DISTINCT ${hashAt("2026-11-20 04:00:00")} - ${hashAt("2026-11-21 04:00:00")})
      FROM range(300000) rows(id)`);
    expect(alike.getRowsJson()).toEqual([["0"]]);
  } finally {
    close(database);
  }
});
