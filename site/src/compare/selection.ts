// Reads and writes the funders in the address of the Compare page: /compare?ein=…&ein=…, and the years.
import { type Ein, parseEin } from "../../../api-static/contract/ein.ts";
import { comparedMax } from "../../../api-static/contract/limits.ts";
import type { Query } from "../address/query.ts";

/** The years to compare; a bound that is undefined leaves them open. */
export type Years = { readonly min: number | undefined; readonly max: number | undefined };

export const allYears: Years = { min: undefined, max: undefined };

export type Selection = {
  /** At most four different EINs, in the order of the address. */
  readonly eins: readonly Ein[];
  readonly years: Years;
  /** Parts of the address that are not shown, one sentence each. Unknown parameters are ignored. */
  readonly problems: readonly string[];
};

/** Reads an address's query, e.g., "?ein=200253310&ein=431634280&min_year=2016&max_year=2018". */
export function readSelection(search: string): Selection {
  const eins: Ein[] = [];
  const problems: string[] = [];
  let { min, max } = allYears;
  for (const [name, value] of new URLSearchParams(search)) {
    if (name === "ein") {
      const ein = parseEin(value.trim());
      if (ein === undefined)
        problems.push(`“${value}” is not an EIN: an EIN has nine digits, for example 13-1635294.`);
      else if (eins.includes(ein)) continue;
      else if (eins.length === comparedMax)
        problems.push(`At most ${comparedMax} funders can be compared; ${ein} is left out.`);
      else eins.push(ein);
    } else if (/^(?:transaction|min|max)_year$/.test(name)) {
      if (!/^\d{4}$/.test(value)) problems.push(`“${value}” is not a year of four digits.`);
      else {
        if (name !== "max_year") min = Number(value);
        if (name !== "min_year") max = Number(value);
      }
    }
  }
  if (min !== undefined && max !== undefined && min > max) [min, max] = [max, min];
  return { eins, years: { min, max }, problems };
}

/** The query of a selection; parsing it gives the same selection. */
export function formatSelection(eins: readonly string[], years: Years = allYears): string {
  const parameters = new URLSearchParams(eins.map((ein) => ["ein", ein]));
  for (const [name, value] of Object.entries(queryOf(years))) parameters.set(name, value);
  const text = parameters.toString();
  return text === "" ? "" : `?${text}`;
}

/** The years as parameters of the API. */
export function queryOf({ min, max }: Years): Query {
  if (min !== undefined && min === max) return { transaction_year: String(min) };
  return {
    ...(min !== undefined && { min_year: String(min) }),
    ...(max !== undefined && { max_year: String(max) }),
  };
}

/** True if all years are compared. */
export function isAll({ min, max }: Years): boolean {
  return min === undefined && max === undefined;
}
