// Knows which years a release has.
import type { Status } from "../api/client.ts";

export type Year = { readonly transaction_year: number; readonly records: number };

/** Grants by year; undefined if the server does not count them. */
export function countedYears(status: Status | undefined): readonly Year[] | undefined {
  return (status as (Status & { years?: readonly Year[] }) | undefined)?.years;
}

/** The years to choose from, newest first. @param chosen a year of the address, offered even if the release lacks it */
export function yearsOf(status: Status | undefined, chosen: string): readonly string[] {
  const counted = countedYears(status)?.map(({ transaction_year: year }) => year);
  const years =
    counted ?? (status === undefined ? [] : range(status.first_year ?? 0, status.last_year ?? -1));
  const texts = new Set(years.map(String));
  if (chosen !== "") texts.add(chosen);
  return [...texts].sort((a, b) => Number(b) - Number(a));
}

function range(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}
