// Formats the numbers of the Status page: ages, durations, comparisons, reasons.
import type { RejectReason, SyncResultName } from "../../../api-static/contract/answers/report.ts";
import { formatCount, formatCounted } from "../text/numbers.ts";

const units = [
  [86_400, "day"],
  [3_600, "hour"],
  [60, "minute"],
] as const;

/** An age in its largest unit: "14 minutes", "5 hours", "2 days"; "less than a minute" below one. */
export function formatAge(seconds: number): string {
  const unit = units.find(([size]) => seconds >= size);
  return unit === undefined ? "less than a minute" : formatCounted(Math.floor(seconds / unit[0]), unit[1]);
}

/** A duration in two units: "3 hours 28 minutes", "2 days 1 hour", "14 minutes". */
export function formatDuration(seconds: number): string {
  const index = units.findIndex(([size]) => seconds >= size);
  const [unit, smaller] = [units[index], units[index + 1]];
  if (unit === undefined) return "less than a minute";
  const whole = formatCounted(Math.floor(seconds / unit[0]), unit[1]);
  const rest = smaller === undefined ? 0 : Math.floor((seconds % unit[0]) / smaller[0]);
  return rest === 0 || smaller === undefined ? whole : `${whole} ${formatCounted(rest, smaller[1])}`;
}

/** An age of months: "7 months", "33 months". */
export function formatMonths(seconds: number): string {
  return formatCounted(Math.floor(seconds / (86_400 * 30.44)), "month");
}

/** The duration of a sync: "13.3 s", "2 min 5 s", "1 h 4 min". */
export function formatTook(seconds: number): string {
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 3_600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3_600)} h ${Math.floor((whole % 3_600) / 60)} min`;
}

/** A count compared with the previous release: "118 more than in the last release". */
export function compareCount(difference: number, since: string | null): string {
  if (since === null) return "no earlier release to compare";
  if (difference === 0) return "unchanged since the last release";
  const size = formatCount(Math.abs(difference));
  return `${size} ${difference > 0 ? "more" : "fewer"} than in the last release`;
}

/** Funders compared with the previous release: "3 added, 1 removed, 41 changed". */
export function compareFunders(changes: {
  since: string | null;
  funders_added: number;
  funders_removed: number;
  funders_changed: number;
}): string {
  if (changes.since === null) return "no earlier release to compare";
  const parts = [
    [changes.funders_added, "added"],
    [changes.funders_removed, "removed"],
    [changes.funders_changed, "changed"],
  ] as const;
  const present = parts.filter(([count]) => count > 0);
  return present.map(([count, word]) => `${formatCount(count)} ${word}`).join(", ") || "unchanged";
}

/** The name of each reason for rejecting a row. */
export const reasonNames: Readonly<Record<RejectReason, string>> = {
  id_missing: "Id missing",
  funder_ein_invalid: "Funder EIN not valid",
  transaction_year_invalid: "Year not valid",
  amount_missing: "Amount missing",
  created_at_missing: "Date of the record missing",
  duplicate_id: "Duplicate id",
};

/** The result of a sync, in words. */
export const resultNames: Readonly<Record<SyncResultName, string>> = {
  published: "Published",
  nothing_new: "Nothing new",
  refused: "Refused",
  failed: "Failed",
};

/** The name of each field that may be empty. */
export const fieldNames = {
  non_cash_description: "Non-cash description",
  non_cash_amount: "Non-cash amount",
  recipient_ein: "Recipient EIN",
  purpose: "Purpose",
  recipient_name: "Recipient name",
  type: "Type",
} as const;

export type Ranked = { readonly name: string; readonly count: number };

/** Counts by name, largest first; equal ones keep their order. */
export function rank<Key extends string>(
  counts: Readonly<Record<Key, number>>,
  names: Readonly<Record<Key, string>>,
): Ranked[] {
  const ranked = (Object.keys(names) as Key[]).map((key) => ({ name: names[key], count: counts[key] }));
  return ranked.sort((one, other) => other.count - one.count);
}

/** How many of 1,000 matches of a rule are wrong at most. @param low the lower bound of its precision */
export function wrongAtMost(low: number): number {
  return Math.ceil(Number(((1 - low) * 1_000).toFixed(6)));
}
