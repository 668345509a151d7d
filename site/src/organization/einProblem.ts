// Says what is wrong with an EIN, in words that help to correct it.
import { parseEin } from "../../../api-static/contract/ein.ts";

const words =
  "no one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty".split(
    " ",
  );

/** What is wrong with an EIN, e.g., "An EIN has nine digits, for example 13-1635294. You entered seven."; undefined if nothing is. */
export function findEinProblem(text: string): string | undefined {
  if (parseEin(text) !== undefined) return undefined;
  const rule = "An EIN has nine digits, for example 13-1635294.";
  const digits = text.replaceAll(/\D/g, "");
  if (digits.length === 9) return `${rule} Between them is at most one hyphen, after the second digit.`;
  if (digits === "") return rule;
  return `${rule} You entered ${words[digits.length] ?? digits.length}.`;
}
