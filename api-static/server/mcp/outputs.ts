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

/**
 * The JSON Schema of a result that has these parts, and may have the optional ones. What is inside of them is left out, because models
 * read the schemas of all tools before anything else.
 */
export function outputSchema(
  properties: Readonly<Record<string, Schema>>,
  optional: Readonly<Record<string, Schema>> = {},
): Schema {
  const all = Object.entries({ ...common, ...properties, ...optional });
  const outlines = all.map(([name, schema]) => [name, outline(schema)] as const);
  const required = [...Object.keys(common), ...Object.keys(properties)];
  return { ...exactly(Object.fromEntries(outlines)), required };
}

function outline({ type, description, anyOf }: Schema): Schema {
  const types = anyOf === undefined ? type : (anyOf as Schema[]).map((schema) => schema.type);
  return { type: types, ...(description !== undefined && { description }) };
}

/** An object with these properties and no others. */
export function exactly(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: "object", properties, required: Object.keys(properties), additionalProperties: false };
}

/** The schema, or null. */
export function orNull(schema: Schema | undefined): Schema {
  return { anyOf: [schema, { type: "null" }] };
}

type Schemas = typeof schemas;

/** The answers that have properties. */
type Answered = {
  [Name in keyof Schemas]: Schemas[Name] extends { properties: object } ? Name : never;
}[keyof Schemas];

/** The properties of an answer of the API, without `success`. */
export function propertiesOf(name: Answered): Readonly<Record<string, Schema>> {
  const { success, ...properties } = schemas[name].properties as Readonly<Record<string, Schema>>;
  return properties;
}
