// Names whether funders take applications, by their returns.
import { type Fault, malformed } from "./errors.ts";

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
