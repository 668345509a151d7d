// Defines what a tool is, and the parts that results of several tools have, described by the API's own schemas of answers.

import { releaseId, type Schema } from "../../contract/answers/schema.ts";
import type { Ein } from "../../contract/ein.ts";
import { schemas } from "../../openapi/schemas.ts";
import type { Accepted, Asker, Body, Texts } from "./ask.ts";

/** What a tool finds, and a sentence about it; without one, the text is the content as JSON. */
export type Found = { readonly text?: string; readonly content: Body };

export type Tool = {
  readonly name: string;
  readonly title: string;
  /** For models: when to use it. */
  readonly description: string;
  readonly accepted: Accepted;
  readonly required?: readonly string[];
  readonly output: Schema;
  /** @throws ToolProblem */
  readonly call: (given: Texts, asker: Asker) => Promise<Found>;
};

const numbers = new Intl.NumberFormat("en-US");

/** e.g., "1 grant" or "1,234 grants" */
export function countOf(value: unknown, noun: string): string {
  return `${numbers.format(Number(value))} ${noun}${value === 1 ? "" : "s"}`;
}

/** An answer of the API as a result, with the names of all funders in it. */
export async function withNames({ success, ...body }: Body, url: string, asker: Asker): Promise<Body> {
  const eins = JSON.stringify(body).matchAll(/"funder_ein":"(\d{9})"/g);
  const names = await asker.namesOf(eins.map(([, ein]) => ein as Ein));
  return { release: asker.release, url, ...body, names };
}

/** The arguments of the next page; null on the last page. @param end of the offsets that the API answers */
export function nextOf(given: Texts, body: Body, asker: Asker, end: number): Body | null {
  const { total, limit, offset } = body as { total: number; limit: number; offset: number };
  const next = offset + limit;
  if (next >= Math.min(total, end)) return null;
  return { ...Object.fromEntries(given), limit, offset: next, release: asker.release };
}

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
