// Decides whether the columns of files fit their contract and each other.
import { escapeControls } from "../base/table.ts";
import { formatPaths } from "./files.ts";
import {
  type ColumnKind,
  type ColumnKinds,
  type Columns,
  type GrantColumn,
  grantColumns,
  namesOf,
} from "./normalize.ts";

/** A column of one file: the name as the file spells it, and the type that DuckDB reads it as. */
export type FileColumn = { readonly name: string; readonly type: string };
export type FileSchema = { readonly path: string; readonly columns: readonly FileColumn[] };

/** The columns that files should have. */
export type Contract<Name extends string> = {
  readonly columns: Columns<Name>;
  /** How warnings start, e.g., "the warehouse has". */
  readonly owner: string;
  /** Other columns that are ignored without a warning. */
  readonly unread: readonly string[];
};

export const grantContract: Contract<GrantColumn> = {
  columns: grantColumns,
  owner: "the warehouse has",
  unread: [],
};

export type ResolvedColumns<Name extends string> = {
  readonly columns: ColumnKinds<Name>;
  /** Sorted: the columns to ignore. Unknown ones are spelled as in the first file, and those of a wrong type in lower case. */
  readonly unknownColumns: string[];
  /** One sentence for each unknown column and each wrong type that is ignored. */
  readonly warnings: string[];
  /** One sentence for each problem; empty if the files fit the contract and each other. */
  readonly problems: string[];
};

/** DuckDB's type of a column that was written without a type because it has no values, e.g., by pandas. */
export const nullType = '"NULL"';

/** DuckDB's type names by kind, e.g., "UBIGINT", "DECIMAL(18,2)", "TIMESTAMP_NS", and how messages name the kind. */
const kinds: Readonly<Record<ColumnKind, { readonly types: RegExp; readonly name: string }>> = {
  integer: { types: /^U?(TINY|SMALL|BIG|HUGE)INT$|^U?INTEGER$/, name: "an integer type" },
  decimal: { types: /^DECIMAL\(\d+,\d+\)$/, name: "DECIMAL" },
  floating: { types: /^(FLOAT|DOUBLE)$/, name: "FLOAT or DOUBLE" },
  text: { types: /^VARCHAR$/, name: "VARCHAR" },
  timestamp: { types: /^TIMESTAMP(_S|_MS|_NS)?$/, name: "TIMESTAMP" },
  timestamptz: { types: /^TIMESTAMP WITH TIME ZONE$/, name: "TIMESTAMP WITH TIME ZONE" },
  date: { types: /^DATE$/, name: "DATE" },
  boolean: { types: /^BOOLEAN$/, name: "BOOLEAN" },
};

/** Returns how values of a DuckDB type are read; undefined if no column may have that type, or not one with these normalizers. */
export function findKind(type: string, read: object = kinds): ColumnKind | undefined {
  return (Object.keys(read) as ColumnKind[]).find((kind) => kinds[kind].types.test(type));
}

/** A known column of one file; `kind` is undefined if the column must not have that type. */
type Finding = { readonly path: string; readonly type: string; readonly kind: ColumnKind | undefined };

/**
 * Returns how each column is read from all files, and the problems found. As in DuckDB, names are compared without
 * regard to case.
 */
export function resolveColumns<Name extends string>(
  schemas: readonly FileSchema[],
  { columns: expected, owner, unread }: Contract<Name>,
): ResolvedColumns<Name> {
  const findings = new Map<string, Finding[]>(namesOf(expected).map((name) => [name, []]));
  const unknown = new Map<string, string>();
  for (const { path, columns } of schemas) {
    for (const { name, type } of columns) {
      const key = name.toLowerCase();
      const found = findings.get(key);
      if (found !== undefined) found.push({ path, type, kind: findKind(type, expected[key as Name].read) });
      else if (!unread.includes(key)) unknown.set(key, unknown.get(key) ?? name);
    }
  }
  const columns: ColumnKinds<Name> = {};
  const ignored = [...unknown.values()].sort();
  const warnings = ignored.map((name) => `${owner} an unknown column ${escapeControls(name)}`);
  const problems = [...findAmbiguous(schemas, expected), ...findMissing(schemas, expected)];
  for (const name of namesOf(expected)) {
    const found = findings.get(name) ?? [];
    const { presence, read } = expected[name];
    const unaccepted = findUnaccepted(name, found, read);
    if (presence === "extra" && unaccepted.length > 0) {
      ignored.push(name);
      warnings.push(...unaccepted);
      continue;
    }
    problems.push(...unaccepted, ...findDisagreement(name, found), ...findLoss(name, found));
    const kind = found.find((finding) => finding.kind !== undefined)?.kind;
    if (kind !== undefined) columns[name] = kind;
    else if (presence === "filled" && found.length > 0 && found.every(isNull)) {
      problems.push(`column "${name}" holds no value in ${pathsOf(found)}`);
    }
  }
  return { columns, unknownColumns: ignored.sort(), warnings, problems };
}

function pathsOf(found: readonly { readonly path: string }[]): string {
  return formatPaths(found.map(({ path }) => path));
}

function isNull({ type }: Finding): boolean {
  return type === nullType;
}

/** The names of columns with one of these kinds of presence. */
function namesWith(columns: Columns<string>, ...presences: string[]): string[] {
  return Object.keys(columns).filter((name) => presences.includes(columns[name]?.presence ?? ""));
}

/** Columns of one file whose names DuckDB does not distinguish: it is not clear which of them to read. */
function findAmbiguous(schemas: readonly FileSchema[], expected: Columns<string>): string[] {
  const known = namesWith(expected, "filled", "nullable", "optional");
  const found = schemas.flatMap(({ path, columns }) =>
    [...Map.groupBy(columns, ({ name }) => name.toLowerCase())]
      .filter(([key, same]) => same.length > 1 && known.includes(key))
      .map(([, same]) => ({ path, names: formatNames(same.map(({ name }) => name)) })),
  );
  return [...Map.groupBy(found, ({ names }) => names)].map(([names, where]) => {
    return `columns ${names} differ only in case in ${pathsOf(where)}; keep only one of them`;
  });
}

/** One problem for each set of columns that is missing in some files. */
function findMissing(schemas: readonly FileSchema[], expected: Columns<string>): string[] {
  const required = namesWith(expected, "filled", "nullable");
  const byMissing = Map.groupBy(schemas, ({ columns }) => {
    const keys = new Set(columns.map(({ name }) => name.toLowerCase()));
    const missing = required.filter((name) => !keys.has(name));
    return missing.length === 0 ? "" : formatNames(missing);
  });
  byMissing.delete("");
  return [...byMissing].map(([missing, found]) => {
    const [first] = found;
    const names = first?.columns.map(({ name }) => name) ?? [];
    const columns = formatNames(names);
    const like = names.filter((name) => missing.includes(`"${name.replaceAll(/\W/g, "").toLowerCase()}"`));
    const hint = like.length === 0 ? "" : `; rename ${formatNames(like)}: a name must be exact`;
    return `required columns ${missing} are missing in ${pathsOf(found)}; the columns found${found.length > 1 ? " in the first" : ""} are ${columns}${hint}`;
  });
}

/** One problem for each type that the column must not have. */
function findUnaccepted(name: string, found: readonly Finding[], read: object): string[] {
  const unaccepted = found.filter((finding) => finding.kind === undefined && !isNull(finding));
  const expected = (Object.keys(read) as ColumnKind[]).map((kind) => kinds[kind].name).join(", ");
  return [...Map.groupBy(unaccepted, ({ type }) => type)].map(([type, where]) => {
    const hint = type === "BLOB" ? " (bytes not marked as UTF-8 text)" : "";
    return `column "${name}" has type ${type}${hint} in ${pathsOf(where)}; expected ${expected}`;
  });
}

function findDisagreement(name: string, found: readonly Finding[]): string[] {
  const accepted = found.filter(({ kind }) => kind !== undefined);
  const kinds = [...Map.groupBy(accepted, ({ kind }) => kind).values()];
  if (kinds.length < 2) return [];
  const types = kinds.map((same) => `${same[0]?.type} in ${pathsOf(same)}`);
  return [
    `column "${name}" has types that differ: ${types.join("; ")}; expected the same type in every file`,
  ];
}

/** Digits of DuckDB's widest DECIMAL. */
const maxDecimalDigits = 38;

/** DECIMALs that do not fit into one type: DuckDB would silently round away decimals when it combines the files. */
function findLoss(name: string, found: readonly Finding[]): string[] {
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
  const types = byType.map(([type, same]) => `${type} in ${pathsOf(same)}`);
  return [
    `column "${name}" has types that need ${digits} digits when combined: ${types.join("; ")}; expected at most ${maxDecimalDigits}`,
  ];
}

function formatNames(names: readonly string[]): string {
  return names.length === 0 ? "none" : names.map((name) => `"${escapeControls(name)}"`).join(", ");
}
