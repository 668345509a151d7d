// Owns the Employer Identification Number: nine digits, always text (leading zeros count).

/** An EIN proved to be nine digits. */
export type Ein = string & { readonly brand: "Ein" };

/** Reads "131635294" or "13-1635294"; undefined for anything else. */
export function parseEin(text: string): Ein | undefined {
  const match = /^(\d{2})-?(\d{7})$/.exec(text);
  return match ? (`${match[1]}${match[2]}` as Ein) : undefined;
}

/** The nine digits of an EIN carried as a number, e.g., 10211513 → "010211513". */
export function formatEin(value: number): Ein {
  return String(value).padStart(9, "0") as Ein;
}
