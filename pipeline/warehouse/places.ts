// Builds the SQL of recipients' places: state, city and ZIP code as filed with the grants.
import { type AddressColumn, stateColumn } from "./columns.ts";
import { state, text, zip } from "./normalize.ts";
import type { Warehouse } from "./warehouse.ts";

/** The columns of the table `grants` beside those of a record, if the warehouse has states. */
export const placeColumns = [stateColumn, "recipient_city", "recipient_zip"] as const;

/** Recipients that are no organizations in the United States: those with another country, and persons, whose status is `I`. */
const excluded: Partial<Record<AddressColumn, string>> = {
  recipient_country: `coalesce(upper(${text("source.recipient_country")}), 'US')
    NOT IN ('US', 'USA', 'UNITED STATES', 'UNITED STATES OF AMERICA')`,
  recipient_status:
    "regexp_full_match(coalesce(source.recipient_status, ''), '(?i)\\s*(i|ind|individuals?)\\s*')",
};

/**
 * SQL of the place: the state, the city as filed, and the first five digits of the ZIP code as an integer. City and ZIP code are null for
 * recipients abroad and for persons, and if the warehouse lacks them.
 */
export function placesSql({ hasStates, addresses }: Pick<Warehouse, "hasStates" | "addresses">): string[] {
  if (!hasStates) return [];
  const isExcluded = addresses.flatMap((column) => excluded[column] ?? []).join(" OR ") || "false";
  const of = (column: AddressColumn, value: string) =>
    addresses.includes(column) ? `CASE WHEN NOT (${isExcluded}) THEN ${value} END` : "NULL";
  return [
    `${state(`source.${stateColumn}`)} AS ${stateColumn}`,
    `(${of("recipient_city", text("source.recipient_city"))})::VARCHAR AS recipient_city`,
    `(${of("recipient_zip", zip("source.recipient_zip"))})::UINTEGER AS recipient_zip`,
  ];
}
