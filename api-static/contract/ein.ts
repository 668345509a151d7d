// Parses and formats Employer Identification Numbers: nine digits, always text because leading zeros count.

/** Text known to be nine digits. */
export type Ein = string & { readonly brand: "Ein" };

const form = /^(\d{2})-?(\d{7})$/;

/** JSON Schema of an EIN in a request. */
export const einSchema = { type: "string", pattern: form.source } as const;

/** JSON Schema of an EIN in a response. */
export const einDigitsSchema = { type: "string", pattern: "^\\d{9}$" } as const;

/** Parses "131635294" or "13-1635294"; undefined for any other text. */
export function parseEin(text: string): Ein | undefined {
  const match = form.exec(text);
  return match ? (`${match[1]}${match[2]}` as Ein) : undefined;
}

/** The EIN that a text consists of; also "EIN 13-1635294", which answers have in the place of a name that is not known. */
export function findEin(text: string): Ein | undefined {
  return parseEin(text.trim().replace(/^ein[\s:#]*/i, ""));
}

/** The nine digits as the IRS writes them, e.g., "13-1635294"; "" stays "". */
export function hyphenateEin(digits: string): string {
  return digits.replace(/^\d\d/, "$&-");
}

/** The nine digits of an EIN stored as a number, e.g., 10211513 → "010211513". */
export function formatEin(value: number): Ein {
  return String(value).padStart(9, "0") as Ein;
}
