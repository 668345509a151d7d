// Decides whether the columns of the warehouse's files fit the contract and each other.
import { type RecordField, recordFields } from "../../api-static/contract/record.ts";
import { escapeControls } from "../base/table.ts";
import { formatPaths } from "./files.ts";

/** The columns of the warehouse: the fields of a record. */
export type ColumnName = RecordField;

/** The column in which an import of the IRS's returns names the return of each grant. */
export const returnColumn = "irs_return";

/** The column of the recipients' states, as filed with the grants. */
export const stateColumn = "recipient_state";

/** The columns beside the state by which likely recipients are found, or ruled out. */
export const addressColumns = [
  "recipient_city",
  "recipient_zip",
  "recipient_country",
  "recipient_status",
] as const;

export type AddressColumn = (typeof addressColumns)[number];

/** Columns of text that a file may have beside those of a record. With another type, they are ignored. */
const optionalColumns: readonly string[] = [
  stateColumn,
  ...addressColumns,
  "recipient_relationship",
  returnColumn,
];

/** How a column's values are read. */
export type ColumnKind = "integer" | "decimal" | "floating" | "text" | "timestamp" | "timestamptz" | "date";

/** A column of one file: the name as the file spells it, and the type that DuckDB reads it as. */
export type FileColumn = { readonly name: string; readonly type: string };
export type FileSchema = { readonly path: string; readonly columns: readonly FileColumn[] };

export type ResolvedColumns = {
  /** A column is absent if no file has it, or if it has only nulls in all of them. */
  readonly columns: Partial<Record<ColumnName, ColumnKind>>;
  /** Sorted: the columns to ignore. Unknown ones are spelled as in the first file, and optional ones of a wrong type in lower case. */
  readonly unknownColumns: string[];
  /** One sentence for each unknown column and each wrong type of an optional one. */
  readonly warnings: string[];
  /** True if a file has the column `returnColumn`, as text in all files that have it. */
  readonly hasReturns: boolean;
  /** The same of the column `stateColumn`. */
  readonly hasStates: boolean;
  /** Which of them a file has, as text in all files that have it. */
  readonly addresses: readonly AddressColumn[];
  /** One sentence for each problem; empty if the files fit the contract and each other. */
  readonly problems: string[];
};

/** DuckDB's type of a column that was written without a type because it has no values, e.g., by pandas. */
export const nullType = '"NULL"';

type Rule = {
  readonly kinds: readonly ColumnKind[];
  /** `optional`: may be absent. `nullable`: must exist, but may have only nulls. `filled`: must have values. */
  readonly presence: "optional" | "nullable" | "filled";
};

const text: readonly ColumnKind[] = ["text"];
const ein: readonly ColumnKind[] = ["text", "integer"];
const money: readonly ColumnKind[] = ["decimal", "integer", "floating", "text"];

const rules: Readonly<Record<ColumnName, Rule>> = {
  id: { kinds: ["integer"], presence: "filled" },
  funder_ein: { kinds: ein, presence: "filled" },
  transaction_year: { kinds: ["integer", "text"], presence: "filled" },
  recipient_name: { kinds: text, presence: "nullable" },
  recipient_ein: { kinds: ein, presence: "nullable" },
  type: { kinds: text, presence: "optional" },
  amount: { kinds: money, presence: "filled" },
  non_cash_amount: { kinds: money, presence: "optional" },
  non_cash_description: { kinds: text, presence: "optional" },
  purpose: { kinds: text, presence: "nullable" },
  created_at: { kinds: ["timestamp", "timestamptz", "date", "text"], presence: "filled" },
};

const kindNames: Readonly<Record<ColumnKind, string>> = {
  integer: "an integer type",
  decimal: "DECIMAL",
  floating: "FLOAT or DOUBLE",
  text: "VARCHAR",
  timestamp: "TIMESTAMP",
  timestamptz: "TIMESTAMP WITH TIME ZONE",
  date: "DATE",
};

/** DuckDB's type names by kind, e.g., "UBIGINT", "DECIMAL(18,2)", "TIMESTAMP_NS". */
const kindPatterns: readonly (readonly [ColumnKind, RegExp])[] = [
  ["integer", /^U?(TINY|SMALL|BIG|HUGE)INT$|^U?INTEGER$/],
  ["decimal", /^DECIMAL\(\d+,\d+\)$/],
  ["floating", /^(FLOAT|DOUBLE)$/],
  ["text", /^VARCHAR$/],
  ["timestamp", /^TIMESTAMP(_S|_MS|_NS)?$/],
  ["timestamptz", /^TIMESTAMP WITH TIME ZONE$/],
  ["date", /^DATE$/],
];

/** Returns how values of a DuckDB type are read; undefined if no column of the warehouse may have that type. */
export function findKind(type: string): ColumnKind | undefined {
  return kindPatterns.find(([, pattern]) => pattern.test(type))?.[0];
}

const namesByKey = new Map<string, ColumnName>(recordFields.map((name) => [name, name]));

/** A known column of one file; `kind` is undefined if the column must not have that type. */
type Finding = { readonly path: string; readonly type: string; readonly kind: ColumnKind | undefined };

/**
 * Returns how each column is read from all files, and the problems found. As in DuckDB, names are compared without
 * regard to case.
 */
export function resolveColumns(schemas: readonly FileSchema[]): ResolvedColumns {
  const findings = new Map<ColumnName, Finding[]>(recordFields.map((name) => [name, []]));
  const optional = new Map<string, Finding[]>(optionalColumns.map((name) => [name, []]));
  const unknown = new Map<string, string>();
  for (const { path, columns } of schemas) {
    for (const { name, type } of columns) {
      const key = name.toLowerCase();
      const known = namesByKey.get(key);
      if (known !== undefined) findings.get(known)?.push({ path, type, kind: findAcceptedKind(known, type) });
      else if (optional.has(key))
        optional.get(key)?.push({ path, type, kind: text.find((kind) => kind === findKind(type)) });
      else unknown.set(key, unknown.get(key) ?? name);
    }
  }
  const columns: Partial<Record<ColumnName, ColumnKind>> = {};
  const problems = [...findAmbiguous(schemas), ...findMissing(schemas)];
  for (const [name, found] of findings) {
    problems.push(
      ...findUnaccepted(name, found, rules[name].kinds),
      ...findDisagreement(name, found),
      ...findLoss(name, found),
    );
    const kind = found.find((finding) => finding.kind !== undefined)?.kind;
    if (kind !== undefined) columns[name] = kind;
    else if (rules[name].presence === "filled" && found.length > 0 && found.every(isNull)) {
      problems.push(`column "${name}" holds no value in ${formatPaths(found.map(({ path }) => path))}`);
    }
  }
  const wrong = [...optional].map(([name, found]) => [name, findUnaccepted(name, found, text)] as const);
  const mistyped = wrong.filter(([, types]) => types.length > 0);
  const warnings = [...unknown.values()]
    .sort()
    .map((name) => `the warehouse has an unknown column ${escapeControls(name)}`);
  return {
    columns,
    unknownColumns: [...unknown.values(), ...mistyped.map(([name]) => name)].sort(),
    warnings: [...warnings, ...mistyped.flatMap(([, types]) => types)],
    hasReturns: isText(optional.get(returnColumn) ?? []),
    hasStates: isText(optional.get(stateColumn) ?? []),
    addresses: addressColumns.filter((name) => isText(optional.get(name) ?? [])),
    problems,
  };
}

/** True if a file has values, and all files have text or no values. */
function isText(found: readonly Finding[]): boolean {
  return (
    found.some(({ kind }) => kind === "text") && found.every((one) => one.kind === "text" || isNull(one))
  );
}

function findAcceptedKind(name: ColumnName, type: string): ColumnKind | undefined {
  const kind = findKind(type);
  return kind !== undefined && rules[name].kinds.includes(kind) ? kind : undefined;
}

function isNull({ type }: Finding): boolean {
  return type === nullType;
}

/** Columns of one file whose names DuckDB does not distinguish: it is not clear which of them to read. */
function findAmbiguous(schemas: readonly FileSchema[]): string[] {
  const found = schemas.flatMap(({ path, columns }) =>
    [...Map.groupBy(columns, ({ name }) => name.toLowerCase())]
      .filter(([key, same]) => same.length > 1 && namesByKey.has(key))
      .map(([, same]) => ({ path, names: formatNames(same.map(({ name }) => name)) })),
  );
  return [...Map.groupBy(found, ({ names }) => names)].map(([names, where]) => {
    const paths = formatPaths(where.map(({ path }) => path));
    return `columns ${names} differ only in case in ${paths}; keep only one of them`;
  });
}

/** One problem for each set of columns that is missing in some files. */
function findMissing(schemas: readonly FileSchema[]): string[] {
  const byMissing = Map.groupBy(schemas, ({ columns }) => {
    const keys = new Set(columns.map(({ name }) => name.toLowerCase()));
    const missing = recordFields.filter((name) => rules[name].presence !== "optional" && !keys.has(name));
    return missing.length === 0 ? "" : formatNames(missing);
  });
  byMissing.delete("");
  return [...byMissing].map(([missing, found]) => {
    const [first] = found;
    const where = formatPaths(found.map(({ path }) => path));
    const names = first?.columns.map(({ name }) => name) ?? [];
    const columns = formatNames(names);
    const like = names.filter((name) => missing.includes(`"${name.replaceAll(/\W/g, "").toLowerCase()}"`));
    const hint = like.length === 0 ? "" : `; rename ${formatNames(like)}: a name must be exact`;
    return `required columns ${missing} are missing in ${where}; the columns found${found.length > 1 ? " in the first" : ""} are ${columns}${hint}`;
  });
}

/** One problem for each type that the column must not have. */
function findUnaccepted(name: string, found: readonly Finding[], kinds: readonly ColumnKind[]): string[] {
  const unaccepted = found.filter((finding) => finding.kind === undefined && !isNull(finding));
  const expected = kinds.map((kind) => kindNames[kind]).join(", ");
  return [...Map.groupBy(unaccepted, ({ type }) => type)].map(([type, where]) => {
    const paths = formatPaths(where.map(({ path }) => path));
    const hint = type === "BLOB" ? " (bytes not marked as UTF-8 text)" : "";
    return `column "${name}" has type ${type}${hint} in ${paths}; expected ${expected}`;
  });
}

function findDisagreement(name: ColumnName, found: readonly Finding[]): string[] {
  const accepted = found.filter(({ kind }) => kind !== undefined);
  const kinds = [...Map.groupBy(accepted, ({ kind }) => kind).values()];
  if (kinds.length < 2) return [];
  const types = kinds.map((same) => `${same[0]?.type} in ${formatPaths(same.map(({ path }) => path))}`);
  return [
    `column "${name}" has types that differ: ${types.join("; ")}; expected the same type in every file`,
  ];
}

/** Digits of DuckDB's widest DECIMAL. */
const maxDecimalDigits = 38;

/** DECIMALs that do not fit into one type: DuckDB would silently round away decimals when it combines the files. */
function findLoss(name: ColumnName, found: readonly Finding[]): string[] {
  const decimals = found.flatMap(({ type, path }) => {
    const [, digits, scale] = /^DECIMAL\((\d+),(\d+)\)$/.exec(type) ?? [];
    return scale === undefined
      ? []
      : [{ type, path, whole: Number(digits) - Number(scale), scale: Number(scale) }];
  });
  const max = (numbers: readonly number[]) => numbers.reduce((a, b) => Math.max(a, b), 0);
  const digits = max(decimals.map(({ whole }) => whole)) + max(decimals.map(({ scale }) => scale));
  if (digits <= maxDecimalDigits) return [];
  const byType = [...Map.groupBy(decimals, ({ type }) => type)];
  const types = byType.map(([type, same]) => `${type} in ${formatPaths(same.map(({ path }) => path))}`);
  return [
    `column "${name}" has types that need ${digits} digits when combined: ${types.join("; ")}; expected at most ${maxDecimalDigits}`,
  ];
}

export function formatNames(names: readonly string[]): string {
  return names.length === 0 ? "none" : names.map((name) => `"${escapeControls(name)}"`).join(", ");
}
