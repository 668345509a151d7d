// Owns the choice of windows of funders' histories that are measured: of funders of every size, at any offset.

import { formatEin } from "../../api-static/contract/ein.ts";
import type { FunderRow } from "../../api-static/release/layout.ts";
import type { Case } from "./suite.ts";

/** Windows of the funder with the most records, and of funders spread evenly over all of them. */
const windowsOfLargest = 100;
const windowsOfOthers = 100;

/** Deepest offset. */
const offsetMost = 400_000;

/** The golden ratio's fraction spreads multiples of itself evenly between 0 and 1. */
const golden = 0.618_033_988_749_895;

const group = "windows of funders";

/**
 * @param funders all of them, in any order that stays the same
 * @returns windows of 100 records at offsets that no page file begins at, never past the last record
 */
export function chooseWindows(funders: readonly FunderRow[]): Case[] {
  const largest = funders.reduce((most, funder) => (funder.records > most.records ? funder : most));
  const others = Array.from(
    { length: windowsOfOthers },
    (_, index) => funders[Math.floor((index * funders.length) / windowsOfOthers)] ?? largest,
  );
  return [...Array.from({ length: windowsOfLargest }, () => largest), ...others].map((funder, index) => {
    const most = Math.min(offsetMost, funder.records - 1);
    const offset = Math.floor(((index * golden) % 1) * (most + 1));
    const request = {
      kind: "history",
      scope: "funder",
      filters: { funderEin: formatEin(funder.ein) },
      limit: 100,
      offset: offset % 100 === 0 && offset < most ? offset + 1 : offset,
    } as const;
    return { group, request };
  });
}
