// Tests that texts keep their own ids even if they share a hash.
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parts } from "../../../../api-static/release/layout.ts";
import { openDatabase } from "../../../../pipeline/base/database.ts";
import { type TextHash, textHash } from "../../../../pipeline/parts/index/dictionaries.ts";
import { useFolder } from "../../warehouse/warehouse.fixture.ts";
import { buildIndex } from "./index.fixture.ts";

const folder = useFolder();

/** Texts with capitals are filed in several forms; some records have none. */
const grantsSql = `
CREATE TABLE grants AS
  SELECT i AS id, (100 + i // 50)::UINTEGER AS funder_ein, 2020::USMALLINT AS transaction_year,
    CASE WHEN i % 7 > 0 THEN (CASE WHEN i % 2 = 0 THEN 'School ' ELSE 'SCHOOL ' END) || i % 90 END AS recipient_name,
    NULL::UINTEGER AS recipient_ein, 1::DECIMAL(18,2) AS amount, NULL::DECIMAL(18,2) AS non_cash_amount, NULL::VARCHAR AS type,
    CASE WHEN i % 5 > 0 THEN 'Purpose ' || i % 130 END AS purpose
  FROM range(2000) t(i)`;

/** Writes an index into a folder; returns the bytes of its columns. */
async function writeColumnsWith(hash: TextHash, name: string): Promise<Buffer> {
  const path = join(folder.home, name);
  await mkdir(path);
  const { instance, connection } = await openDatabase({ memory: "1GB", threads: 2, spillFolder: "" });
  await connection.run(grantsSql);
  await buildIndex(connection, path, { hash });
  connection.closeSync();
  instance.closeSync();
  return readFile(join(path, parts.columns));
}

it("gives texts of equal hash their own ids", async () => {
  const expected = await writeColumnsWith(textHash, "expected");
  const byLength = await writeColumnsWith((text) => `length(${text})::UBIGINT`, "length");
  expect(byLength.equals(expected)).toBe(true);
});
