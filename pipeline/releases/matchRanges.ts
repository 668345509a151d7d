// Cuts the matches of a release into ranges of EINs, which are written and verified one after the other.
import type { DuckDBConnection } from "@duckdb/node-api";

/** Matches of a range, about. With what is said of them, sorting these takes about 500 MB. */
export const matchesAtOnce = 4_000_000;

/** The first and the last matched EIN of a range, as its table has them. */
export type MatchRange = { readonly first: string; readonly last: string };

/**
 * Cuts matches into ranges of about `atOnce`, in order; those of one EIN stay together.
 * @param eins SQL of rows with the `ein` of each match
 * @param values of the parameters in it
 */
export async function cutMatches(
  connection: DuckDBConnection,
  eins: string,
  atOnce: number,
  values: Readonly<Record<string, string>> = {},
): Promise<readonly MatchRange[]> {
  const sql = `
SELECT min(ein), max(ein) FROM (
  SELECT ein, sum(count(*)) OVER (ORDER BY ein) // $atOnce::BIGINT AS part FROM (${eins}) WHERE ein IS NOT NULL GROUP BY ein
) GROUP BY part ORDER BY part`;
  const read = await connection.runAndReadAll(sql, { ...values, atOnce });
  return read.getRows().map(([first, last]) => ({ first: String(first), last: String(last) }));
}
