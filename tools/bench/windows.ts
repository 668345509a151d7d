// Chooses the windows of funders' histories to measure: funders of every size, any offset.

import { formatEin } from "../../api-static/contract/ein.ts";
import type { FunderRow } from "../../api-static/release/layout.ts";
import type { Case } from "./suite.ts";

/** Number of windows of the largest funder, and of funders spread evenly over all of them. */
const windowsOfLargest = 100;
const windowsOfOthers = 100;

/** Deepest offset. */
const offsetMost = 400_000;

/** The golden ratio's fraction spreads multiples of itself evenly between 0 and 1. */
const golden = 0.618_033_988_749_895;

const group = "windows of funders";

/**
 * @param funders all funders, in a stable order
 * @returns windows of 100 records at offsets without a page file, never past the last record
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
