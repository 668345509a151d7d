// Opens the page of a funder with 200,000 grants, and reaches its last grant.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDatabase, sqlText } from "../../../pipeline/base/database.ts";
import { columnTypes } from "../../warehouseColumns.ts";
import { hasChromium, useSite } from "../browser.fixture.ts";

const records = 200_000;
const ein = "131635294";
const folder = await mkdtemp(join(tmpdir(), "large-"));
const warehouse = join(folder, "grants.parquet");

/** Writes a warehouse in which one funder has all grants. */
async function writeLarge(): Promise<void> {
  const { instance, connection } = await openDatabase({
    memory: "1GB",
    threads: 2,
    spillFolder: join(folder, "spill"),
  });
  const values: Readonly<Record<string, string>> = {
    id: "range",
    funder_ein: `'${ein}'`,
    transaction_year: "2010 + range % 14",
    recipient_name: "'Recipient ' || range % 5000",
    recipient_ein: "lpad(CAST(range % 5000 AS VARCHAR), 9, '9')",
    type: "'Schedule I'",
    amount: "range % 100000 + 1",
    purpose: "'Purpose ' || range % 1000",
    created_at: "TIMESTAMP '2024-01-01'",
  };
  const columns = Object.entries(columnTypes).map(
    ([name, type]) => `CAST(${values[name] ?? "NULL"} AS ${type}) AS ${name}`,
  );
  await connection.run(
    `COPY (SELECT ${columns.join(", ")} FROM range(${records})) TO '${sqlText(warehouse)}' (FORMAT parquet)`,
  );
  connection.closeSync();
  instance.closeSync();
}

describe.runIf(hasChromium)("a funder with 200,000 grants", () => {
  beforeAll(writeLarge);
  afterAll(() => rm(folder, { recursive: true, force: true }));
  const site = useSite({ warehouse, name: "large" });

  it("shows its newest grants, its totals, and its last page", async () => {
    const { page, expectClean } = await site().visit(`/funder?ein=${ein}`);
    await page.waitForSelector("table.grants");
    expect(await page.locator("table.grants tbody tr").count()).toBe(100);
    await page.getByText("in 200,000 grants").waitFor();
    await page.getByRole("link", { name: "2,000", exact: true }).click();
    await page.getByText("199,901–200,000 of 200,000").waitFor();
    expect(await page.locator("table.grants tbody tr").last().textContent()).toMatch(/^2010\$1Recipient 0/);
    await expectClean();
  });
});
