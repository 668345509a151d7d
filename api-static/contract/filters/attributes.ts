// Defines the filters that the value of an attribute of grants is equal to, or starts with: a type, a state, a cause.
import { nameCause, parseCause } from "../causes.ts";
import type { Fault } from "../errors.ts";
import { textLengthMax } from "../limits.ts";
import { grantType, nullable, type Schema } from "../schema.ts";
import { describeState, type Query, quote } from "../searchText.ts";
import { nameState, parseState } from "../states.ts";
import { parseText } from "../text.ts";

/** A filter on an attribute, by which grants are grouped, too. */
export type AttributeFilter = {
  /** Its parameter. The attribute has the same name in the index and in SQL, and so have its groups. */
  readonly name: string;
  /** Its key in `Filters`. */
  readonly key: string;
  readonly description: string;
  readonly schema: Schema;
  readonly parse: (name: string, value: string) => string | Fault;
  /**
   * True if records have the attribute, as filed: it is compared in its canonical form. Else only the index has it, and totals show how
   * many grants have an unknown value.
   */
  readonly isFiled: boolean;
  /** True if values that start with the filter's match. Groups have the first letter of values, unless whole ones are asked for. */
  readonly isPrefix: boolean;
  /** The field with the value of a group, null if it is unknown. */
  readonly group: { readonly about: string; readonly field: Readonly<Record<string, Schema>> };
  readonly clause: "for" | "from" | "to";
  readonly say: (query: Query) => string;
};

const stateSchema = { type: "string", pattern: "^[A-Za-z]{2}$" } as const;

const stateGroup = {
  about: "Totals of one state; null if it is unknown.",
  field: { state: nullable({ type: "string", pattern: "^[A-Z]{2}$", examples: ["NY"] } as const) },
};

const causeSchema = { type: "string", pattern: "^[A-Za-z]\\d{0,2}$" } as const;

const causeGroup = {
  about: "Totals of one cause: its major group, or its code with `level=code`; null if it is unknown.",
  field: { cause: nullable({ type: "string", pattern: "^[A-Z]", examples: ["B"] } as const) },
};

/** In the order of canonical URLs. */
export const attributeFilters = [
  {
    name: "type",
    key: "type",
    description: "Type of the grant, ignoring case: the whole text.",
    schema: { type: "string", minLength: 1, maxLength: textLengthMax, examples: ["Schedule I"] },
    parse: parseText,
    isFiled: true,
    isPrefix: false,
    group: { about: "Totals of one type, as filed.", field: { type: nullable(grantType) } },
    clause: "for",
    say: ({ type }) => (type === undefined ? "" : ` of type ${quote(type)}`),
  },
  {
    name: "funder_state",
    key: "funderState",
    description:
      "State of the funder in the list of organizations: two letters. An unknown state never matches.",
    schema: { ...stateSchema, examples: ["NY"] },
    parse: parseState,
    isFiled: false,
    isPrefix: false,
    group: stateGroup,
    clause: "from",
    say: (query) => describeState(query, "funder_state"),
  },
  {
    name: "recipient_state",
    key: "recipientState",
    description:
      "State of the recipient: two letters. `/v1/status` names its source. An unknown state never matches.",
    schema: { ...stateSchema, examples: ["CA"] },
    parse: parseState,
    isFiled: false,
    isPrefix: false,
    group: stateGroup,
    clause: "to",
    say(query) {
      const { recipient_name, recipient_state } = query;
      const isAfterName = recipient_name !== undefined && recipient_state !== undefined;
      return isAfterName ? ` in ${nameState(recipient_state)}` : describeState(query, "recipient_state");
    },
  },
  {
    name: "funder_cause",
    key: "funderCause",
    description:
      "Cause of the funder in the list of organizations: the start of an NTEE code, such as `B` or `B2`. An unknown cause never matches.",
    schema: { ...causeSchema, examples: ["T"] },
    parse: parseCause,
    isFiled: false,
    isPrefix: true,
    group: causeGroup,
    clause: "from",
    say: ({ funder_cause: cause }) =>
      cause === undefined ? "" : ` from organizations for ${quote(nameCause(cause))}`,
  },
  {
    name: "recipient_cause",
    key: "recipientCause",
    description:
      "Cause of the recipient, or of the likely recipient of a grant without an EIN, in the list of organizations: the start of an NTEE code, such as `A` or `A68`. An unknown cause never matches.",
    schema: { ...causeSchema, examples: ["A68"] },
    parse: parseCause,
    isFiled: false,
    isPrefix: true,
    group: causeGroup,
    clause: "to",
    say: ({ recipient_cause: cause }) =>
      cause === undefined ? "" : ` to organizations for ${quote(nameCause(cause))}`,
  },
] as const satisfies readonly AttributeFilter[];

export type AttributeRow = (typeof attributeFilters)[number];
export type AttributeName = AttributeRow["name"];
export type AttributeKey = AttributeRow["key"];

/** A value for each of the filters, by name. */
export function byAttribute<Value>(
  make: (filter: AttributeRow) => Value,
): Readonly<Record<AttributeName, Value>> {
  const entries = attributeFilters.map((filter) => [filter.name, make(filter)]);
  return Object.fromEntries(entries) as Record<AttributeName, Value>;
}

/** The filters on attributes whose value may be unknown. Totals report how many grants have a known value. */
export const coveredFilters = attributeFilters.filter((filter) => !filter.isFiled);

/** The keys of groups whose values are cut to their first letter. */
export const prefixNames: readonly string[] = attributeFilters
  .filter(({ isPrefix }) => isPrefix)
  .map(({ name }) => name);

export function coveredIn(filters: { readonly [Key in AttributeKey]?: unknown }) {
  return coveredFilters.filter(({ key }) => filters[key] !== undefined);
}
