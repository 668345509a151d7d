// Decides whether a new release may replace the previous one, or differs so much that a person must accept it.
import { nullableFields } from "../../api-static/contract/answers/record.ts";
import { RefusedError } from "../base/failure.ts";
import type { Totals } from "./totals.ts";

export type GateSettings = {
  /** Rows rejected, as a percentage of rows read. */
  readonly maxRejected: number;
  /** Fall of the number of records or funders, as a percentage of the previous number. */
  readonly maxFall: number;
  /** Rise of a column's share of nulls, in percentage points. */
  readonly maxNulls: number;
  /** Change of the sum of amounts, as a percentage of the previous sum. */
  readonly maxAmount: number;
  /** Rules that may fail, e.g., "records" or "nulls:purpose". */
  readonly accept: readonly string[];
};

/** Names of all rules. */
export const gateRules: readonly string[] = [
  "rejected",
  "records",
  "funders",
  "created_at",
  "amount",
  ...nullableFields.map((field) => `nulls:${field}`),
];

/** A rule that a release fails. */
export type GateFailure = { readonly rule: string; readonly message: string };

/** Without a previous release, the share of rejected rows is not checked below this number of rows. */
const minFirstRows = 1_000;

/** The rules that fail. Without a previous release, only the share of rejected rows is checked. */
export function findGateFailures(
  { read, accepted }: { readonly read: number; readonly accepted: number },
  totals: Totals,
  before: Totals | undefined,
  settings: GateSettings,
): GateFailure[] {
  const failures: GateFailure[] = [];
  const check = (rule: string, value: number, most: number, message: string) => {
    if (value > most) failures.push({ rule, message });
  };
  const { maxRejected, maxFall, maxAmount, maxNulls } = settings;
  if (before !== undefined || read >= minFirstRows) {
    const rejected = percent(read - accepted, read);
    const allowed = `at most ${maxRejected} % is allowed`;
    check(
      "rejected",
      rejected,
      maxRejected,
      `${formatPercent(rejected)} of ${read} rows are rejected; ${allowed}`,
    );
  }
  if (before === undefined) return failures;

  for (const rule of ["records", "funders"] as const) {
    const fall = percent(before[rule] - totals[rule], before[rule]);
    const change = `${rule} fall from ${before[rule]} to ${totals[rule]}, by ${formatPercent(fall)}`;
    check(rule, fall, maxFall, `${change}; at most ${maxFall} % is allowed`);
  }
  // Not compared as text: milliseconds are written only if they are not zero, and "." sorts before "Z".
  const newest = totals.newest_created_at;
  const newestBefore = before.newest_created_at;
  const older = `the newest created_at is ${newest}, older than ${newestBefore} in the previous release`;
  check("created_at", Date.parse(newestBefore), Date.parse(newest), older);
  const off = percent(
    Math.abs(Number(totals.amount) - Number(before.amount)),
    Math.abs(Number(before.amount)),
  );
  const change = `the sum of amounts goes from ${before.amount} to ${totals.amount}, by ${formatPercent(off)}`;
  check("amount", off, maxAmount, `${change}; at most ${maxAmount} % is allowed`);
  for (const field of nullableFields) {
    const nullsBefore = before.nulls?.[field]; // the first schema did not record nulls
    if (nullsBefore === undefined) continue;
    const shareBefore = percent(nullsBefore, before.records);
    const share = percent(totals.nulls[field], totals.records);
    const rise = `${field} is null in ${formatPercent(share)} of records, up from ${formatPercent(shareBefore)}`;
    const allowed = `a rise of at most ${maxNulls} points is allowed`;
    check(`nulls:${field}`, share - shareBefore, maxNulls, `${rise}; ${allowed}`);
  }
  return failures;
}

/** @throws RefusedError that lists each failed rule with its numbers, and says how to accept them */
export function checkGate(failures: readonly GateFailure[], accept: readonly string[]): void {
  const open = failures.filter(({ rule }) => !accept.includes(rule));
  if (open.length === 0) return;
  const accepting = [...accept, ...open.map(({ rule }) => rule)].join(",");
  throw new RefusedError(
    [
      "the release is refused; the current release is still being served:",
      ...open.map(({ rule, message }) => `  ${rule}: ${message}`),
      `to accept it: make sync ACCEPT=${accepting}`,
    ].join("\n"),
  );
}

function percent(part: number, whole: number): number {
  return whole === 0 ? (part === 0 ? 0 : 100) : (100 * part) / whole;
}

function formatPercent(share: number): string {
  return `${share.toFixed(2)} %`;
}
