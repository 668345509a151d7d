// Explains the problems of parameters in a form's words.
import type { Problem } from "../../../api-static/contract/errors.ts";
import { einsMax } from "../../../api-static/contract/limits.ts";
import { attributeTexts, isAttribute } from "./attributeTexts.ts";
import { formatCount } from "./numbers.ts";

/** The problem of a parameter in a form's words; the API's message if a field cannot have that problem. */
export function explain({ parameter, code, message }: Problem, value: string): string {
  if (code === "unknown") return "This filter isn’t available here."; // the API's message lists its parameters
  if (code === "repeated" || code === "blank") return `${message}.`;
  switch (parameter) {
    case "funder_ein":
    case "recipient_ein":
    case "ein":
      if (code !== "out_of_range") return explainEin(value);
      return `Use at most ${einsMax} EINs. You entered ${formatCount(new Set(value.split(",")).size)}.`;
    case "min_amount":
    case "max_amount":
      if (code === "out_of_range") return "The maximum is less than the minimum.";
      return "An amount is a number of dollars, for example 10,000 or 2,500.50.";
    case "transaction_year":
    case "min_year":
    case "max_year":
      if (code === "out_of_range") return "The last year is before the first.";
      return message.includes("together") ? `${message}.` : "A year has four digits, for example 2018.";
    case "purpose":
    case "recipient_name":
    case "type":
    case "recipient_city":
      return `Use at most 200 characters. You entered ${formatCount([...value].length)}.`;
    default:
      return (isAttribute(parameter) && attributeTexts[parameter].rule) || `${message}.`;
  }
}

const numerals = ["no digit", "one", "two", "three", "four", "five", "six", "seven", "eight"];

/** e.g., "An EIN has nine digits, for example 13-1635294. You entered seven." */
export function explainEin(value: string): string {
  const rule = "An EIN has nine digits, for example 13-1635294.";
  if (/[,;]/.test(value)) return `${rule} Separate several by commas.`;
  if (!/^[\d\s‐-―−-]*$/.test(value)) return rule;
  const count = value.replaceAll(/\D/g, "").length;
  if (count === 9) return rule;
  return `${rule} You entered ${numerals[count] ?? count}.`;
}
