// Checks values against JSON Schemas, with the keywords that the schemas of tests use.

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A JSON Schema. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** Finds the schema that a reference names. */
export type Resolve = (reference: string) => JsonSchema;

type Check = (value: Json, argument: never, schema: JsonSchema, resolve: Resolve) => string[];

const isObject = (value: Json): value is { readonly [key: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const typeOf = (value: Json) => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value);

/** The problems of a value, each with its place; empty if the schema accepts it. @throws Error for an unknown keyword */
export function findProblems(schema: JsonSchema, value: unknown, resolve: Resolve): string[] {
  return Object.entries(schema).flatMap(([keyword, argument]) => {
    if (forPeople.has(keyword)) return [];
    const check = checks[keyword];
    if (check === undefined) throw new Error(`no check for the keyword ${keyword}`);
    return check(value as Json, argument as never, schema, resolve);
  });
}

const forPeople: ReadonlySet<string> = new Set(["description", "default", "examples"]);

const at = (place: string | number, problems: readonly string[]) =>
  problems.map((problem) => `${place}.${problem}`);

/** @param isRight of the number of alternatives that accept the value */
const accepts =
  (isRight: (count: number) => boolean): Check =>
  (value, schemas: readonly JsonSchema[], _, resolve) =>
    isRight(schemas.filter((schema) => findProblems(schema, value, resolve).length === 0).length)
      ? []
      : [`is not one of the alternatives: ${JSON.stringify(value)}`];

const checks: Readonly<Record<string, Check>> = {
  $ref: (value, reference: string, _, resolve) => findProblems(resolve(reference), value, resolve),
  type: (value, types: string | readonly string[]) => {
    const isType = (type: string) =>
      type === typeOf(value) || (type === "integer" && Number.isInteger(value));
    return [types].flat().some(isType) ? [] : [`is ${typeOf(value)}, not ${types}`];
  },
  const: (value, expected: Json) => (value === expected ? [] : [`is not ${expected}`]),
  enum: (value, values: readonly Json[]) => (values.includes(value) ? [] : [`is not one of ${values}`]),
  pattern: (value, pattern: string) =>
    typeof value !== "string" || new RegExp(pattern, "u").test(value) ? [] : [`does not match ${pattern}`],
  minimum: (value, minimum: number) => (Number(value) >= minimum ? [] : [`is below ${minimum}`]),
  maximum: (value, maximum: number) => (Number(value) <= maximum ? [] : [`is above ${maximum}`]),
  maxItems: (value, max: number) =>
    Array.isArray(value) && value.length > max ? [`has more than ${max} items`] : [],
  uniqueItems: (value) => {
    const items = Array.isArray(value) ? value.map((item) => JSON.stringify(item)) : [];
    return new Set(items).size === items.length ? [] : ["has equal items"];
  },
  items: (value, schema: JsonSchema, _, resolve) =>
    Array.isArray(value)
      ? value.flatMap((item, index) => at(index, findProblems(schema, item, resolve)))
      : [],
  contains: (value, schema: JsonSchema, _, resolve) =>
    Array.isArray(value) && !value.some((item) => findProblems(schema, item, resolve).length === 0)
      ? ["has no item that is needed"]
      : [],
  required: (value, names: readonly string[]) =>
    isObject(value) ? names.filter((name) => !Object.hasOwn(value, name)).map((name) => `lacks ${name}`) : [],
  properties: (value, schemas: Readonly<Record<string, JsonSchema>>, _, resolve) =>
    isObject(value)
      ? Object.entries(schemas).flatMap(([name, schema]) =>
          Object.hasOwn(value, name) ? at(name, findProblems(schema, value[name], resolve)) : [],
        )
      : [],
  additionalProperties: (value, rule: boolean | JsonSchema, { properties = {} }, resolve) =>
    isObject(value)
      ? Object.entries(value)
          .filter(([name]) => !Object.hasOwn(properties as object, name))
          .flatMap(([name, other]) =>
            rule === false
              ? [`has ${name}`]
              : rule === true
                ? []
                : at(name, findProblems(rule, other, resolve)),
          )
      : [],
  anyOf: accepts((count) => count > 0),
  oneOf: accepts((count) => count === 1),
};
