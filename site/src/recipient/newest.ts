// Formats the note that a part of the page covers only the newest grants.
import { formatCount } from "../text/numbers.ts";

/** e.g., "Of the newest 1,000 of 41,204 grants. "; empty if these are all. */
export function newestOf(known: number, total: number): string {
  return known >= total ? "" : `Of the newest ${formatCount(known)} of ${formatCount(total)} grants. `;
}
