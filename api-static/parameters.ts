// Owns the parameters of requests: their names, and how the value of each is read.
import { parseCents } from "./amount.ts";
import { type Ein, parseEin } from "./ein.ts";
import type { Problem } from "./errors.ts";
import * as limits from "./limits.ts";
import type { Filters } from "./request.ts";
import { canonicalText } from "./text.ts";

/** What the parameters read so far ask. */
export type Draft = { -readonly [Key in keyof Filters]: Filters[Key] } & {
  limit?: number;
  offset?: number;
  isEscapingFormulas?: boolean;
};

/** What is wrong with a value. */
export type Fault = Omit<Problem, "parameter">;

/** Reads one parameter's value into the draft; returns what is wrong with it, if anything. */
type Reader = (value: string, draft: Draft) => Fault | undefined;

/** Every parameter, in the order of canonical URLs. */
const readers: Readonly<Record<string, Reader>> = {
  funder_ein: (value, draft) =>
    readEin("funder_ein", value, (ein) => Object.assign(draft, { funderEin: ein })),
  recipient_ein: (value, draft) =>
    readEin("recipient_ein", value, (ein) => Object.assign(draft, { recipientEin: ein })),
  transaction_year: (value, draft) => {
    if (!/^\d{4}$/.test(value)) return malformed("transaction_year must be a year of four digits", value);
    draft.transactionYear = Number(value);
    return undefined;
  },
  purpose: (value, draft) => readText("purpose", value, (text) => Object.assign(draft, { purpose: text })),
  recipient_name: (value, draft) =>
    readText("recipient_name", value, (text) => Object.assign(draft, { recipientName: text })),
  min_amount: (value, draft) => {
    const cents = parseCents(value);
    if (cents === undefined)
      return malformed("min_amount must be a decimal number with at most two decimals", value);
    draft.minAmountCents = within(cents, limits.amountCentsMax);
    return undefined;
  },
  limit: (value, draft) => readInteger("limit", 1, limits.pageSizeMax, value, draft),
  offset: (value, draft) => readInteger("offset", 0, limits.offsetMax, value, draft),
  formulas: (value, draft) => {
    if (value !== "escape") return malformed('formulas must be "escape"', value);
    draft.isEscapingFormulas = true;
    return undefined;
  },
};

/** The parameters that narrow what is asked for. */
const filterNames = [
  "funder_ein",
  "recipient_ein",
  "transaction_year",
  "purpose",
  "recipient_name",
  "min_amount",
] as const;

/** The parameters of a history. */
export const parameterNames: readonly string[] = [...filterNames, "limit", "offset"];

/** The parameters of an export. */
export const exportParameterNames: readonly string[] = [...filterNames, "formulas"];

/**
 * Reads the values that a request gives one parameter into the draft; returns what is wrong with them, if anything.
 * @param known the parameters that the request may give
 */
export function readParameter(
  known: readonly string[],
  name: string,
  values: readonly string[],
  draft: Draft,
): Fault | undefined {
  const reader = known.includes(name) ? readers[name] : undefined;
  if (reader === undefined) {
    const rule = known.length === 0 ? "there are none" : `known are ${known.join(", ")}`;
    return { code: "unknown", message: `${shown(name)} is not a parameter here; ${rule}` };
  }
  const [value, ...more] = values;
  if (value === undefined || more.length > 0)
    return { code: "repeated", message: `${name} must be given once, got ${values.length} values` };
  if (value.trim() === "")
    return { code: "blank", message: `${name} must not be blank; leave it away instead` };
  return reader(value, draft);
}

function readEin(name: string, value: string, keep: (ein: Ein) => void): Fault | undefined {
  const ein = parseEin(value);
  if (ein === undefined) return malformed(`${name} must be nine digits`, value);
  keep(ein);
  return undefined;
}

function readText(name: string, value: string, keep: (text: string) => void): Fault | undefined {
  const text = canonicalText(value);
  const length = [...text].length;
  if (length > limits.textLengthMax)
    return {
      code: "out_of_range",
      message: `${name} must be 1 to ${limits.textLengthMax} characters long, got ${length}`,
    };
  keep(text);
  return undefined;
}

function readInteger(
  name: "limit" | "offset",
  least: number,
  most: number,
  value: string,
  draft: Draft,
): Fault | undefined {
  const rule = `${name} must be an integer from ${least} to ${most}`;
  if (!/^-?\d+$/.test(value)) return malformed(rule, value);
  const number = Number(value);
  if (number < least || number > most)
    return { code: "out_of_range", message: `${rule}, got "${shown(value)}"` };
  draft[name] = number === 0 ? 0 : number; // "-0" is 0
  return undefined;
}

/** Cents no further from 0 than `most`. */
function within(cents: bigint, most: bigint): bigint {
  if (cents < -most) return -most;
  return cents > most ? most : cents;
}

export function malformed(rule: string, value: string): Fault {
  return { code: "malformed", message: `${rule}, got "${shown(value)}"` };
}

export function shown(value: string): string {
  const letters = [...value];
  return letters.length <= limits.valueShownMax
    ? value
    : `${letters.slice(0, limits.valueShownMax).join("")}…`;
}
