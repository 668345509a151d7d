// Names the rules that find likely recipients, and the kinds of their disagreements.

/** The rules, surest first: a grant takes the first one that names exactly one organization. Each is one sentence for people. */
export const matchRules = {
  history: "At least two other funders filed this EIN for the same name in the same city.",
  name_and_place: "The only organization of this name in the same city or ZIP code.",
  other_form_of_name:
    "The only organization in the same city or ZIP code with these words in another order, or with a part of this name.",
  misspelled:
    "The only organization in the same city or ZIP code whose name differs by at most two letters, by one in short words.",
  operator: "The operator of this service read the grant and named this EIN.",
} as const;

export type MatchRule = keyof typeof matchRules;

export const matchRuleNames = Object.keys(matchRules) as MatchRule[];

/** Why a rule may name another EIN than the one that was filed. */
export const disagreementClasses = {
  digits: "The filed EIN differs by one or two digits.",
  unlisted: "The filed EIN is on no list.",
  same_name: "The filed EIN belongs to another organization of the same name.",
  related_name: "The filed EIN belongs to an organization that shares a word of the name, e.g., a parent.",
  other_name: "The filed EIN belongs to an organization of another name.",
} as const;

export type DisagreementClass = keyof typeof disagreementClasses;
