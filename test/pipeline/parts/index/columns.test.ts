// Tests with random tables that the index finds the records that DuckDB finds, in the same order.
import { mkdir, mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { resultOrderSql } from "../../../../api-static/contract/record.ts";
import { canonicalText, canonicalTextSql } from "../../../../api-static/contract/text.ts";
import { Columns, type TextFilter, textColumns } from "../../../../api-static/release/columns.ts";
import { parts } from "../../../../api-static/release/layout.ts";
import { hasBit } from "../../../../api-static/search/bits.ts";
import { Texts } from "../../../../api-static/search/texts.ts";
import { openDatabase } from "../../../../pipeline/base/database.ts";
import { writeIndex } from "../../../../pipeline/parts/index/projections.ts";
import { text } from "../../../api-static/contract/arbitraries.ts";
import { proofs } from "../../../proofs.ts";
import { useFolder } from "../../warehouse/warehouse.fixture.ts";

const folder = useFolder();

/** Texts as a sync files them: trimmed, not empty, without NUL. */
const filed = fc
  .oneof(text, fc.constantFrom("of the arts", "The  Arts", "the arts of the arts", "\uFEFF the"))
  .map((value) => value.replaceAll("\0", "").trim())
  .filter((value) => value !== "");

/** Rows with few different texts, and pieces of these to search for. */
const table = fc.array(filed, { minLength: 1, maxLength: 6 }).chain((pool) => {
  const one = fc.option(fc.constantFrom(...pool));
  const pattern = fc
    .tuple(fc.constantFrom(...pool), fc.nat(30), fc.integer({ min: 1, max: 30 }))
    .map(([whole, from, length]) =>
      canonicalText([...canonicalText(whole)].slice(from, from + length).join("")),
    );
  const year = fc.integer({ min: 2019, max: 2021 });
  return fc.record({
    rows: fc.array(fc.tuple(fc.nat(3), year, fc.nat(2), one, one), { minLength: 1, maxLength: 40 }),
    searches: fc.array(fc.tuple(pattern, pattern), { minLength: 1, maxLength: 20 }),
  });
});

type Table = typeof table extends fc.Arbitrary<infer Value> ? Value : never;

it("finds the records whose texts contain the patterns, in result order", async () => {
  const check = async ({ rows, searches }: Table) => {
    await mkdir(folder.home, { recursive: true });
    const path = await mkdtemp(join(folder.home, "index-"));
    const { instance, connection } = await openDatabase({ memory: "1GB", threads: 1, spillFolder: "" });
    await connection.run(`CREATE TABLE drawn (id BIGINT, funder_ein UINTEGER, transaction_year USMALLINT, amount DECIMAL(18,2),
      recipient_name VARCHAR, purpose VARCHAR, recipient_ein UINTEGER, non_cash_amount DECIMAL(18,2))`);
    for (const [id, [funder, year, amount, name, purpose]] of rows.entries())
      await connection.run(
        "INSERT INTO drawn VALUES ($id, $funder, $year, $amount, $name, $purpose, NULL, NULL)",
        { id, funder: funder + 1, year, amount, name, purpose },
      );
    await connection.run(`CREATE TABLE grants AS FROM drawn ORDER BY funder_ein, ${resultOrderSql}`);
    await writeIndex(connection, path, () => {});
    const columns = Columns.open(join(path, parts.columns));
    for (const [purpose, recipientName] of searches) {
      const patterns = { purpose, recipientName };
      const conditions = Object.entries(textColumns).map(
        ([filter, column]) =>
          `($${filter} = '' OR coalesce(contains(${canonicalTextSql(column)}, $${filter}), false))`,
      );
      const expected = await connection.runAndReadAll(
        `SELECT rowid::INTEGER FROM grants WHERE ${conditions.join(" AND ")} ORDER BY ${resultOrderSql}`,
        patterns,
      );
      expect(findPositions(columns, patterns), JSON.stringify(patterns)).toEqual(
        expected.getRows().map(([position]) => position),
      );
    }
    columns.close();
    connection.closeSync();
    instance.closeSync();
  };
  await fc.assert(fc.asyncProperty(table, check), { numRuns: proofs.anyIndexes });
});

/** Positions of the records that have both patterns, by the columns of the index. An empty pattern is no filter. */
function findPositions(columns: Columns, patterns: Readonly<Record<TextFilter, string>>): number[] {
  const filters = (Object.keys(textColumns) as TextFilter[])
    .filter((filter) => patterns[filter] !== "")
    .map((filter) => {
      const { bits } = new Texts(columns, filter).find(patterns[filter], () => {});
      return { bits, ids: columns.column(`rank.${textColumns[filter]}`) };
    });
  const positions = columns.column("rank.position");
  const ranks = Array.from({ length: columns.header.records }, (_, rank) => rank);
  return ranks
    .filter((rank) => filters.every(({ bits, ids }) => hasBit(bits, ids.at(rank))))
    .map((rank) => positions.at(rank));
}
