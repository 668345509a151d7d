// Defines the schemas that others are made of: counts, dollars, times, and objects with exactly the properties listed.
import { einDigitsSchema } from "../../contract/ein.ts";
import type { Schema } from "../../contract/schema.ts";

/** EIN of the recipient that a response is about. */
export const recipientEin = { ...einDigitsSchema, description: "EIN of the recipient." } as const;

/** Name of that recipient. */
export const recipientName = {
  type: ["string", "null"],
  description: "The name that most of its grants give.",
} as const;

/** A number of things. */
export const count = { type: "integer", minimum: 0 } as const;

/** Exact dollars as text. */
export const dollars = { type: "string", pattern: "^-?\\d+\\.\\d{2}$", examples: ["5070460849.28"] } as const;

/** A time, UTC. */
export const instant = { type: "string", format: "date-time" } as const;

/** A year. */
export const year = { type: "integer" } as const;

/** The id of a release. */
export const releaseId = {
  type: "string",
  pattern: "^\\d{8}T\\d{6}Z$",
  examples: ["20261120T040000Z"],
} as const;

/** An object with exactly these properties, all of them required. */
export function exactly<const Properties extends Readonly<Record<string, Schema>>>(
  description: string,
  properties: Properties,
) {
  const required = Object.keys(properties);
  return { type: "object", description, required, additionalProperties: false, properties } as const;
}

/** A successful response with these properties. */
export function body<const Properties extends Readonly<Record<string, Schema>>>(
  description: string,
  properties: Properties,
) {
  return exactly(description, { success: { const: true }, ...properties } as const);
}

/** The schema, or null. */
export function nullable<const Plain extends Schema & { readonly type: string }>(
  schema: Plain,
): Omit<Plain, "type"> & { readonly type: readonly [Plain["type"], "null"] } {
  return { ...schema, type: [schema.type, "null"] };
}

/** A property for each name. */
export function each<Name extends string, const Each extends Schema>(
  names: readonly Name[],
  schemaOf: (name: Name) => Each,
) {
  return Object.fromEntries(names.map((name) => [name, schemaOf(name)])) as Record<Name, Each>;
}
