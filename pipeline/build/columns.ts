// Writes `index.columns`, in which searches find records and texts. docs/text-index.md describes every column.
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { textColumns, type YearRanks } from "../../api-static/release/columns.ts";
import { type Dictionary, dictionaries, parts } from "../../api-static/release/layout.ts";
import { countRows, integersOf, streamChunks } from "../database.ts";
import { ColumnFile, fillColumns, fillStarts } from "./columnFile.ts";
import { writeWords } from "./words.ts";

/** SQL of a text's id, of type INTEGER. A record without a text has the number of texts, which no text has. */
const textSql = ({ column, texts }: Dictionary) =>
  `coalesce(${column}, (SELECT count(*) FROM ${texts}))::INTEGER`;

const bothTexts = `${textSql(dictionaries.purpose)}, ${textSql(dictionaries.recipientName)}`;

/** The columns of one order: the name of each, and a statement that gives their values. */
type Order = { readonly names: readonly string[]; readonly from: string; readonly sql: string };

/** Ranks and positions are of type INTEGER: their 32 bits are the same as those of unsigned integers below 2^31. */
const orders: readonly Order[] = [
  {
    names: ["position.rank", "position.purpose", "position.recipient_name"],
    from: "",
    sql: `SELECT rank::INTEGER, ${bothTexts} FROM ranked_keys ORDER BY position`,
  },
  {
    names: ["recipient.rank", "recipient.position", "recipient.purpose", "recipient.recipient_name"],
    from: "WHERE recipient_ein IS NOT NULL",
    sql: `SELECT rank::INTEGER, position::INTEGER, ${bothTexts} FROM ranked_keys
      WHERE recipient_ein IS NOT NULL ORDER BY recipient_ein, rank`,
  },
  ...(["purpose", "recipientName"] as const).map((filter) => {
    const { column } = dictionaries[filter];
    const other = dictionaries[filter === "purpose" ? "recipientName" : "purpose"];
    return {
      names: [`${column}.rank`, `${column}.other`],
      from: `WHERE ${column} IS NOT NULL`,
      sql: `SELECT rank::INTEGER, ${textSql(other)} FROM ranked_keys
        WHERE ${column} IS NOT NULL ORDER BY ${column}, rank`,
    };
  }),
];

/**
 * Writes `index.columns` into `folder`, from the tables `ranked_keys` (every record by rank) and of the texts. The same tables
 * give the same bytes. Memory is bounded: DuckDB sorts, and rows are streamed.
 */
export async function writeColumns(
  connection: DuckDBConnection,
  folder: string,
  onProgress: (fraction: number) => void,
): Promise<void> {
  const file = new ColumnFile(join(folder, parts.columns));
  try {
    const records = await countRows(connection, "ranked_keys");
    const years = await writeRanks(connection, file, records);
    await writeRecipients(connection, file);
    for (const [index, { names, from, sql }] of orders.entries()) {
      const length = from === "" ? records : await countRows(connection, `ranked_keys ${from}`);
      const columns = names.map((name) => file.add(name, length));
      await fillColumns(connection, sql, columns);
      onProgress((index + 1) / (orders.length + 2));
    }
    for (const [index, dictionary] of Object.values(dictionaries).entries()) {
      const starts = file.add(
        `${dictionary.column}.start`,
        (await countRows(connection, dictionary.texts)) + 1,
      );
      await fillStarts(connection, `SELECT records::INTEGER FROM ${dictionary.texts} ORDER BY id`, starts);
      await writeWords(connection, file, dictionary);
      onProgress((orders.length + index + 1) / (orders.length + 2));
    }
    file.end({ records, years });
  } catch (error) {
    file.close();
    throw error;
  }
}

/** Writes the columns by rank; returns the ranks of each year, newest first. */
async function writeRanks(
  connection: DuckDBConnection,
  file: ColumnFile,
  records: number,
): Promise<YearRanks[]> {
  const names = ["rank.position", ...Object.values(textColumns).map((column) => `rank.${column}`)];
  await fillColumns(
    connection,
    `SELECT position::INTEGER, ${bothTexts}, amount_cents FROM ranked_keys ORDER BY rank`,
    [...names.map((name) => file.add(name, records)), file.add("rank.amount", records, 8)],
  );
  const counted = await connection.runAndReadAll(`SELECT transaction_year, min(rank)::DOUBLE, count(*)::DOUBLE
    FROM ranked_keys GROUP BY transaction_year ORDER BY transaction_year DESC`);
  return counted
    .getRows()
    .map(([year, first, count]) => ({ year: Number(year), first: Number(first), records: Number(count) }));
}

/** Writes the recipients' EINs in order, and where the rows of each start. */
async function writeRecipients(connection: DuckDBConnection, file: ColumnFile): Promise<void> {
  const sql = `SELECT recipient_ein::INTEGER, count(*)::INTEGER FROM ranked_keys
    WHERE recipient_ein IS NOT NULL GROUP BY recipient_ein ORDER BY recipient_ein`;
  await connection.run(`CREATE TABLE recipients AS ${sql}`);
  const count = await countRows(connection, "recipients");
  const eins = file.add("recipient.ein", count);
  const starts = file.add("recipient.start", count + 1);
  let sum = 0;
  starts.push(0);
  for await (const chunk of streamChunks(connection, "FROM recipients")) {
    eins.pushAll(integersOf(chunk, 0));
    for (const records of integersOf(chunk, 1)) {
      sum += records;
      starts.push(sum);
    }
  }
  eins.end();
  starts.end();
  await connection.run("DROP TABLE recipients");
}
