// Reads towns and ZIP codes. A town is known by its city, in canonical form, and its state.
import { type Fault, malformed } from "./errors.ts";

/** Between the parts of a town: the canonical city, the state (empty if it is unknown), and the city as most grants have it. */
export const townSeparator = "\x1F";

/** What the towns with a city start with. @param city in canonical form */
export function townStart(city: string): string {
  return city + townSeparator;
}

/** The city as filed, and the state, null if it is unknown. */
export function readTown(town: string): readonly (string | null)[] {
  const [, state, city = ""] = town.split(townSeparator);
  return [city, state || null];
}

/** A city for headings: words of capitals or small letters alone get one capital each, e.g., "New York". */
export function nameTown(city: string): string {
  const isPlain = city === city.toLowerCase() || city === city.toUpperCase();
  return isPlain
    ? city.toLowerCase().replaceAll(/(?<=^|[\s-])\p{L}/gu, (letter) => letter.toUpperCase())
    : city;
}

/** The first digits of a ZIP code. @param name of its parameter */
export function parseZip(name: string, value: string): string | Fault {
  return /^\d{3,5}$/.test(value) ? value : malformed(`${name} must be three to five digits`, value);
}
