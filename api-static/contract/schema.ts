// Defines the type of a JSON Schema, and the type of the values that a schema describes.

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
      : S extends { readonly type: infer Type }
        ? ValueOfType<Type extends readonly unknown[] ? Type[number] : Type, S, References>
        : unknown;

type ValueOfType<Type, S, References> = Type extends "array"
  ? ValueOf<S["items" & keyof S], References>[]
  : Type extends "object"
    ? Properties<S["properties" & keyof S], References>
    : Plain[Type & keyof Plain];

type Properties<Schemas, References> = { [Name in keyof Schemas]: ValueOf<Schemas[Name], References> };

type Plain = { string: string; number: number; integer: number; boolean: boolean; null: null };
