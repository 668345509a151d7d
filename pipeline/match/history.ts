// The rule of what funders filed: at least two others filed the same EIN for the same name and city.
import type { DuckDBConnection } from "@duckdb/node-api";

/** Funders that must agree on an EIN. */
const funders = 2;

/**
 * `filed_eins` has the EINs that funders filed for a name and city, with the number of funders; if there are two, `first_funder` and
 * `last_funder` are both.
 */
const historySql = [
  `CREATE TABLE filed_eins AS
    SELECT key, recipient_ein AS ein, count(*)::UINTEGER AS funders, min(funder_ein) AS first_funder, max(funder_ein) AS last_funder
    FROM (SELECT DISTINCT key, recipient_ein, funder_ein FROM placed JOIN filed USING (filed)
      WHERE recipient_ein IS NOT NULL AND key IS NOT NULL)
    GROUP BY key, recipient_ein HAVING count(*) >= ${funders}`,
  // The grant's own funder does not count. If the list has several organizations of the name in the place, funders may mean any of them.
  `CREATE TABLE by_history AS
    SELECT position, any_value(ein) AS ein, any_value(funders) AS funders
    FROM placed JOIN filed USING (filed) JOIN filed_eins USING (key) ANTI JOIN ambiguous USING (filed)
    WHERE funders > ${funders} OR funder_ein NOT IN (first_funder, last_funder)
    GROUP BY position HAVING count(*) = 1`,
  "DROP TABLE ambiguous",
];

/** Makes the tables `filed_eins` and `by_history` (position, ein, funders). `findInList` must have run. */
export async function findByHistory(connection: DuckDBConnection): Promise<void> {
  for (const statement of historySql) await connection.run(statement);
}
