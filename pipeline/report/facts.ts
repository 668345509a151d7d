// Reads what a report says about the grants and the rejected rows, while DuckDB holds their tables.
import type { DuckDBConnection } from "@duckdb/node-api";
import type { RecordField } from "../../api-static/contract/answers/record.ts";
import { type RejectReason, rejectReasons } from "../../api-static/contract/answers/report.ts";
import type { PublishedReport, YearTotals } from "../../api-static/release/status.ts";
import { countRows } from "../base/database.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";

/** A rejected row: where it is, and the values it was rejected for, as text of at most 200 characters. */
export type RejectExample = {
  readonly source_file: string;
  /** Starts at 0; null if a column of the warehouse hides the row number. */
  readonly source_row: number | null;
  readonly id: string | null;
  readonly values: Readonly<Record<string, string | null>>;
};

export type Facts = Awaited<ReturnType<typeof readFacts>>;

/** Enough to see what is wrong, few enough to read. */
const examplesPerReason = 3;
const maxFunders = 10;
const maxValueLength = 200;

/** The columns whose values cause a rejection, by its reason. */
const columnsOfReason: Readonly<Record<RejectReason, readonly RecordField[]>> = {
  id_missing: ["id"],
  funder_ein_invalid: ["funder_ein"],
  transaction_year_invalid: ["transaction_year"],
  amount_missing: ["amount", "non_cash_amount"],
  created_at_missing: ["created_at"],
  duplicate_id: ["created_at"],
};

const yearsSql = `
SELECT transaction_year AS year, count(*)::DOUBLE AS records, sum(amount)::VARCHAR AS amount
FROM grants GROUP BY year ORDER BY year DESC`;

const largestFundersSql = `
SELECT lpad(funder_ein::VARCHAR, 9, '0') AS funder_ein, count(*)::DOUBLE AS records, sum(amount)::VARCHAR AS amount
FROM grants GROUP BY grants.funder_ein ORDER BY sum(grants.amount) DESC, grants.funder_ein LIMIT ${maxFunders}`;

const repeatedSql = `
SELECT coalesce(sum(records), 0)::DOUBLE AS records, coalesce(sum(amount), 0)::DECIMAL(38,2)::VARCHAR AS amount FROM repeated`;

const repeatedYearsSql = `
SELECT transaction_year AS year, sum(records)::DOUBLE AS records, sum(amount)::VARCHAR AS amount
FROM repeated GROUP BY year ORDER BY year DESC`;

const largestRepeatedSql = `
SELECT lpad(funder_ein::VARCHAR, 9, '0') AS funder_ein, transaction_year, filings, records, amount::VARCHAR AS amount
FROM repeated ORDER BY repeated.amount DESC, repeated.funder_ein, transaction_year DESC LIMIT ${maxFunders}`;

/** Queries the tables that `ingest` made. */
export async function readFacts(connection: DuckDBConnection, warehouse: Warehouse) {
  const read = async <Row>(sql: string) =>
    (await connection.runAndReadAll(sql)).getRowObjectsJson() as unknown as Row[];
  const [sums = { records: 0, amount: "0.00" }] = await read<Omit<YearTotals, "year">>(repeatedSql);
  return {
    rejected_examples: await readExamples(connection, warehouse),
    /** Newest first. */
    years: await read<YearTotals>(yearsSql),
    /** The sum of amounts is decimal text; the largest come first. */
    largest_funders: await read<{ funder_ein: string; records: number; amount: string }>(largestFundersSql),
    repeated: {
      ...sums,
      years: await read<YearTotals>(repeatedYearsSql),
      largest: await read<PublishedReport["repeated"]["largest"][number]>(largestRepeatedSql),
    },
    /** Number of the IRS's returns that grants are from; 0 if the warehouse names none. */
    returns: await countRows(connection, "returns"),
  };
}

async function readExamples(
  connection: DuckDBConnection,
  warehouse: Warehouse,
): Promise<Record<RejectReason, RejectExample[]>> {
  const present = (field: RecordField) => warehouse.columns[field] !== undefined;
  const fields = [...new Set(["id" as const, ...Object.values(columnsOfReason).flat()])].filter(present);
  const values = fields.map((field) => `'${field}': left(${field}::VARCHAR, ${maxValueLength})`);
  const result = await connection.runAndReadAll(`
    SELECT reason, min_by(
      {'source_file': source_file, 'source_row': source_row::DOUBLE, ${values.join(", ")}},
      {'file': source_file, 'row': source_row}, ${examplesPerReason})
    FROM rejects GROUP BY reason`);
  type Found = Record<RecordField, string | null> & Pick<RejectExample, "source_file" | "source_row">;
  const found = new Map(result.getRowsJson() as unknown as [string, Found[]][]);
  const toExample = (reason: RejectReason, row: Found): RejectExample => ({
    source_file: row.source_file,
    source_row: row.source_row,
    id: row.id,
    values: Object.fromEntries(columnsOfReason[reason].filter(present).map((field) => [field, row[field]])),
  });
  return Object.fromEntries(
    rejectReasons.map((reason) => [reason, (found.get(reason) ?? []).map((row) => toExample(reason, row))]),
  ) as Record<RejectReason, RejectExample[]>;
}
