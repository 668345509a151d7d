// Reads the values of parameters into a draft of the request.
import type { CsvForm } from "./answers/csv.ts";
import type { Schema } from "./answers/schema.ts";
import { type Ein, parseEin } from "./ein.ts";
import { type Fault, malformed, shown } from "./errors.ts";
import type { AttributeKey } from "./filters/attributes.ts";
import type { Filters, GroupKey } from "./filters.ts";

/** The values of the parameters read so far. */
export type Draft = { -readonly [Key in keyof Filters]: Filters[Key] } & {
  sort?: "year" | "amount" | "records";
  by?: GroupKey;
  level?: "code";
  limit?: number;
  offset?: number;
  /** EIN of an organization, whether it gives or receives. */
  ein?: Ein;
  /** EINs of funders to compare. */
  funders?: readonly Ein[];
  /** EINs of organizations whose names are asked for. */
  eins?: readonly Ein[];
  /** Id of a grant, in decimal. */
  id?: string;
  /** Name of an organization, or the start of one. */
  name?: string;
  /** State of an organization: two upper-case letters. */
  state?: string;
  role?: "funder" | "recipient";
  /** An NTEE code, or the start of one. */
  cause?: string;
  maxTypicalCents?: bigint;
  /** Names to reconcile: parsed JSON. */
  queries?: Readonly<Record<string, unknown>>;
  isEscapingFormulas?: boolean;
  hasNames?: boolean;
  isForExcel?: boolean;
};

/** Reads a value into the draft; returns a fault if it is not valid. */
export type Read = (value: string, draft: Draft) => Fault | undefined;

export type Parameter = {
  readonly description: string;
  /** JSON Schema of its value. `read` may accept more, for the convenience of people. */
  readonly schema: Schema;
  readonly read: Read;
};

export type Bounds = { readonly minimum: number; readonly maximum: number };

/** @param parse returns undefined for a value that breaks the rule */
export function readAs<Key extends keyof Draft>(
  key: Key,
  rule: string,
  parse: (value: string) => Draft[Key] | undefined,
): Read {
  return (value, draft) => {
    const parsed = parse(value);
    if (parsed === undefined) return malformed(rule, value);
    draft[key] = parsed;
    return undefined;
  };
}

export function readOneOf<Key extends "by" | "sort" | "role" | "level">(
  name: Key,
  values: readonly NonNullable<Draft[Key]>[],
): Read {
  const rule = `${name} must be one of ${values.join(", ")}`;
  return readAs(name, rule, (value) => values.find((each) => each === value));
}

/** The EINs of a list, with or without white space around the commas; undefined for each text that is none. */
export function splitEins(value: string): (Ein | undefined)[] {
  return value.split(",").map((text) => parseEin(text.trim()));
}

/** The different EINs of a list, in its order; a fault if a text is none, or if there are more than `max`. */
export function parseEins(name: string, value: string, max: number): Ein[] | Fault {
  const eins = splitEins(value);
  const different = [...new Set(eins.filter((ein) => ein !== undefined))];
  const rule = eins.length > 1 ? "EINs of nine digits, separated by commas" : "nine digits";
  if (eins.includes(undefined)) return malformed(`${name} must be ${rule}`, value);
  if (different.length <= max) return different;
  const message = `${name} must have at most ${max} different EINs, got ${different.length}`;
  return { code: "out_of_range", message };
}

/** Reads a value by a function that parses it. */
export function readBy(
  parse: (name: string, value: string) => string | Fault,
  name: string,
  key: "purpose" | "recipientName" | AttributeKey | "name" | "state" | "cause",
): Read {
  return (value, draft) => {
    const parsed = parse(name, value);
    if (typeof parsed !== "string") return parsed;
    draft[key] = parsed;
    return undefined;
  };
}

export function readInteger(name: "limit" | "offset" | "cursor", { minimum, maximum }: Bounds): Read {
  const rule = `${name} must be an integer from ${minimum} to ${maximum}`;
  return (value, draft) => {
    if (!/^-?\d+$/.test(value)) return malformed(rule, value);
    const number = Number(value);
    if (number < minimum || number > maximum)
      return { code: "out_of_range", message: `${rule}, got "${shown(value)}"` };
    draft[name === "cursor" ? "offset" : name] = number === 0 ? 0 : number; // "-0" is 0
    return undefined;
  };
}

/** The form of a CSV file, and what else was requested. */
export function splitForm(draft: Draft): [Draft, CsvForm] {
  const { isForExcel = false, isEscapingFormulas = isForExcel, hasNames = false, ...others } = draft;
  return [others, { isEscapingFormulas, isForExcel, hasNames }];
}
