// Defines the rule of an element of a return: the value, table row or form that it is, and the rules of the elements below it.
/** A value of the return's header or forms, at most one of each. */
export type ReturnField =
  | "ein"
  | "nameLine1"
  | "nameLine2"
  | "city"
  | "state"
  | "zip"
  | "country"
  | "returnType"
  | "taxYear"
  | "periodBegin"
  | "periodEnd"
  | "timestamp"
  | "amended"
  | "groupReturn"
  | "paidTotal"
  | "paidExpenses"
  | "paidDisbursements"
  | "domesticTotal"
  | "individualTotal"
  | "foreignTotal"
  | "revenue"
  | "expenses"
  | "assets"
  | "grantsPaid"
  | "activity"
  | "mission"
  | "preselected"
  | "applications"
  | "applicationForm"
  | "deadlines"
  | "restrictions"
  | "advisedFunds";

/** A value of one grant. */
export type GrantField =
  | "businessLine1"
  | "businessLine2"
  | "person"
  | "recipientEin"
  | "amount"
  | "nonCashAmount"
  | "nonCashDescription"
  | "purpose"
  | "city"
  | "state"
  | "zip"
  | "country"
  | "status"
  | "relationship";

/**
 * The tables of grants: Schedule I Part II and Part III, Schedule F Part II, and 990-PF lines 3a and 3b. Line 3b, approved for future
 * payment, is never loaded.
 */
export type GrantKind = "organizations" | "individuals" | "foreign" | "paid" | "future";

/** The forms that returns are counted by; `other` has all without a rule here, e.g., 4720 and 8868. */
export const formNames = ["990", "990PF", "990EZ", "990T", "other"] as const;

export type FormName = (typeof formNames)[number];

/** The meaning of an element: the elements below it, and the value, table row or form that it is. */
export type ElementRule = {
  readonly below: ElementNames<ElementRule>;
  readonly returnField: ReturnField | undefined;
  /** The field that is an X if any element stands below this one. */
  readonly filledField: ReturnField | undefined;
  readonly grantField: GrantField | undefined;
  readonly grant: GrantKind | undefined;
  readonly form: FormName | undefined;
};

/** Meanings by name, for the few names that may stand below one element. */
export class ElementNames<Meaning> {
  /** By length of the name, which leaves one to three to compare. */
  readonly #byLength: { readonly name: Uint8Array; readonly meaning: Meaning }[][] = [];

  constructor(meanings: Iterable<readonly [name: string, meaning: Meaning]>) {
    for (const [name, meaning] of meanings) {
      this.#byLength[name.length] ??= [];
      this.#byLength[name.length]?.push({ name: Buffer.from(name, "latin1"), meaning });
    }
  }

  /** The meaning of the name at `xml[start, end)`; undefined if it has none. */
  find(xml: Uint8Array, start: number, end: number): Meaning | undefined {
    const candidates = this.#byLength[end - start];
    if (candidates === undefined) return undefined;
    for (let index = 0; index < candidates.length; index += 1) {
      const candidate = candidates[index]; // not by `of`, whose iterator takes longer than the comparison
      if (candidate !== undefined && standsAt(xml, start, candidate.name)) return candidate.meaning;
    }
    return undefined;
  }
}

/** Compares from the end: names that share a length mostly begin alike. */
function standsAt(xml: Uint8Array, start: number, name: Uint8Array): boolean {
  for (let at = name.length - 1; at >= 0; at -= 1) if (xml[start + at] !== name[at]) return false;
  return true;
}

type Meaning = Partial<Omit<ElementRule, "below">>;
export type Rules = Readonly<Record<string, ElementRule>>;

/** A key has all names of an element, past and present, separated by "|". */
export function rule(
  below: Rules,
  { returnField, filledField, grantField, grant, form }: Meaning = {},
): ElementRule {
  const names = Object.entries(below).flatMap(([keys, one]) =>
    keys.split("|").map((name) => [name, one] as const),
  );
  // All rules have the same properties, because objects of one shape are read faster.
  return { below: new ElementNames(names), returnField, filledField, grantField, grant, form };
}
