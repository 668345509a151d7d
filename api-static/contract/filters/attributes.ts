// Defines the filters that the value of an attribute of grants is equal to, or starts with: a type, a state, a cause, a town, or whether funders take applications.

import { grantType, nullable, type Schema } from "../answers/schema.ts";
import { type Fault, malformed } from "../errors.ts";
import { textLengthMax } from "../limits.ts";
import { nameCause, parseCause } from "../text/causes.ts";
import { describeState, type KnownNames, type Query, quote } from "../text/searchText.ts";
import {
  nameState,
  nameTown,
  parseState,
  parseZip,
  readTown,
  townSeparator,
  townStart,
} from "../text/states.ts";
import { parseText } from "../text/text.ts";

/** The words for funders by whether they take applications. Returns of `unstated` ones do not say it. */
export const acceptanceNames: ReadonlyMap<string, string> = new Map([
  ["yes", "that take applications"],
  ["no", "that select whom they fund"],
  ["unstated", "that say nothing on applications"],
]);

/** The values, in the order of choices. */
export const acceptances = [...acceptanceNames.keys()];

/** e.g., "that take applications"; another value as it is. */
export function nameAcceptance(value: string): string {
  return acceptanceNames.get(value) ?? value;
}

/** One of the values as it is. @param name of its parameter */
export function parseAcceptance(name: string, value: string): string | Fault {
  return acceptanceNames.has(value)
    ? value
    : malformed(`${name} must be one of ${acceptances.join(", ")}`, value);
}

/** A filter on an attribute. */
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
  /** True if all grants have a known value, so that totals have nothing to show of it. */
  readonly isComplete?: true;
  /** The start of the values that it finds; absent if it finds the value itself. */
  readonly startOf?: (value: string) => string;
  /** Of a value of grants, the filters that find it, broadest first; absent if it is the value itself. */
  readonly finders?: (value: string) => readonly string[];
  /** How the grants are grouped by it; absent if they are not. */
  readonly group?: AttributeGroup;
  readonly clause: "for" | "from" | "to";
  readonly say: (query: Query, names?: KnownNames) => string;
};

export type AttributeGroup = {
  readonly about: string;
  readonly fields: Readonly<Record<string, Schema>>;
  /** The fields of a value. */
  readonly read: (value: string) => readonly (string | null)[];
  /** True if groups have the first letter of values, unless whole ones are asked for. */
  readonly isByLetter?: true;
};

const stateSchema = { type: "string", pattern: "^[A-Za-z]{2}$" } as const;

const stateGroup = {
  about: "Totals of one state; null if it is unknown.",
  fields: { state: nullable({ type: "string", pattern: "^[A-Z]{2}$", examples: ["NY"] } as const) },
  read: (state: string) => [state],
};

const causeSchema = { type: "string", pattern: "^[A-Za-z](\\d[A-Za-z\\d]?)?$" } as const;

const causeGroup = {
  about: "Totals of one cause: its major group, or its code with `level=code`; null if it is unknown.",
  fields: { cause: nullable({ type: "string", pattern: "^[A-Z]", examples: ["B"] } as const) },
  read: (cause: string) => [cause],
  isByLetter: true,
} as const;

/** After the place of recipients, "to" is not repeated. */
function sayCause(clause: "from" | "to", query: Query, { nameOfCause = nameCause }: KnownNames = {}): string {
  const cause = clause === "from" ? query.funder_cause : query.recipient_cause;
  if (cause === undefined) return "";
  const isPlaced = (query.recipient_city ?? query.recipient_state ?? query.recipient_zip) !== undefined;
  const start = clause === "to" && isPlaced ? "," : ` ${clause}`;
  return `${start} organizations for ${quote(nameOfCause(cause))}`;
}

const itself = (value: string) => value;

/** "A", "A6" and "A68" of "A68". */
const starts = (from: number) => (value: string) =>
  Array.from({ length: value.length + 1 - from }, (_, index) => value.slice(0, from + index));

/** In the order of canonical URLs. */
export const attributeFilters = [
  {
    name: "type",
    key: "type",
    description: "Type of the grant, ignoring case: the whole text.",
    schema: { type: "string", minLength: 1, maxLength: textLengthMax, examples: ["Schedule I"] },
    parse: parseText,
    isFiled: true,
    group: {
      about: "Totals of one type, as filed.",
      fields: { type: nullable(grantType) },
      read: (type: string) => [type],
    },
    clause: "for",
    say: ({ type }) => (type === undefined ? "" : ` of type ${quote(type)}`),
  },
  {
    name: "funder_state",
    key: "funderState",
    description: "State of the funder in the list of organizations: two letters.",
    schema: { ...stateSchema, examples: ["NY"] },
    parse: parseState,
    isFiled: false,
    group: stateGroup,
    clause: "from",
    say: (query) => describeState(query, "funder_state"),
  },
  {
    name: "recipient_city",
    key: "recipientCity",
    description: "City of the recipient, as filed, in any case; with `recipient_state`, the town.",
    schema: { type: "string", minLength: 1, maxLength: textLengthMax, examples: ["Austin"] },
    parse: parseText,
    isFiled: false,
    startOf: townStart,
    finders: (town) => [town.split(townSeparator, 1)[0] ?? ""],
    group: {
      about:
        "Totals of one town: the city as most of its grants have it, and its state; null if they are unknown.",
      fields: {
        city: nullable({ type: "string", examples: ["AUSTIN"] } as const),
        state: stateGroup.fields.state,
      },
      read: readTown,
    },
    clause: "to",
    say: ({ recipient_city: city }) => (city === undefined ? "" : ` to recipients in ${nameTown(city)}`),
  },
  {
    name: "recipient_state",
    key: "recipientState",
    description: "State of the recipient: two letters. `/v1/status` names its source.",
    schema: { ...stateSchema, examples: ["CA"] },
    parse: parseState,
    isFiled: false,
    group: stateGroup,
    clause: "to",
    say(query) {
      if (query.recipient_city !== undefined && query.recipient_state !== undefined)
        return `, ${nameState(query.recipient_state)}`;
      const { recipient_name, recipient_state } = query;
      const isAfterName = recipient_name !== undefined && recipient_state !== undefined;
      return isAfterName ? ` in ${nameState(recipient_state)}` : describeState(query, "recipient_state");
    },
  },
  {
    name: "recipient_zip",
    key: "recipientZip",
    description: "ZIP code of the recipient, as filed, or its first three or four digits.",
    schema: { type: "string", pattern: "^\\d{3,5}$", examples: ["787"] },
    parse: parseZip,
    isFiled: false,
    startOf: itself,
    finders: starts(3),
    clause: "to",
    say({ recipient_zip: zip, ...others }) {
      if (zip === undefined) return "";
      return `${(others.recipient_city ?? others.recipient_state) === undefined ? " to recipients" : ""} in ZIP code ${zip}`;
    },
  },
  {
    name: "funder_cause",
    key: "funderCause",
    description: "Cause of the funder: the start of an NTEE code, such as `B` or `B2`.",
    schema: { ...causeSchema, examples: ["T"] },
    parse: parseCause,
    isFiled: false,
    startOf: itself,
    finders: starts(1),
    group: causeGroup,
    clause: "from",
    say: (query: Query, names?: KnownNames) => sayCause("from", query, names),
  },
  {
    name: "recipient_cause",
    key: "recipientCause",
    description:
      "Cause of the recipient, or without an EIN of the likely recipient: the start of an NTEE code, such as `A68`.",
    schema: { ...causeSchema, examples: ["A68"] },
    parse: parseCause,
    isFiled: false,
    startOf: itself,
    finders: starts(1),
    group: causeGroup,
    clause: "to",
    say: (query: Query, names?: KnownNames) => sayCause("to", query, names),
  },
  {
    name: "accepts",
    key: "accepts",
    description:
      "Whether the funder takes applications, by its newest return that states it; `no`: it gives only to organizations that it selects.",
    schema: { type: "string", enum: acceptances, examples: ["yes"] },
    parse: parseAcceptance,
    isFiled: false,
    isComplete: true,
    clause: "from",
    say: ({ accepts }) => (accepts === undefined ? "" : ` from funders ${nameAcceptance(accepts)}`),
  },
] as const satisfies readonly AttributeFilter[];

export type AttributeRow = (typeof attributeFilters)[number];
export type AttributeName = AttributeRow["name"];
export type AttributeKey = AttributeRow["key"];

/** The filters by whose attributes grants are grouped. */
export const groupedFilters = attributeFilters.filter((filter) => "group" in filter);

export type GroupedRow = (typeof groupedFilters)[number];

/** A value for each attribute by which grants are grouped, by name. */
export function byAttribute<Value>(
  make: (filter: GroupedRow) => Value,
): Readonly<Record<GroupedRow["name"], Value>> {
  const entries = groupedFilters.map((filter) => [filter.name, make(filter)]);
  return Object.fromEntries(entries) as Record<GroupedRow["name"], Value>;
}

/** The fields of a group, null if its value is unknown. */
export function readGroup({ fields, read }: AttributeGroup, value: string | null): object {
  const texts = value === null ? [] : read(value);
  return Object.fromEntries(Object.keys(fields).map((field, index) => [field, texts[index] ?? null]));
}

/** The filters on attributes that only the index has. */
export const indexedFilters = attributeFilters.filter((filter) => !filter.isFiled);

/** Of these, those whose value may be unknown. Totals report how many grants have a known value. */
export const coveredFilters = indexedFilters.filter(
  (filter): filter is Exclude<typeof filter, { isComplete: true }> => !("isComplete" in filter),
);

/** The keys of groups whose values are cut to their first letter. */
export const letterNames: readonly string[] = groupedFilters
  .filter(({ group }) => "isByLetter" in group)
  .map(({ name }) => name);

export function coveredIn(filters: { readonly [Key in AttributeKey]?: unknown }) {
  return coveredFilters.filter(({ key }) => filters[key] !== undefined);
}
