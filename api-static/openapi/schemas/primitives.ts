// Defines the schemas that others are made of: counts, dollars, times, and objects with exactly the properties listed.
import type { Schema } from "../../contract/schema.ts";

/** A number of things. */
export const count: Schema = { type: "integer", minimum: 0 };

/** Exact dollars as text. */
export const dollars: Schema = { type: "string", pattern: "^-?\\d+\\.\\d{2}$", examples: ["5070460849.28"] };

/** A time, UTC. */
export const instant: Schema = { type: "string", format: "date-time" };

/** A year. */
export const year: Schema = { type: "integer" };

/** The id of a release. */
export const releaseId: Schema = {
  type: "string",
  pattern: "^\\d{8}T\\d{6}Z$",
  examples: ["20261120T040000Z"],
};

/** An object with exactly these properties, all of them required. */
export function exactly(description: string, properties: Readonly<Record<string, Schema>>): Schema {
  const required = Object.keys(properties);
  return { type: "object", description, required, additionalProperties: false, properties };
}

/** The schema, or null. */
export function nullable(schema: Schema): Schema {
  return { ...schema, type: [schema.type, "null"] };
}
