// Builds the schemas of organizations and of the files of names.
import * as limits from "../../contract/limits.ts";
import { nameMatches } from "../../contract/organizations.ts";
import { fieldSchemas } from "../../contract/record.ts";
import { body, count, exactly, nullable, withOptional } from "../../contract/schema.ts";

/** The fields of an organization. */
const names = {
  ein: { ...fieldSchemas.funder_ein, description: "Its EIN." },
  name: { type: "string" },
  city: nullable({ type: "string" }),
  state: nullable({ type: "string" }),
} as const;

/** A line of the list. */
const listed = withOptional(
  exactly("Its name and place, and if the list of organizations has causes, its cause.", names),
  {
    ntee: nullable({ type: "string", description: "The start of its NTEE code.", examples: ["A68"] }),
    cause: nullable({ type: "string", description: "The major group of that code.", examples: ["A"] }),
  },
);

/** An organization. */
export const organization = body("An organization.", { data: listed });

const sum = { records: count, amount: fieldSchemas.amount };

const found = {
  ein: names.ein,
  name: nullable({
    type: "string",
    description: "Null for a funder or recipient that is not on the list, which only its EIN finds.",
  }),
  city: names.city,
  state: names.state,
  also: { type: "string", description: "Its other name, e.g., of a chapter; absent if the list has none." },
  given: exactly("Its grants.", sum),
  received: exactly("Grants to its EIN.", sum),
  match: {
    type: "string",
    enum: nameMatches,
    description:
      "How the name matches: with the same words in the same order, with them in any order, with the last one as the start of a word, or with similar words or only some.",
  },
} as const;

/** Organizations by name. */
export const organizations = body("Organizations: best match first, then most grants.", {
  data: {
    type: "array",
    description: "The organizations, one per line of the body.",
    maxItems: limits.organizationsMax,
    items: {
      ...exactly("An organization.", found),
      required: Object.keys(found).filter((field) => field !== "also"),
    },
  },
  total: {
    ...count,
    description:
      "Number of organizations with all the words; if there are none, of those with similar words or some of them, among the likeliest.",
  },
});

/** The names of organizations. */
export const organizationNames = body("Names of organizations.", {
  data: {
    type: "array",
    description:
      "The organizations that are on the list, in the order of the request, one per line of the body.",
    maxItems: limits.namesMax,
    items: exactly("An organization.", names),
  },
});

/** Funders by the first digits of their EINs. */
export const namesByEin = body("Funders with a name, by EIN.", {
  data: { type: "array", items: listed },
});
