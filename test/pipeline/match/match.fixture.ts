// Finds likely recipients of a few grants.
import type { DuckDBConnection } from "@duckdb/node-api";
import type { MatchFacts, RuleFigures } from "../../../api-static/contract/answers/matches.ts";
import { findMatches, predictRecipients } from "../../../pipeline/match/match.ts";
import { stateTypeSql } from "../../../pipeline/warehouse/normalize.ts";
import type { Objection } from "../../../pipeline/warehouse/objections.ts";

/** A grant; the recipient is in Houston unless it says otherwise. */
export type FiledGrant = {
  readonly funder?: number;
  readonly name: string | null;
  readonly ein?: number | null;
  readonly state?: string | null;
  readonly city?: string | null;
  readonly zip?: number | null;
  readonly year?: number;
  readonly type?: string | null;
};

/** A row of the list; the organization is in Houston unless it says otherwise. */
export type ListedName = {
  readonly ein: number;
  readonly name: string;
  readonly also?: string | null;
  readonly state?: string | null;
  readonly city?: string | null;
  readonly zip?: number | null;
  readonly founded?: number | null;
  readonly period?: string | null;
  readonly subordinate?: boolean;
};

/** Makes the tables that matches are found from. */
export async function makeTables(
  connection: DuckDBConnection,
  grants: readonly FiledGrant[],
  list: readonly ListedName[],
): Promise<void> {
  await connection.run(stateTypeSql);
  for (const table of ["grants", "organization_names", "matches", "match_texts", ...leftTables])
    await connection.run(`DROP TABLE IF EXISTS ${table}`);
  const place = { state: "TX", city: "Houston", zip: 77002 };
  const filed = grants.map((grant) => ({
    funder: 1,
    year: 2020,
    type: "990-PF",
    ein: null,
    ...place,
    ...grant,
  }));
  const founded = { also: null, founded: null, period: null, subordinate: false };
  const listed = list.map((row) => ({ ...founded, ...place, ...row }));
  await connection.run(
    `CREATE TABLE grants AS SELECT row_number() OVER () AS id, funder AS funder_ein, year AS transaction_year, name AS recipient_name,
      ein AS recipient_ein, type, state::state AS recipient_state, city AS recipient_city, zip AS recipient_zip, true AS recipient_listable FROM ${rowsSql(grantTypes)}`,
    { rows: JSON.stringify(filed) },
  );
  await connection.run(
    `CREATE TABLE organization_names AS SELECT ein, name, also, city, state, zip, founded AS ruling_year, subordinate AS is_subordinate, period AS first_period, period
      FROM ${rowsSql(listTypes)}`,
    { rows: JSON.stringify(listed) },
  );
}

const placeTypes = { state: "VARCHAR", city: "VARCHAR", zip: "UINTEGER" };
const grantTypes = {
  funder: "UINTEGER",
  year: "USMALLINT",
  name: "VARCHAR",
  ein: "UINTEGER",
  type: "VARCHAR",
  ...placeTypes,
};
const listTypes = {
  ein: "UINTEGER",
  name: "VARCHAR",
  also: "VARCHAR",
  founded: "SMALLINT",
  period: "VARCHAR",
  subordinate: "BOOLEAN",
  ...placeTypes,
};

/** SQL of the rows that are bound as JSON. */
function rowsSql(types: Readonly<Record<string, string>>): string {
  return `(SELECT unnest(from_json($rows::JSON, '${JSON.stringify([types])}'), recursive := true))`;
}

const leftTables = ["predicted", "filed", "filed_eins", "listed_rows", "name_keys", "name_parts"];

/** What the rules name for each grant, e.g., "name_and_place 123456789"; null where no rule names an organization. */
export async function predict(
  connection: DuckDBConnection,
  grants: readonly FiledGrant[],
  list: readonly ListedName[],
): Promise<(string | null)[]> {
  await makeTables(connection, grants, list);
  await predictRecipients(connection);
  const found = await connection.runAndReadAll(
    "SELECT position, concat_ws(' ', rule, ein) FROM predicted WHERE rule IS NOT NULL",
  );
  const named = new Map(found.getRows().map(([position, text]) => [Number(position), String(text)]));
  return grants.map((_, position) => named.get(position) ?? null);
}

/** A match: the position of its grant, and what is said of it. */
export type FoundMatch = { position: number; ein: number; rule: string; score: number; evidence: string };

/** The matches that are served, and the facts about them. */
export async function findAll(
  connection: DuckDBConnection,
  grants: readonly FiledGrant[],
  list: readonly ListedName[],
  {
    before = [],
    objections = [],
  }: { before?: readonly RuleFigures[]; objections?: readonly Objection[] } = {},
): Promise<{ facts: MatchFacts; matches: FoundMatch[] }> {
  await makeTables(connection, grants, list);
  const sources = { hasPlaces: true, hasList: list.length > 0, before, objections };
  const facts = await findMatches(connection, sources);
  const found = await connection.runAndReadAll(
    "SELECT position, ein, rule, score::DOUBLE AS score, evidence FROM matches JOIN match_texts ON text = match_texts.id ORDER BY position".replace(
      "SELECT position, ein",
      "SELECT position, matches.ein AS ein",
    ),
  );
  return { facts, matches: found.getRowObjects() as FoundMatch[] };
}
