// Defines matches: likely recipients of grants that name no EIN, and the figures that show how right each rule is.
import { einDigitsSchema } from "../ein.ts";
import { type DisagreementClass, disagreementClasses, matchRuleNames, matchRules } from "./matchRules.ts";
import { fieldSchemas } from "./record.ts";
import { counted, each, exactly, list, nullable, type ValueOf } from "./schema.ts";

/** Increased with every change of the rules. */
export const rulesVersion = 3;

const disagreementNames = Object.keys(disagreementClasses) as DisagreementClass[];

const share = { type: "number", minimum: 0, maximum: 1 } as const;

const ruleSchema = {
  enum: matchRuleNames,
  description: matchRuleNames.map((rule) => `\`${rule}\`: ${matchRules[rule]}`).join(" "),
} as const;

/** A match of a grant in an answer. */
export const matchSchema = exactly("The likely recipient of a grant.", {
  id: { ...fieldSchemas.id, description: "The grant's id." },
  matched_ein: { ...einDigitsSchema, description: "EIN of the likely recipient." },
  match_rule: ruleSchema,
  match_score: {
    ...share,
    description: "The rule's precision in this release, at least; 1 for `operator`.",
  },
  match_evidence: { type: "string", description: "What the rule relied on, for people." },
});

export type Match = ValueOf<typeof matchSchema>;

/** SQL for the JSON text of a match without its id, on a table with its columns: what is said of all grants with the same text. */
export const matchTextSql = `to_json({${["matched_ein", "match_rule", "match_score", "match_evidence"].map((name) => `${name}: ${name}`).join(", ")}})`;

const comparison = (description: string) =>
  exactly(description, {
    compared: counted("Number of pairs of a funder and a recipient as filed."),
    agreed: counted("Those of them for which the rule found the filed EIN."),
    share: nullable({ ...share, description: "`agreed` of `compared`; null if nothing was compared." }),
    low: nullable({ ...share, description: "Lower bound of its confidence interval of 95 %." }),
    high: nullable({ ...share, description: "Upper bound of it." }),
  });

/** How right a rule was on recipients with a filed EIN, which it did not see. */
export const ruleFiguresSchema = exactly("A rule.", {
  rule: ruleSchema,
  served: { type: "boolean", description: "True if its matches are part of the release." },
  why: nullable({ type: "string", description: "Why it is not served." }),
  records: counted("Number of grants without an EIN that it matched."),
  agreement: comparison("Agreement with filed EINs, of which about 2 % are wrong."),
  precision: comparison(
    "Agreement with EINs that at least two funders filed for the same name and city, unless more filed another one and the list does not know the EIN by this name.",
  ),
  alone: comparison(
    "Agreement with listed EINs for a name and city that no other funder filed, as with most grants without an EIN.",
  ),
  recall: nullable({ ...share, description: "Share of all filed EINs with a place that it found." }),
  disagreements: exactly(
    "Pairs for which it named another EIN, by kind.",
    each(disagreementNames, (name) => counted(disagreementClasses[name])),
  ),
});

export type RuleFigures = ValueOf<typeof ruleFiguresSchema>;

/** Facts about the matches of a release. */
export const matchFactsSchema = exactly(
  "Likely recipients of grants without an EIN, and how right each rule was on hidden EINs.",
  {
    rules_version: counted("Increased with every change of the rules."),
    why: nullable({ type: "string", description: "Why there are no matches, or fewer rules." }),
    without_ein: counted("Number of grants that name a recipient but no EIN."),
    placed: counted("Those of them with a state and a city or ZIP code."),
    matched: counted("Those of them with a match."),
    recall: comparison("Filed EINs with a place that a served rule found."),
    rules: list("The rules, surest first.", ruleFiguresSchema),
  },
);

export type MatchFacts = ValueOf<typeof matchFactsSchema>;

/** The facts of a release without matches. */
export function noMatches(why: string): MatchFacts {
  return {
    rules_version: rulesVersion,
    why,
    without_ein: 0,
    placed: 0,
    matched: 0,
    recall: { compared: 0, agreed: 0, share: null, low: null, high: null },
    rules: [],
  };
}
