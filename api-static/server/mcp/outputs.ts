// Describes the results of tools by the API's own schemas of answers.
import { releaseId, type Schema } from "../../contract/schema.ts";
import { schemas } from "../../openapi/schemas.ts";

const link = { type: "string", format: "uri" } as const;

const common = {
  release: { ...releaseId, description: "Id of the release that answered; give it to further calls." },
  url: { ...link, description: "The same from the API; never changes." },
} as const;

/** Parts of results that not all of them have. */
export const parts = {
  names: {
    type: "object",
    description: "Names of the funders by EIN, of those on the list of organizations.",
    additionalProperties: { type: "string" },
  },
  csv: { ...link, description: "All rows as CSV." },
  next: {
    type: ["object", "null"],
    description: "Arguments of the call for the next page; null on the last page.",
  },
} as const;

/** A grant's id is text if a number would not keep its digits. */
const grant = {
  ...schemas.Grant,
  properties: {
    ...schemas.Grant.properties,
    id: { ...schemas.Grant.properties.id, type: ["integer", "string"] },
  },
};

/** The JSON Schema of a result that has these parts, and may have the optional ones. */
export function outputSchema(
  properties: Readonly<Record<string, Schema>>,
  optional: Readonly<Record<string, Schema>> = {},
): Schema {
  const schema = {
    type: "object",
    properties: { ...common, ...properties, ...optional },
    required: [...Object.keys(common), ...Object.keys(properties)],
    additionalProperties: false,
  };
  const text = JSON.stringify(schema);
  const moved = JSON.parse(text.replaceAll("#/components/schemas/", "#/$defs/")) as Schema;
  return text.includes("/schemas/Grant") ? { ...moved, $defs: { Grant: grant } } : moved;
}

/** The schema, or null. */
export function orNull(schema: Schema | undefined): Schema {
  return { anyOf: [schema, { type: "null" }] };
}

/** The answers that results have parts of. */
type Answered =
  | "HistoryPage"
  | "Totals"
  | "Groups"
  | "Organizations"
  | "Organization"
  | "FunderSummary"
  | "RecipientSummary"
  | "Status"
  | "ChangesIndex";

/** The properties of an answer of the API, without `success`. */
export function propertiesOf(name: Answered): Readonly<Record<string, Schema>> {
  const { success, ...properties } = schemas[name].properties as Readonly<Record<string, Schema>>;
  return properties;
}
