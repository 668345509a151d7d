// Reads the values of parameters into a draft of the request.
import { parseCents } from "./amount.ts";
import type { CsvForm } from "./csv.ts";
import { type Ein, parseEin } from "./ein.ts";
import type { Problem } from "./errors.ts";
import type { Filters, GroupKey, PlaceFilter } from "./filters.ts";
import * as limits from "./limits.ts";
import { canonicalText } from "./text.ts";

/** The values of the parameters read so far. */
export type Draft = { -readonly [Key in keyof Filters]: Filters[Key] } & {
  sort?: "year" | "amount" | "records";
  by?: GroupKey;
  limit?: number;
  offset?: number;
  /** EIN of an organization, whether it gives or receives. */
  ein?: Ein;
  /** EINs of funders to compare. */
  funders?: readonly Ein[];
  /** Id of a grant, in decimal. */
  id?: string;
  /** Name of an organization, or the start of one. */
  name?: string;
  /** State of an organization: two upper-case letters. */
  state?: string;
  role?: "funder" | "recipient";
  /** Names to reconcile: parsed JSON. */
  queries?: Readonly<Record<string, unknown>>;
  isEscapingFormulas?: boolean;
  hasNames?: boolean;
  isForExcel?: boolean;
};

export type Fault = Omit<Problem, "parameter">;

/** Reads a value into the draft; returns a fault if it is not valid. */
export type Read = (value: string, draft: Draft) => Fault | undefined;

export type Bounds = { readonly minimum: number; readonly maximum: number };

export const readEin: Read = (value, draft) => {
  const ein = parseEin(value);
  if (ein === undefined) return malformed("ein must be nine digits", value);
  draft.ein = ein;
  return undefined;
};

/** Reads one EIN, or several: in ascending order, each once, so that equal lists are equal requests. */
export function readEins(
  name: string,
  key: "funderEin" | "recipientEin",
  listKey: "funderEins" | "recipientEins",
): Read {
  return (value, draft) => {
    const eins = splitEins(value);
    const different = [...new Set(eins.filter((ein) => ein !== undefined))].sort();
    const rule = eins.length > 1 ? "EINs of nine digits, separated by commas" : "nine digits";
    if (eins.includes(undefined)) return malformed(`${name} must be ${rule}`, value);
    const max = limits.einsMax;
    if (different.length > max)
      return {
        code: "out_of_range",
        message: `${name} must have at most ${max} different EINs, got ${different.length}`,
      };
    if (different.length > 1) draft[listKey] = different;
    else draft[key] = different[0] as Ein;
    return undefined;
  };
}

/** The EINs of a list, with or without white space around the commas; undefined for each text that is none. */
export function splitEins(value: string): (Ein | undefined)[] {
  return value.split(",").map((text) => parseEin(text.trim()));
}

export function readYear(name: string, key: "transactionYear" | "minYear" | "maxYear"): Read {
  return (value, draft) => {
    if (!/^\d{4}$/.test(value)) return malformed(`${name} must be a year of four digits`, value);
    draft[key] = Number(value);
    return undefined;
  };
}

export function readAmount(name: string, key: "minAmountCents" | "maxAmountCents"): Read {
  return (value, draft) => {
    const cents = parseCents(value);
    if (cents === undefined)
      return malformed(`${name} must be a decimal number with at most two decimals`, value);
    const max = limits.amountCentsMax;
    draft[key] = cents < -max ? -max : cents > max ? max : cents;
    return undefined;
  };
}

export function readSort(orders: readonly NonNullable<Draft["sort"]>[]): Read {
  return (value, draft) => {
    const sort = orders.find((order) => order === value);
    if (sort === undefined) return malformed(`sort must be one of ${orders.join(", ")}`, value);
    draft.sort = sort;
    return undefined;
  };
}

export function readText(name: string, key: "purpose" | "recipientName" | "type" | "name"): Read {
  return (value, draft) => {
    const text = canonicalText(value);
    const length = [...text].length;
    const rule = `${name} must be 1 to ${limits.textLengthMax} characters long`;
    if (length > limits.textLengthMax) return { code: "out_of_range", message: `${rule}, got ${length}` };
    draft[key] = text;
    return undefined;
  };
}

export function readState(name: string, key: PlaceFilter | "state"): Read {
  return (value, draft) => {
    if (!/^[a-z]{2}$/i.test(value)) return malformed(`${name} must be two letters`, value);
    draft[key] = value.toUpperCase();
    return undefined;
  };
}

export function readFlag(name: "names" | "excel", key: "hasNames" | "isForExcel"): Read {
  return (value, draft) => {
    if (value !== "1") return malformed(`${name} must be 1`, value);
    draft[key] = true;
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

export function malformed(rule: string, value: string): Fault {
  return { code: "malformed", message: `${rule}, got "${shown(value)}"` };
}

export function shown(value: string): string {
  const [letters, max] = [[...value], limits.valueShownMax];
  return letters.length <= max ? value : `${letters.slice(0, max).join("")}…`;
}
