// Reads and writes ranges of EINs, by which machines share a night.
import { formatEin } from "../../api-static/contract/ein.ts";
import { type Environment, readText, SettingError } from "../../api-static/contract/environment.ts";

/** The EINs from `first` to `last`, both included. */
export type EinRange = { readonly first: number; readonly last: number };

/** The greatest EIN. */
export const lastEin = 999_999_999;

/** The range that EINS names; undefined for all EINs. @throws SettingError */
export function readEinRange(environment: Environment): EinRange | undefined {
  const text = readText(environment, "EINS", "");
  if (text === "") return undefined;
  const [, first, last] = /^(\d{9})-(\d{9})$/.exec(text) ?? [];
  if (first !== undefined && last !== undefined && first <= last)
    return { first: Number(first), last: Number(last) };
  throw new SettingError(
    `EINS must be two EINs of nine digits, the lower one first, such as 000000000-333333333, got "${text}"`,
  );
}

/** The text of a range, e.g., "000000000-333333333". */
export function formatEinRange({ first, last }: EinRange): string {
  return `${formatEin(first)}-${formatEin(last)}`;
}

/** Says what is wrong with ranges that should have every EIN once; undefined if nothing is. */
export function findEinProblem(ranges: readonly EinRange[]): string | undefined {
  let next = 0;
  for (const range of [...ranges, { first: lastEin + 1, last: lastEin + 1 }].sort(
    (a, b) => a.first - b.first,
  )) {
    if (range.first > next)
      return `no range has the funders ${formatEinRange({ first: next, last: range.first - 1 })}`;
    if (range.first < next)
      return `several ranges have the funders ${formatEinRange({ first: range.first, last: Math.min(range.last, next - 1) })}`;
    next = range.last + 1;
  }
  return undefined;
}
