// Owns the Employer Identification Number: nine digits, always text (leading zeros count).

/** An EIN proved to be nine digits. */
export type Ein = string & { readonly brand: "Ein" };

const form = /^(\d{2})-?(\d{7})$/;

/** JSON Schema of an EIN as a request may spell it. */
export const einSchema = { type: "string", pattern: form.source } as const;

/** JSON Schema of an EIN as answers spell it. */
export const einDigitsSchema = { type: "string", pattern: "^\\d{9}$" } as const;

/** Reads "131635294" or "13-1635294"; undefined for anything else. */
export function parseEin(text: string): Ein | undefined {
  const match = form.exec(text);
  return match ? (`${match[1]}${match[2]}` as Ein) : undefined;
}

/** The nine digits of an EIN carried as a number, e.g., 10211513 → "010211513". */
export function formatEin(value: number): Ein {
  return String(value).padStart(9, "0") as Ein;
}
