// Builds the schemas of organizations and of the files of names.
import * as limits from "../../contract/limits.ts";
import { fieldSchemas } from "../../contract/record.ts";
import { body, count, exactly, nullable } from "../../contract/schema.ts";

/** The fields of an organization. */
const names = {
  ein: { ...fieldSchemas.funder_ein, description: "Its EIN." },
  name: { type: "string" },
  city: nullable({ type: "string" }),
  state: nullable({ type: "string" }),
} as const;

/** An organization. */
export const organization = body("An organization.", {
  data: exactly("Its name and place.", names),
});

/** Funders by the first digits of their EINs. */
export const namesByEin = body("Funders with a name, by EIN.", {
  data: { type: "array", items: exactly("A funder.", names) },
});

/** Funders by the first letters of a word. */
export const namesByWord = body("Funders with a name: most grants first, then by EIN.", {
  data: {
    type: "array",
    maxItems: limits.namesMax,
    items: exactly("A funder.", { ...names, records: { ...count, description: "Number of its grants." } }),
  },
});
