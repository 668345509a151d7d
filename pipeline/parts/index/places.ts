// Finds the states of funders and recipients: of an organization its state in the list, of a recipient the one filed with the grant.

import type { DuckDBConnection } from "@duckdb/node-api";
import type { Places } from "../../../api-static/contract/answers/report.ts";
import { type PlaceFilter, placeFilters } from "../../../api-static/contract/filters.ts";
import { countRows } from "../../base/database.ts";
import { state, stateTypeSql } from "../../warehouse/normalize.ts";
import type { OrganizationsFile } from "../../warehouse/organizations.ts";
import type { Warehouse } from "../../warehouse/warehouse.ts";

/** Where states come from; null if they are unknown. */
export type PlaceSources = {
  readonly [Filter in PlaceFilter]: Places[(typeof placeFilters)[Filter]]["source"];
};

export const noPlaces: PlaceSources = { funderState: null, recipientState: null };

/** The sources of states for a warehouse and a list of organizations, if there is one. */
export function placeSources(
  { columns }: Pick<Warehouse, "columns">,
  organizations: OrganizationsFile | undefined,
): PlaceSources {
  const listed = organizations === undefined ? null : "organizations";
  return { funderState: listed, recipientState: columns.recipient_state ? "warehouse" : listed };
}

/** The column of EINs by which each kind of state is found in the list. */
const einColumns = { funderState: "funder_ein", recipientState: "recipient_ein" } as const;
const filters = Object.keys(einColumns) as PlaceFilter[];

/** The states of the organizations that grants name in these columns. */
const listedStatesSql = (eins: readonly string[]) => `
CREATE TABLE listed_states AS
  SELECT ein, state FROM (SELECT ein, ${state("state")} AS state FROM listed)
  WHERE state IS NOT NULL AND ein IN (${eins.map((ein) => `SELECT ${ein} FROM grants`).join(" UNION ")})`;

const noListedStatesSql = "CREATE TABLE listed_states (ein UINTEGER, state state)";

const filedStatesSql = `SELECT recipient_state FROM grants WHERE recipient_state IS NOT NULL`;

/** The distinct states of the grants, in order of their bytes. */
const statesSql = (filed: string) => `
CREATE TABLE index.states AS
  SELECT (row_number() OVER (ORDER BY state) - 1)::UINTEGER AS id, state::VARCHAR AS text
  FROM (SELECT state FROM listed_states UNION ${filed}) ORDER BY id`;

/** The id of each state, and of the state of each organization. */
const idsSql = `
CREATE TABLE state_ids AS SELECT text::state AS state, id::USMALLINT AS id FROM index.states;
CREATE TABLE place_ids AS SELECT ein, id FROM listed_states JOIN state_ids USING (state);
DROP TABLE listed_states`;

/** SQL that selects from the table `grants`, and joins it with tables that are made for that. */
export type JoinedSql = {
  readonly selected: string;
  readonly joins: string;
  readonly made: readonly string[];
};

/**
 * Makes the table `states` of the attached index from the tables `grants` and `listed`, and the tables that the SQL needs.
 * @returns SQL of the ids of both states
 */
export async function makePlaces(connection: DuckDBConnection, sources: PlaceSources): Promise<JoinedSql> {
  await connection.run(stateTypeSql);
  const eins = filters.flatMap((filter) => (sources[filter] === "organizations" ? [einColumns[filter]] : []));
  await connection.run(eins.length > 0 ? listedStatesSql(eins) : noListedStatesSql);
  const isFiled = sources.recipientState === "warehouse";
  await connection.run(statesSql(isFiled ? filedStatesSql : "SELECT NULL WHERE false"));
  await connection.run(idsSql);
  const joined = filters.map((filter) => ({ column: placeFilters[filter], ...stateSql(filter, sources) }));
  return {
    selected: joined.map(({ id, column }) => `${id}::USMALLINT AS ${column}`).join(", "),
    joins: joined.map(({ join }) => join).join(" "),
    made: ["state_ids", "place_ids"],
  };
}

/** SQL of the id of a grant's state, and of the join that it needs. */
export function stateSql(filter: PlaceFilter, sources: PlaceSources): { id: string; join: string } {
  const source = sources[filter];
  if (source === null) return { id: "NULL::USMALLINT", join: "" };
  const [table, key, of] =
    source === "warehouse"
      ? ["state_ids", "state", "recipient_state"]
      : ["place_ids", "ein", einColumns[filter]];
  const name = `${filter}_ids`;
  return { id: `${name}.id`, join: `LEFT JOIN ${table} AS ${name} ON ${name}.${key} = grants.${of}` };
}

/** Counts the grants without a known place in the attached index. */
export async function countPlaces(connection: DuckDBConnection, sources: PlaceSources): Promise<Places> {
  const count = (column: string) => countRows(connection, `index.by_funder WHERE ${column} IS NULL`);
  const { funderState, recipientState } = placeFilters;
  return {
    funder_state: { source: sources.funderState, unknown: await count(funderState) },
    recipient_state: { source: sources.recipientState, unknown: await count(recipientState) },
    recipient_city: { unknown: await count("recipient_city") },
    recipient_zip: { unknown: await count("recipient_zip") },
  };
}
