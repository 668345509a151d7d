// Models in plain JavaScript what a sync must make of a warehouse, without any of the pipeline's SQL.
import type { DuckDBConnection } from "@duckdb/node-api";

type Value = string | number | null;

/** A row of the warehouse as the driver returns it: only the known columns, with their DuckDB types. */
export type Row = {
  readonly file: string;
  readonly row: number;
  readonly values: Readonly<Record<string, Value>>;
  readonly types: ReadonlyMap<string, string>;
};

const keys =
  "id funder_ein transaction_year recipient_name recipient_ein type amount non_cash_amount non_cash_description purpose created_at".split(
    " ",
  );

/** Reads each Parquet file separately. */
export async function readRows(connection: DuckDBConnection, paths: readonly string[]): Promise<Row[]> {
  const rows: Row[] = [];
  await connection.run("SET TimeZone = 'UTC'");
  for (const file of paths) {
    const from = `read_parquet('${file.replaceAll("'", "''")}')`;
    const described = (await connection.runAndReadAll(`DESCRIBE SELECT * FROM ${from}`)).getRows();
    const types = new Map(described.map(([name, type]) => [String(name).toLowerCase(), String(type)]));
    const list = keys.filter((key) => types.has(key));
    const read = await connection.runAndReadAll(`SELECT ${list} FROM ${from}`);
    for (const [row, values] of read.getRowsJson().entries()) {
      const entries = list.map((key, index) => [key, values[index] as Value]);
      rows.push({ file, row, values: Object.fromEntries(entries), types });
    }
  }
  return rows;
}

type Grant = {
  readonly id: bigint;
  readonly funder: string;
  readonly year: number;
  readonly cents: bigint;
  readonly recipientLost: boolean;
  /** Comparable values, in the order of the keys. */
  readonly columns: readonly (bigint | number | string | null)[];
  readonly tagged: string;
};

export type Expected = {
  readonly funders: ReadonlyMap<string, readonly string[]>;
  readonly rejects: readonly { readonly file: string; readonly row: number; readonly reason: string }[];
  readonly recipientEinInvalid: number;
};

/** What a sync must make of these rows: each funder's records, tagged, in the contract's order, and the rejects. */
export function expectRelease(rows: readonly Row[], nextYear: number): Expected {
  const rejects: Expected["rejects"][number][] = [];
  const best = new Map<bigint, { grant: Grant; row: Row }>();
  for (const row of rows) {
    const grant = parseRow(row, nextYear);
    if (typeof grant === "string") {
      rejects.push({ file: row.file, row: row.row, reason: grant });
      continue;
    }
    const rival = best.get(grant.id);
    const isBetter = rival === undefined || compareRows(grant, rival.grant) > 0;
    const loser = isBetter ? rival?.row : row;
    if (loser !== undefined) rejects.push({ file: loser.file, row: loser.row, reason: "duplicate_id" });
    if (isBetter) best.set(grant.id, { grant, row });
  }
  const grants = [...best.values()].map(({ grant }) => grant);
  grants.sort((a, b) => b.year - a.year || compare(b.cents, a.cents) || compare(a.id, b.id));
  const byFunder = Map.groupBy(grants, ({ funder }) => funder);
  const funders = [...byFunder].map(([ein, own]) => [ein, own.map(({ tagged }) => tagged)] as const);
  return {
    funders: new Map(funders.sort(([a], [b]) => compare(a, b))),
    rejects: rejects.sort((a, b) => compare(a.file, b.file) || a.row - b.row),
    recipientEinInvalid: grants.filter(({ recipientLost }) => recipientLost).length,
  };
}

/** The row as a grant, or the reason it is rejected. */
function parseRow({ values, types }: Row, nextYear: number): Grant | string {
  const value = (key: string) => values[key] ?? null;
  const ein = (key: string) => readEin(value(key), types.get(key) === "VARCHAR");
  const [id, funder, recipient] = [value("id"), ein("funder_ein"), ein("recipient_ein")];
  if (id === null || BigInt(id) > 2n ** 63n - 1n) return "id_missing";
  if (funder === null) return "funder_ein_invalid";
  const yearText = String(value("transaction_year") ?? "").trim();
  const year = /^\d{4}$/.test(yearText) ? Number(yearText) : Number.NaN;
  if (!(year >= 1900 && year <= nextYear)) return "transaction_year_invalid";
  const nonCash = readCents(value("non_cash_amount"));
  const isAmountBlank = String(value("amount") ?? "").trim() === "";
  const cents = isAmountBlank && nonCash !== null && nonCash > 0n ? 0n : readCents(value("amount"));
  if (cents === null) return "amount_missing";
  const created = readInstant(value("created_at"));
  if (created === null) return "created_at_missing";
  const [name, type, description, purpose] = [
    "recipient_name",
    "type",
    "non_cash_description",
    "purpose",
  ].map((key) => String(value(key) ?? "").trim() || null);
  const number = (text: string | null) => (text === null ? null : `#${text}`);
  const words = (text: string | null | undefined) => (text == null ? null : `$${text}`);
  const tags = [number(String(BigInt(id))), `$${funder}`, `#${year}`, words(name), words(recipient)];
  tags.push(words(type), number(formatCents(cents)), number(nonCash === null ? null : formatCents(nonCash)));
  tags.push(words(description), words(purpose), `$${formatInstant(created)}`);
  return {
    ...{ id: BigInt(id), funder, year, cents },
    recipientLost: recipient === null && String(value("recipient_ein") ?? "").trim() !== "",
    columns: [created, funder, year, name, recipient, type, cents, nonCash, description, purpose].map(
      (column) => column ?? null,
    ),
    tagged: JSON.stringify(Object.fromEntries(keys.map((key, index) => [key, tags[index]]))),
  };
}

function readEin(value: Value, isText: boolean): string | null {
  if (value === null) return null;
  const digits = isText ? String(value).replace(/[- ]/g, "") : String(value).padStart(9, "0");
  return /^\d{9}$/.test(digits) && digits !== "000000000" ? digits : null;
}

/** Rounded half away from zero; null for what is not a number or needs more than 16 digits before the point. */
function readCents(value: Value): bigint | null {
  if (value === null) return null;
  const number = typeof value === "number" ? value : Number.NaN;
  const text = Number.isInteger(number) ? BigInt(number).toString() : String(value).trim();
  const [, sign, whole = "", part = ""] = /^([+-]?)(\d*)\.?(\d*)$/.exec(text) ?? [];
  if (whole === "" && part === "") return null;
  const thousandths = BigInt(`${whole || "0"}${part.padEnd(3, "0").slice(0, 3)}`);
  const cents = (thousandths + 5n) / 10n;
  if (cents >= 10n ** 18n) return null;
  return sign === "-" ? -cents : cents;
}

function formatCents(cents: bigint): string {
  const digits = String(cents < 0n ? -cents : cents).padStart(3, "0");
  return `${cents < 0n ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Milliseconds since 1970 of ISO text or of a timestamp as DuckDB writes it. */
function readInstant(value: Value): number | null {
  const pattern =
    /^(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?)?(?:Z|([+-])(\d\d)(?::?(\d\d))?)?$/;
  const match = pattern.exec(String(value ?? "").trim());
  if (match === null) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const milliseconds = Number((match[7] ?? "").padEnd(3, "0").slice(0, 3));
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second, milliseconds);
  const away = (Number(match[9] ?? 0) * 60 + Number(match[10] ?? 0)) * 60_000;
  return date.getTime() - (match[8] === "-" ? -away : away);
}

function formatInstant(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(".000Z", "Z");
}

/** Positive if the first row is kept: the later one, then the greater one column by column; null is least. */
function compareRows(a: Grant, b: Grant): number {
  for (const [index, mine] of a.columns.entries()) {
    const other = b.columns[index] ?? null;
    const order =
      mine === null || other === null ? Number(mine !== null) - Number(other !== null) : compare(mine, other);
    if (order !== 0) return order;
  }
  return 0;
}

/** Text by its bytes in UTF-8, numbers by value. */
function compare(a: bigint | number | string, b: bigint | number | string): number {
  if (typeof a === "string" && typeof b === "string") return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : Number(a > b);
}
