// Builds the schemas of organizations and of the files of names.

import { fieldSchemas } from "../../contract/answers/record.ts";
import { body, count, counted, each, exactly, list, nullable, year } from "../../contract/answers/schema.ts";
import * as limits from "../../contract/limits.ts";
import { nameMatches } from "../../contract/operations/organizations.ts";

/** The fields of an organization. */
const names = {
  ein: { ...fieldSchemas.funder_ein, description: "Its EIN." },
  name: { type: "string" },
  city: nullable({ type: "string" }),
  state: nullable({ type: "string" }),
} as const;

/** What the list of organizations has of each. */
const listed = {
  ...names,
  ntee: nullable({ type: "string", description: "The start of its NTEE code.", examples: ["A68"] }),
  cause: nullable({ type: "string", description: "The major group of that code.", examples: ["A"] }),
} as const;

const month = { type: "string", pattern: "^\\d{4}-\\d{2}$", examples: ["2022-12"] } as const;

/** The sums of a return, in dollars. */
const sums = each(["revenue", "expenses", "assets", "grants_paid"], () => nullable({ type: "number" }));

const source = nullable(
  exactly("The return; null if it has no OBJECT_ID.", {
    object_id: { type: "string", pattern: "^\\d{18}$", description: "The IRS's identifier of the return." },
    period: nullable({ ...month, description: "End of its tax year." }),
  }),
);

/** A return of an organization. */
const finance = exactly("A tax year: null for what its return does not say.", {
  tax_year: year,
  form: nullable({ type: "string", examples: ["990-PF"] }),
  ...sums,
  source,
});

const applications = exactly("What its newest return that states it says of applications.", {
  accepts: {
    enum: ["yes", "no"],
    description: "`no` if it gives only to organizations that it selects.",
  },
  deadlines: nullable({ type: "string" }),
  form: nullable({ type: "string", description: "The form of applications, and what they must have." }),
  restrictions: nullable({ type: "string", description: "Restrictions on awards." }),
  tax_year: year,
  source,
});

/** What an organization's answer has beside its line. */
const profile = {
  subsection: nullable({
    type: "string",
    description:
      "The section of its tax exemption, as the IRS codes it: `03` is 501(c)(3), `92` is 4947(a)(1).",
    examples: ["03"],
  }),
  ruling_year: nullable({ type: "integer", description: "Year in which the IRS ruled that it is exempt." }),
  former_names: list(
    "Names before the present one, the last first.",
    exactly("A former name.", {
      name: names.name,
      from: nullable({ ...month, description: "End of the first tax year with this name." }),
      to: { ...month, description: "End of the last one." },
    }),
    limits.formerNamesMax,
  ),
  finances: list("Its returns by tax year, newest first.", finance),
  mission: nullable({ type: "string", description: "Its mission, as the newest return that has one says." }),
  applications: nullable(applications),
} as const;

const organization = body("An organization.", {
  data: exactly("Its name, place and cause, and what its returns say.", { ...listed, ...profile }),
});

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

const organizations = body("Organizations: best match first, then most grants.", {
  data: list(
    "The organizations, one per line of the body.",
    {
      ...exactly("An organization.", found),
      required: Object.keys(found).filter((field) => field !== "also"),
    },
    limits.organizationsMax,
  ),
  total: counted(
    "Number of organizations with all the words, or if there are none, with similar words or some of them.",
  ),
});

export const organizationSchemas = {
  Organization: organization,
  Organizations: organizations,
  OrganizationNames: body("Names of organizations.", {
    data: list(
      "The organizations on the list, in the order of the request.",
      exactly("An organization.", names),
      limits.namesMax,
    ),
  }),
};

export const namesByEin = body("Funders with a name, by EIN.", {
  data: { type: "array", items: exactly("A funder.", listed) },
});
