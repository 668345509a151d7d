// Finds whether funders take applications, and recipients that state donor-advised funds, in what the returns of organizations state.
import type { DuckDBConnection } from "@duckdb/node-api";
import type { JoinedSql } from "./places.ts";

/** The values of funders, in order of their bytes, and the id of each funder's. */
const acceptancesSql = `
CREATE TABLE index.stated AS FROM stated;
CREATE TABLE funder_acceptances AS
  SELECT funder_ein AS ein, coalesce(accepts, 'unstated') AS acceptance
  FROM (SELECT DISTINCT funder_ein FROM grants) LEFT JOIN stated ON ein = funder_ein;
CREATE TABLE index.acceptances AS
  SELECT (row_number() OVER (ORDER BY acceptance) - 1)::UINTEGER AS id, acceptance AS text
  FROM (SELECT DISTINCT acceptance FROM funder_acceptances) ORDER BY id;
CREATE TABLE acceptance_ids AS
  SELECT ein, id::UTINYINT AS id FROM funder_acceptances JOIN index.acceptances ON acceptance = text;
DROP TABLE funder_acceptances`;

/**
 * Makes the tables `stated` and `acceptances` of the attached index from the tables `grants` and `stated`, and the table that the SQL needs.
 * @returns SQL of the id of each funder's value, and of whether the recipient states donor-advised funds
 */
export async function makeStated(connection: DuckDBConnection): Promise<JoinedSql> {
  await connection.run(acceptancesSql);
  return {
    selected: "acceptance_ids.id AS accepts, coalesce(of_recipients.is_sponsor, false) AS is_donor_advised",
    joins: `LEFT JOIN acceptance_ids ON acceptance_ids.ein = grants.funder_ein
      LEFT JOIN stated AS of_recipients ON of_recipients.ein = grants.recipient_ein`,
    made: ["acceptance_ids"],
  };
}
