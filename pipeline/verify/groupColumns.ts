// Verifies the columns of `index.columns` by which matches are grouped: funders, recipients, types, and the order of names.
import type { DuckDBBlobValue, DuckDBConnection } from "@duckdb/node-api";
import { type Column, type Columns, maxBlock } from "../../api-static/release/columns.ts";
import { streamChunks } from "../base/database.ts";

/** Records, and names, that are compared with the tables, evenly spread. */
const samples = 1_000;

/**
 * Finds problems of the columns of groups, whose lists must start in order.
 * @param connection whose current database is the index
 */
export async function findGroupProblems(connection: DuckDBConnection, columns: Columns): Promise<string[]> {
  const starts = columns.column("recipient.start");
  const recipients = starts.length - 1;
  const ofRecipients = Array.from({ length: recipients }, (_, row) => starts.at(row + 1) - starts.at(row));
  const names = columns.column("rank.recipient_name");
  const [funders, ofFunders] = await readCounts(connection, fundersSql);
  const [, ofTypes] = await readCounts(connection, typesSql);
  const problems = [
    ...findCountProblems(columns, "rank.funder", ofFunders, () => -1),
    ...findCountProblems(columns, "rank.recipient", ofRecipients, (rank) => recipients + names.at(rank)),
    ...findCountProblems(columns, "rank.type", ofTypes, () => ofTypes.length),
  ];
  if (problems.length > 0) return problems; // the samples rely on the range
  return [
    ...(await findDifferences(connection, columns, funders)),
    ...(await findDistinctProblems(connection, columns, "type")),
    ...(await findDistinctProblems(connection, columns, "state")),
    ...(await findOrderProblems(connection, columns)),
  ];
}

const fundersSql =
  "SELECT funder_ein::INTEGER, count(*)::INTEGER FROM by_funder GROUP BY funder_ein ORDER BY funder_ein";

const typesSql =
  "SELECT types.id::INTEGER, count(by_funder.id)::INTEGER FROM types LEFT JOIN by_funder ON type = types.id GROUP BY types.id ORDER BY types.id";

/** The groups in order, and the number of records of each. */
async function readCounts(connection: DuckDBConnection, sql: string): Promise<[number[], number[]]> {
  const [groups = [], records = []] = (await connection.runAndReadAll(sql)).getColumns();
  return [groups as number[], records as number[]];
}

/**
 * Each group must occur as often as it has records.
 * @param otherAt the value of a record that is in none of the groups
 */
function findCountProblems(
  columns: Columns,
  name: string,
  records: readonly number[],
  otherAt: (rank: number) => number,
): string[] {
  const column = columns.column(name);
  const counts = new Int32Array(records.length);
  let isRight = column.length === columns.header.records;
  for (let from = 0; from < column.length; from += maxBlock) {
    const values = column.slice(from, Math.min(column.length, from + maxBlock));
    for (let index = 0; index < values.length; index++) {
      const group = values[index] as number;
      if (group >= 0 && group < counts.length) counts[group] = (counts[group] as number) + 1;
      else isRight &&= group === otherAt(from + index);
    }
  }
  isRight &&= records.every((count, group) => counts[group] === count);
  return isRight ? [] : [`${name} has a group more or less often than the index has its records`];
}

/** Compares samples of the records' groups with the table of all records. */
async function findDifferences(
  connection: DuckDBConnection,
  columns: Columns,
  funders: readonly number[],
): Promise<string[]> {
  const step = Math.max(1, Math.floor(columns.header.records / samples));
  const read = await connection.runAndReadAll(
    `SELECT position, funder_ein, recipient_ein, coalesce(type, (SELECT count(*) FROM types)) FROM by_funder WHERE position % ${step} = 0`,
  );
  const [ranks, eins] = [columns.column("position.rank"), columns.column("recipient.ein")];
  const [byFunder, byRecipient, byType] = ["funder", "recipient", "type"].map((name) =>
    columns.column(`rank.${name}`),
  ) as [Column, Column, Column];
  const isRight: Readonly<
    Record<string, (rank: number, ein: number, recipient: number, type: number) => boolean>
  > = {
    "rank.funder": (rank, ein) => funders[byFunder.at(rank)] === ein,
    "rank.recipient": (rank, _, recipient) => {
      const group = byRecipient.at(rank);
      return (group < eins.length ? eins.at(group) : 0) === recipient;
    },
    "rank.type": (rank, _, __, type) => byType.at(rank) === type,
  };
  return Object.entries(isRight).flatMap(([name, isSame]) => {
    const wrong = read
      .getRows()
      .find(
        ([position, ...row]) =>
          !isSame(ranks.at(Number(position)), ...(row.map(Number) as [number, number, number])),
      );
    return wrong === undefined ? [] : [`${name} differs from by_funder, e.g., at position ${wrong[0]}`];
  });
}

/** Compares the types or states, as bytes: DuckDB's client drops a byte order mark at the start of a text. */
async function findDistinctProblems(
  connection: DuckDBConnection,
  columns: Columns,
  name: "type" | "state",
): Promise<string[]> {
  const starts = columns.column(`${name}.start`);
  const bytes = Buffer.from(columns.bytes(`${name}.bytes`));
  let [id, isRight] = [0, true];
  for await (const chunk of streamChunks(connection, `SELECT encode(text) FROM ${name}s ORDER BY id`))
    chunk.visitColumnValues(0, (value) => {
      isRight &&= id < starts.length - 1;
      if (!isRight) return;
      const text = bytes.subarray(starts.at(id), starts.at(id + 1));
      isRight = text.equals((value as DuckDBBlobValue).bytes);
      id += 1;
    });
  return isRight && id === starts.length - 1 ? [] : [`the ${name}s differ from the table ${name}s`];
}

/** Checks that samples of the names in order of their bytes have ascending places. */
async function findOrderProblems(connection: DuckDBConnection, columns: Columns): Promise<string[]> {
  const order = columns.column("recipient_name.order");
  const step = Math.max(1, Math.floor(order.length / samples));
  const read = await connection.runAndReadAll(
    `SELECT id FROM recipient_names WHERE id % ${step} = 0 ORDER BY text`,
  );
  const places = read.getRows().map(([id]) => order.at(Number(id)));
  const isRight = places.every((place, index) => place > (places[index - 1] ?? -1));
  return isRight ? [] : ["recipient_name.order differs from the order of the names"];
}
