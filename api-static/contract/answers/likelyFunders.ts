// Defines how funders that may give to a recipient for the first time are found and ranked, and what a release says about how right that is.
import { fieldSchemas } from "./record.ts";
import { body, count, each, exactly, nullable, type ValueOf, year } from "./schema.ts";

/** Increased with every change of the ranking: figures of two versions do not compare. */
export const modelVersion = 1;

/** Funders with more recipients are left out: they give to nearly everyone, mostly on the advice of donors, who cannot be asked here. */
export const recipientsMax = 10_000;

/** Similar funders that are kept for each funder. */
export const kinMax = 20;

/** Recipients with more funders do not count for the similarity of funders: they say little of it, and take most of the work. */
export const kinLinksMax = 30;

/** The most frequent funders of a state, a cause and its major group among which likely ones are sought, beside similar funders. */
export const popularMax = 100;

/** Funders that gave nothing in this many years before the newest filing are left out. */
export const recentYears = 2;

/**
 * Weights of the ranking. They were chosen once, on real filings of 2018 with a fifth of the pairs hidden. `kin`: the score of a funder with
 * the same recipients as one that gave before is about this many times larger. `known` and `of`: each share is counted as if `of` more
 * recipients were there, and `known` of them of the kind.
 */
export const weights = { kin: 300, known: 0.5, of: 10 } as const;

/** What a list rests on: the funders that gave before; or for an organization without grants, its cause and state alone. */
export const bases = ["grants", "organization"] as const;

export type Basis = (typeof bases)[number];

const share = { type: "number", minimum: 0, maximum: 1 } as const;

const bound = {
  low: nullable({ ...share, description: "Lower bound." }),
  high: nullable({ ...share, description: "Upper bound." }),
};

const measured = (description: string) =>
  exactly(description, {
    value: nullable({ ...share, description: "The figure; null if there is nothing to measure." }),
    ...bound,
  });

export const evaluationSchema = exactly(
  "How right such lists were on filings of the newest year, which they did not see. Intervals of 95 %, rounded outward.",
  {
    hit_at_10: nullable({
      ...share,
      description: "Share of recipients with a new funder among the first ten; null without recipients.",
    }),
    ...bound,
    recall_at_10: measured("Share of all new pairs whose funder is among the first ten."),
    mrr: measured(
      "Mean of one divided by the place of the first new funder, 0 if it is not among the first ten.",
    ),
    baselines: exactly("`hit_at_10` of the ten funders with the most recipients, from the same funders.", {
      state: nullable({ ...share, description: "In the recipient's state." }),
      cause: nullable({ ...share, description: "In the major group of the recipient's cause." }),
    }),
    recipients: {
      ...count,
      description: "Recipients that had a funder before and got a new one, drawn at random.",
    },
    pairs: { ...count, description: "Pairs of such a recipient and a new funder." },
  },
);

export type Evaluation = ValueOf<typeof evaluationSchema>;

export const likelyFundersFactsSchema = exactly("Likely funders, and how right they were.", {
  version: { ...count, description: "Increased with every change of the ranking." },
  hidden_after: nullable({
    type: "string",
    format: "date-time",
    description: "Filings after this time were hidden.",
  }),
  pairs: exactly("Pairs of a funder and a recipient.", {
    filed: { ...count, description: "Those that a grant names by EIN." },
    likely: { ...count, description: "Those that only likely recipients make." },
  }),
  basis: exactly(
    "By what lists rest on.",
    each(bases, () =>
      exactly("Lists with this basis.", {
        why_not: nullable({ type: "string", description: "Why such lists are not served." }),
        evaluated: evaluationSchema,
      }),
    ),
  ),
});

export type LikelyFundersFacts = ValueOf<typeof likelyFundersFactsSchema>;

const href = { type: "string", description: "Path of an answer that shows it." } as const;
const text = { type: "string", description: "The reason for people." } as const;
const recipients = { ...count, description: "Number of these recipients." } as const;

/** Why a funder is listed. Each reason can be checked at `href`. */
export const reasonSchema = {
  anyOf: [
    exactly("It gave to recipients of a funder that gave before.", {
      kind: { const: "shared_recipients" },
      text,
      href,
      funder_ein: fieldSchemas.funder_ein,
      recipients,
    }),
    exactly("It gives to recipients of the same cause.", {
      kind: { const: "cause" },
      text,
      href,
      cause: { type: "string" },
      share,
      recipients,
    }),
    exactly("It gives to recipients in the same state.", {
      kind: { const: "state" },
      text,
      href,
      state: { type: "string" },
      share,
      recipients,
    }),
    exactly("Its usual first grants: half of them are between the two amounts.", {
      kind: { const: "first_grants" },
      text,
      href,
      low: { type: "number" },
      high: { type: "number" },
    }),
    exactly("Whether its newest return that states it takes applications.", {
      kind: { const: "accepts" },
      text,
      href,
      accepts: { enum: ["yes", "no"] },
      tax_year: year,
    }),
    exactly("Recipients to which it gave lately.", { kind: { const: "recent" }, text, href, recipients }),
  ],
} as const;

export type Reason = ValueOf<typeof reasonSchema>;

/** A list of likely funders. */
export const likelyFundersSchema = body(
  "Funders that may give to an organization for the first time, best first.",
  {
    data: {
      type: "array",
      items: exactly("A funder that has not given to it.", {
        funder_ein: fieldSchemas.funder_ein,
        score: { ...count, description: "Greater is more likely. Scores of two recipients do not compare." },
        reasons: {
          type: "array",
          description: "Why it is listed, the strongest first.",
          items: reasonSchema,
        },
      }),
    },
    model: exactly("How the list was made, and how right such lists were.", {
      version: { ...count, description: "Increased with every change of the ranking." },
      basis: {
        enum: bases,
        description: "`organization`: it has no grants, so its cause and state alone count, which is weaker.",
      },
      evaluated: evaluationSchema,
    }),
  },
);
