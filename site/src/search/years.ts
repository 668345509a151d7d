// Lists the years to choose from.
import type { Status } from "../api/client.ts";

/** The years of the release, newest first. @param chosen a year of the address, offered even if the release lacks it */
export function yearsOf(status: Status | undefined, chosen: string): readonly string[] {
  const years = new Set(status?.years.map(({ transaction_year: year }) => String(year)));
  if (chosen !== "") years.add(chosen);
  return [...years].sort((a, b) => Number(b) - Number(a));
}
