// Reads and writes the funders in the address of the Compare page: /compare?ein=…&ein=…, and a year.
import { type Ein, parseEin } from "../../../api-static/contract/ein.ts";
import { comparedMax } from "../../../api-static/contract/limits.ts";

export type Selection = {
  /** At most four different EINs, in the order of the address. */
  readonly eins: readonly Ein[];
  /** The only year to compare; undefined compares all. */
  readonly year: number | undefined;
  /** Parts of the address that are not shown, one sentence each. Unknown parameters are ignored. */
  readonly problems: readonly string[];
};

/** Reads an address's query, e.g., "?ein=200253310&ein=431634280&transaction_year=2018". */
export function readSelection(search: string): Selection {
  const eins: Ein[] = [];
  const problems: string[] = [];
  let year: number | undefined;
  for (const [name, value] of new URLSearchParams(search)) {
    if (name === "ein") {
      const ein = parseEin(value.trim());
      if (ein === undefined)
        problems.push(`“${value}” is not an EIN: an EIN has nine digits, for example 13-1635294.`);
      else if (eins.includes(ein)) continue;
      else if (eins.length === comparedMax)
        problems.push(`At most ${comparedMax} funders can be compared; ${ein} is left out.`);
      else eins.push(ein);
    } else if (name === "transaction_year") {
      if (/^\d{4}$/.test(value)) year = Number(value);
      else problems.push(`“${value}” is not a year of four digits.`);
    }
  }
  return { eins, year, problems };
}

/** The query of a selection; parsing it gives the same selection. */
export function formatSelection(eins: readonly string[], year?: number): string {
  const parameters = new URLSearchParams(eins.map((ein) => ["ein", ein]));
  if (year !== undefined) parameters.set("transaction_year", String(year));
  const text = parameters.toString();
  return text === "" ? "" : `?${text}`;
}
