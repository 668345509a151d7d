// Parses texts and states, and describes what is wrong with a value.
import type { Problem } from "./errors.ts";
import * as limits from "./limits.ts";
import { canonicalText } from "./text.ts";

export type Fault = Omit<Problem, "parameter">;

/** The canonical form of a text. @param name of its parameter */
export function parseText(name: string, value: string): string | Fault {
  const text = canonicalText(value);
  const length = [...text].length;
  const rule = `${name} must be 1 to ${limits.textLengthMax} characters long`;
  return length > limits.textLengthMax ? { code: "out_of_range", message: `${rule}, got ${length}` } : text;
}

/** The two letters of a state, in capitals. @param name of its parameter */
export function parseState(name: string, value: string): string | Fault {
  return /^[a-z]{2}$/i.test(value) ? value.toUpperCase() : malformed(`${name} must be two letters`, value);
}

export function malformed(rule: string, value: string): Fault {
  return { code: "malformed", message: `${rule}, got "${shown(value)}"` };
}

export function shown(value: string): string {
  const [letters, max] = [[...value], limits.valueShownMax];
  return letters.length <= max ? value : `${letters.slice(0, max).join("")}…`;
}
