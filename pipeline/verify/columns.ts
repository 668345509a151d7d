// Verifies `index.columns` against the tables of the index: every row of every order, in its place.
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { type Column, Columns, type TextFilter, textColumns } from "../../api-static/release/columns.ts";
import { dictionaries, parts } from "../../api-static/release/layout.ts";
import { BlockThreads, withThreads } from "../base/blocks.ts";
import { integersOf, streamChunks } from "../base/database.ts";
import { allEnded } from "../base/parallel.ts";
import { type GroupTotals, sumGroups } from "./groups.ts";
import { RowSum } from "./rowSum.ts";
import { findWordProblems, readWords } from "./words.ts";

/** SQL of a text's id in the columns. */
const textSql = (filter: TextFilter) =>
  `coalesce(${dictionaries[filter].column}, (SELECT count(*) FROM ${dictionaries[filter].texts}))::INTEGER`;

const bothTexts = `${textSql("purpose")}, ${textSql("recipientName")}`;

const bothNames = Object.values(textColumns);

/** Values of a column that take about as long to check as the start of a thread. */
const fewValues = 200_000;

/** Columns by recipient, and a statement whose rows must equal them, in order. */
const byRecipient = {
  names: ["recipient.position", "recipient.purpose", "recipient.recipient_name"],
  sql: `SELECT position::INTEGER, ${bothTexts} FROM by_recipient`,
};

/** The recipient of each row of `by_recipient`. */
const recipientsSql = "SELECT recipient_ein::INTEGER FROM by_recipient";

/** Columns of the first row of each text, and a statement for the rows of the texts, in order. */
const starts: Readonly<Record<string, string>> = {
  "purpose.start": "SELECT records::INTEGER FROM purposes",
  "recipient_name.start": "SELECT records::INTEGER FROM recipient_names",
};

/** What the columns by position and by rank have of each record, in order of position, and its id. */
const recordsSql = `
SELECT ${bothTexts}, amount_cents, transaction_year::INTEGER, (recipient_ein IS NOT NULL)::INTEGER, id FROM by_funder`;

/** Sums of the rows of each order. */
const newSums = () => ({
  position: new RowSum(),
  texts: new RowSum(),
  amount: new RowSum(),
  recipient: new RowSum(),
  purpose: new RowSum(),
  recipient_name: new RowSum(),
});

type Sums = ReturnType<typeof newSums>;

/** The columns whose rows have a sum by rank. */
const rankSums = [
  ["position", "rank.position, position.rank or the years of the header"],
  ["texts", "values of rank.purpose or rank.recipient_name"],
  ["amount", "values of rank.amount"],
] as const;

/** True if a column does not have this value in a row, which it may not have at all. */
function differs(column: Column, row: number, value: number): boolean {
  return row >= column.length || column.at(row) !== value;
}

/** True if a 64-bit integer is less than another, by their places. The lower half of each comes first. */
function isLess(integers: Int32Array, one: number, other: number): boolean {
  const [high, otherHigh] = [integers[2 * one + 1] as number, integers[2 * other + 1] as number];
  if (high !== otherHigh) return high < otherHigh;
  return (integers[2 * one] as number) >>> 0 < (integers[2 * other] as number) >>> 0;
}

/**
 * Finds differences between the columns and the tables of the index.
 * @param connection whose current database is the index
 */
export async function findColumnProblems(connection: DuckDBConnection, folder: string): Promise<string[]> {
  const path = join(folder, parts.columns);
  const columns = Columns.open(path);
  try {
    const words = await readWords(connection, path);
    const isLarge = Object.values(columns.header.columns).some(({ length }) => length > fewValues);
    const found = await withThreads(new BlockThreads(isLarge ? 1 : 0), (threads) => {
      const checks = [findWordProblems(words, threads), sumGroups(path, threads)] as const;
      return allEnded(findRecordProblems(connection, columns, checks[1]), ...checks);
    });
    const [ofRecords, ofWords] = found;
    return [...ofRecords, ...ofWords].map((problem) => `${parts.columns}: ${problem}`);
  } finally {
    columns.close();
  }
}

async function findRecordProblems(
  connection: DuckDBConnection,
  columns: Columns,
  groups: Promise<GroupTotals>,
): Promise<string[]> {
  const check = new ColumnCheck(columns);
  try {
    await check.compareRows(connection, byRecipient.names, byRecipient.sql);
    await check.compareRecipients(connection);
    for (const [name, sql] of Object.entries(starts)) await check.compareStarts(connection, name, sql);
    const sums = await check.compareRecords(connection);
    check.compareGroups(sums, await groups);
    return check.problems;
  } catch (error) {
    // A column that is missing, or an id that is none, is a difference as well.
    if (!(error instanceof RangeError)) throw error;
    return [...check.problems, error.message];
  }
}

class ColumnCheck {
  readonly problems: string[] = [];
  readonly #columns: Columns;

  constructor(columns: Columns) {
    this.#columns = columns;
  }

  /** Compares columns with the rows of a statement, value by value. */
  async compareRows(connection: DuckDBConnection, names: readonly string[], sql: string): Promise<void> {
    const columns = names.map((name) => this.#columns.column(name));
    const differences = names.map(() => 0);
    let rows = 0;
    for await (const chunk of streamChunks(connection, sql)) {
      for (const [index, column] of columns.entries()) {
        const expected = integersOf(chunk, index);
        const values = column.slice(rows, Math.min(column.length, rows + expected.length));
        let found = 0;
        for (let row = 0; row < expected.length; row++) if (values[row] !== expected[row]) found += 1;
        differences[index] = (differences[index] ?? 0) + found;
      }
      rows += chunk.rowCount;
    }
    for (const [index, column] of columns.entries())
      this.#report(names[index] ?? "", (differences[index] ?? 0) + Math.max(0, column.length - rows));
  }

  /** Compares the recipients' EINs, and where the rows of each start, with the rows, which lie by recipient. */
  async compareRecipients(connection: DuckDBConnection): Promise<void> {
    const eins = this.#columns.column("recipient.ein");
    const first = this.#columns.column("recipient.start");
    let [recipients, row, last, wrongEins, wrongStarts] = [0, 0, -1, 0, 0];
    for await (const chunk of streamChunks(connection, recipientsSql))
      for (const ein of integersOf(chunk, 0)) {
        if (ein !== last) {
          wrongEins += Number(differs(eins, recipients, ein));
          wrongStarts += Number(differs(first, recipients, row));
          recipients += 1;
          last = ein;
        }
        row += 1;
      }
    wrongStarts += Number(differs(first, recipients, row));
    this.#report("recipient.ein", wrongEins + Math.max(0, eins.length - recipients));
    this.#report("recipient.start", wrongStarts + Math.max(0, first.length - recipients - 1));
  }

  /** Compares a column with the sums of a statement's only column. */
  async compareStarts(connection: DuckDBConnection, name: string, sql: string): Promise<void> {
    const column = this.#columns.column(name);
    let [row, sum, differences] = [0, 0, 0];
    const compare = () => {
      differences += Number(differs(column, row, sum));
      row += 1;
    };
    compare();
    for await (const chunk of streamChunks(connection, sql))
      for (const value of integersOf(chunk, 0)) {
        sum += value;
        compare();
      }
    this.#report(name, differences + Math.max(0, column.length - row));
  }

  /**
   * Compares the columns by position with all records. The other orders must then have the same rows: a record's rank is known from
   * `position.rank`, so the sums of all rows are compared, and no record is sorted.
   */
  async compareRecords(connection: DuckDBConnection): Promise<Sums> {
    const names = ["position.purpose", "position.recipient_name"];
    const [purposes, recipientNames, ranks] = [...names, "position.rank"].map((name) =>
      this.#columns.column(name),
    ) as [Column, Column, Column];
    const ids = new Int32Array(2 * ranks.length); // the lower half of each id first
    const sums = newSums();
    const counts = { purpose: this.#count("purpose"), recipient_name: this.#count("recipient_name") };
    let [position, differences] = [0, 0];
    for await (const chunk of streamChunks(connection, recordsSql)) {
      const valuesOf = (index: number) => integersOf(chunk, index);
      const [ofPurpose, ofName, ofAmount] = [valuesOf(0), valuesOf(1), valuesOf(2)];
      const [ofYear, ofRecipient] = [valuesOf(3), valuesOf(4)];
      const stop = position + ofPurpose.length;
      const [purposeIds, nameIds] = [purposes.slice(position, stop), recipientNames.slice(position, stop)];
      const rankOf = ranks.slice(position, stop);
      ids.set(valuesOf(5), 2 * position);
      for (let row = 0; row < ofPurpose.length; row++, position++) {
        const purpose = ofPurpose[row] as number;
        const name = ofName[row] as number;
        const rank = rankOf[row] as number;
        if (purposeIds[row] !== purpose || nameIds[row] !== name) differences += 1;
        sums.position.add(rank, position, ofYear[row]);
        sums.texts.add(rank, purpose, name);
        sums.amount.add(rank, ofAmount[2 * row] as number, ofAmount[2 * row + 1]);
        if (ofRecipient[row] === 1) sums.recipient.add(rank, position);
        if (purpose < counts.purpose) sums.purpose.add(rank, purpose, name);
        if (name < counts.recipient_name) sums.recipient_name.add(rank, name, purpose);
      }
    }
    this.#report(names.join(" and "), differences);
    this.#compareRanks(sums, ids);
    return sums;
  }

  /** Compares the sums of the columns by recipient and by text with those of all records. */
  compareGroups(expected: Sums, { totals, problems }: GroupTotals): void {
    this.problems.push(...problems);
    for (const [group, total] of totals)
      if (!expected[group].equals(total)) this.problems.push(`${group}.rank differs from rank.position`);
  }

  /** Compares the columns by rank with the sums of all records. They must be in result order. */
  #compareRanks(expected: Sums, ids: Int32Array): void {
    const [positions, purposes, recipientNames, amounts] = ["position", ...bothNames, "amount"].map((name) =>
      this.#columns.column(`rank.${name}`),
    ) as [Column, Column, Column, Column];
    const found = newSums();
    let [rank, lastYear, isInOrder] = [0, Number.POSITIVE_INFINITY, true];
    for (const { year, first, records } of this.#columns.header.years) {
      isInOrder &&= first === rank && year < lastYear;
      lastYear = year;
      let [lastLow, lastHigh, lastPosition] = [0, 0, 0];
      for (const stop = rank + records; rank < stop; rank++) {
        const position = positions.at(rank);
        const [low, high] = [amounts.at(2 * rank), amounts.at(2 * rank + 1)];
        found.position.add(rank, position, year);
        found.texts.add(rank, purposes.at(rank), recipientNames.at(rank));
        found.amount.add(rank, low, high);
        if (rank > first)
          isInOrder &&=
            low === lastLow && high === lastHigh
              ? isLess(ids, lastPosition, position)
              : high < lastHigh || (high === lastHigh && low >>> 0 < lastLow >>> 0);
        [lastLow, lastHigh, lastPosition] = [low, high, position];
      }
    }
    if (!isInOrder) this.problems.push("rank.position is out of order");
    for (const [name, columns] of rankSums)
      if (!found[name].equals(expected[name].total))
        this.problems.push(`${columns} differ from ${parts.index}`);
  }

  #count(column: string): number {
    return this.#columns.placeOf(`${column}.start`).length - 1;
  }

  #report(name: string, differences: number): void {
    if (differences > 0) this.problems.push(`${differences} values of ${name} differ from ${parts.index}`);
  }
}
