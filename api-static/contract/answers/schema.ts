// Defines JSON Schemas: their type, the type of the values that a schema describes, and the schemas that others are made of.

/** A JSON Schema (draft 2020-12), as OpenAPI 3.1 uses it. */
export type Schema = Readonly<Record<string, unknown>>;

/**
 * The type of the values that a schema describes, if the schema's own type is as exact as a literal's.
 * @typeParam References the types of the schemas that it refers to, by name
 */
export type ValueOf<S, References = unknown> = S extends {
  readonly $ref: `#/components/schemas/${infer Name}`;
}
  ? References[Name & keyof References]
  : S extends { readonly const: infer Value }
    ? Value
    : S extends { readonly enum: readonly (infer Value)[] }
      ? Value
      : S extends { readonly anyOf: readonly (infer Each)[] }
        ? ValueOfEach<Each, References>
        : S extends { readonly type: infer Type }
          ? ValueOfType<Type extends readonly unknown[] ? Type[number] : Type, S, References>
          : unknown;

type ValueOfEach<Each, References> = Each extends unknown ? ValueOf<Each, References> : never;

type ValueOfType<Type, S, References> = Type extends "array"
  ? ValueOf<S["items" & keyof S], References>[]
  : Type extends "object"
    ? Properties<S["properties" & keyof S], References>
    : Plain[Type & keyof Plain];

type Properties<Schemas, References> = {
  [Name in keyof Schemas]: ValueOf<Exclude<Schemas[Name], undefined>, References>;
};

type Plain = { string: string; number: number; integer: number; boolean: boolean; null: null };

/** A number of things. */
export const count = { type: "integer", minimum: 0 } as const;

/** A number of things, and what they are. */
export function counted(description: string) {
  return { ...count, description } as const;
}

/** Exact dollars as text. */
export const dollars = { type: "string", pattern: "^-?\\d+\\.\\d{2}$", examples: ["5070460849.28"] } as const;

/** A time, UTC. */
export const instant = { type: "string", format: "date-time" } as const;

/** A year. */
export const year = { type: "integer" } as const;

/** The type of a grant. */
export const grantType = { type: "string", description: "Category of the grant, free text." } as const;

/** The description of `repeated` in responses. */
export const repeatedMeaning =
  "Grants that another filing of the same funder and year lists too. Totals include them.";

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

/** The object, which may have these properties at its end, too. */
export function withOptional<
  const Known extends ReturnType<typeof exactly>,
  const Optional extends Readonly<Record<string, Schema>>,
>(object: Known, optional: Optional) {
  const properties: Known["properties"] & Partial<Optional> = { ...object.properties, ...optional };
  return { ...object, properties };
}

/** A list of things. */
export function list<const Items extends Schema>(description: string, items: Items, maxItems?: number) {
  const most = maxItems === undefined ? {} : { maxItems };
  return { type: "array", description, ...most, items } as const;
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
