// Owns the quality gate: what a new release may not differ in from the one before without a person's word.
import { nullableFields } from "../../api-static/contract/record.ts";
import { RefusedError } from "../failure.ts";
import type { Totals } from "./totals.ts";

export type GateSettings = {
  /** Most rows rejected, percent of those read. */
  readonly maxRejected: number;
  /** Most records or funders fewer than before, percent. */
  readonly maxFall: number;
  /** Most rise of a column's share of nulls, percentage points. */
  readonly maxNulls: number;
  /** Most difference of the sum of amounts, percent of the sum before. */
  readonly maxAmount: number;
  /** Rules that are accepted even when they fail, e.g., "records" or "nulls:purpose". */
  readonly accept: readonly string[];
};

/** Rows of the warehouse: read, and accepted as grants. */
export type RowCounts = { readonly read: number; readonly accepted: number };

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

/** Without a release before, a share of fewer rows than these says nothing. */
const rowsThatTell = 1_000;

/** The rules that fail. Without a release before, only the share of rejected rows is looked at. */
export function findGateFailures(
  ingested: RowCounts,
  totals: Totals,
  before: Totals | undefined,
  settings: GateSettings,
): GateFailure[] {
  const failures: GateFailure[] = [];
  const fail = (rule: string, message: string) => failures.push({ rule, message });

  const rejected = percent(ingested.read - ingested.accepted, ingested.read);
  const isTelling = before !== undefined || ingested.read >= rowsThatTell;
  if (isTelling && rejected > settings.maxRejected) {
    fail(
      "rejected",
      `${show(rejected)} of ${ingested.read} rows are rejected, at most ${settings.maxRejected} % may be`,
    );
  }
  if (before === undefined) return failures;

  for (const rule of ["records", "funders"] as const) {
    const fall = percent(before[rule] - totals[rule], before[rule]);
    if (fall > settings.maxFall) {
      fail(
        rule,
        `${rule} fall from ${before[rule]} to ${totals[rule]}, by ${show(fall)}; at most ${settings.maxFall} % may be`,
      );
    }
  }
  // Not as text: milliseconds are written only where there are some, and "." sorts before "Z".
  if (Date.parse(totals.newest_created_at) < Date.parse(before.newest_created_at)) {
    fail(
      "created_at",
      `the newest created_at is ${totals.newest_created_at}, older than ${before.newest_created_at} before`,
    );
  }
  const off = percent(
    Math.abs(Number(totals.amount) - Number(before.amount)),
    Math.abs(Number(before.amount)),
  );
  if (off > settings.maxAmount) {
    fail(
      "amount",
      `the sum of amounts goes from ${before.amount} to ${totals.amount}, by ${show(off)}; at most ${settings.maxAmount} % may be`,
    );
  }
  for (const field of nullableFields) {
    const nullsBefore = before.nulls?.[field]; // releases of the first schema tell of none
    if (nullsBefore === undefined) continue;
    const shareBefore = percent(nullsBefore, before.records);
    const share = percent(totals.nulls[field], totals.records);
    if (share - shareBefore > settings.maxNulls) {
      fail(
        `nulls:${field}`,
        `${field} is null in ${show(share)} of records, in ${show(shareBefore)} before; a rise of at most ${settings.maxNulls} points may be`,
      );
    }
  }
  return failures;
}

/** @throws RefusedError that says each failed rule with its figures, and how to accept it */
export function checkGate(failures: readonly GateFailure[], accept: readonly string[]): void {
  const open = failures.filter(({ rule }) => !accept.includes(rule));
  if (open.length === 0) return;
  const accepting = [...accept, ...open.map(({ rule }) => rule)].join(",");
  throw new RefusedError(
    [
      "the release is refused, the current one stays:",
      ...open.map(({ rule, message }) => `  ${rule}: ${message}`),
      `to accept it: make sync ACCEPT=${accepting}`,
    ].join("\n"),
  );
}

function percent(part: number, whole: number): number {
  return whole === 0 ? (part === 0 ? 0 : 100) : (100 * part) / whole;
}

function show(share: number): string {
  return `${share.toFixed(2)} %`;
}
