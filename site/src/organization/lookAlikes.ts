// Finds grants that name a recipient but carry another EIN, or none.
import { nameWords } from "../../../api-static/contract/names.ts";
import { canonicalText } from "../../../api-static/contract/text.ts";
import { searchable } from "../address/query.ts";
import { isGeneralName } from "../text/generalNames.ts";

type Named = {
  readonly id: number;
  readonly recipient_name: string | null;
  readonly recipient_ein: string | null;
  readonly funder_ein: string;
  readonly transaction_year: number;
  readonly amount: number;
};

/** A difference of two EINs that looks like a slip. */
export type Slip = "one digit" | "two digits swapped";

export type LookAlike = {
  /** Null: the grants carry no EIN. */
  readonly ein: string | null;
  readonly grants: number;
  readonly amount: number;
  readonly slip: Slip | undefined;
  /** The spelling whose search found all these grants, if it is only one. */
  readonly name: string | undefined;
  /** The funder of all these grants, if there is only one. */
  readonly funder: string | undefined;
  /** The year of all these grants, if there is only one. */
  readonly year: number | undefined;
};

/** Minimum letters of a name: shorter ones occur in too many others. */
const minLetters = 6;

/** Maximum spellings to search for: each is a call. */
const maxSpellings = 6;

/**
 * The spellings to search for: the name shown, then those of the recipient's own grants, most frequent first. A spelling that
 * contains an earlier one is omitted, because the API finds it with that one. So are those of few letters, and those that name nobody.
 * @param shown the name at the top of the page; null if it is not known
 */
export function chooseSpellings(
  shown: string | null,
  grants: readonly Pick<Named, "recipient_name">[],
): string[] {
  const counts = new Map<string, { name: string; grants: number }>();
  for (const { recipient_name: name } of grants) {
    if (name === null) continue;
    const spelling = counts.get(canonicalText(name)) ?? { name, grants: 0 };
    counts.set(canonicalText(name), { ...spelling, grants: spelling.grants + 1 });
  }
  const frequent = [...counts.values()].sort((a, b) => b.grants - a.grants || (a.name < b.name ? -1 : 1));
  const chosen: string[] = [];
  for (const name of [...(shown === null ? [] : [shown]), ...frequent.map((each) => each.name)]) {
    const isFound = chosen.some((earlier) => canonicalText(name).includes(canonicalText(earlier)));
    const hasLetters = (name.match(/\p{L}/gu)?.length ?? 0) >= minLetters;
    if (!isFound && hasLetters && !isGeneralName(name)) chosen.push(searchable(name));
  }
  return chosen.slice(0, maxSpellings);
}

/** How two EINs differ: by one digit, by two neighbors swapped, or undefined if by more, or not at all. */
export function findSlip(a: string, b: string): Slip | undefined {
  const differing = [...a].flatMap((digit, index) => (digit === b[index] ? [] : [index]));
  const [first = 0, second] = differing;
  if (a.length !== b.length) return undefined;
  if (differing.length === 1) return "one digit";
  const isSwap =
    differing.length === 2 && second === first + 1 && a[first] === b[second] && a[second] === b[first];
  return isSwap ? "two digits swapped" : undefined;
}

/** The grants that a search for a spelling found. */
export type Search = { readonly name: string; readonly found: readonly Named[] };

/**
 * Groups the grants that are not counted by their EIN: slips first, then those without an EIN, then the largest sum. Those
 * without an EIN are also grouped by spelling, because only their name can find them again. Grants that merely contain one of
 * the rarer spellings, such as "UNITED WAY", are omitted unless their EIN is a slip.
 * @param ein the recipient's own, whose grants are counted
 * @param searches each grant belongs to the first that found it
 */
export function findLookAlikes(ein: string, searches: readonly Search[]): LookAlike[] {
  const found = new Map<number, { grant: Named; name: string }>();
  for (const [index, { name, found: grants }] of searches.entries())
    for (const grant of grants) {
      const { id, recipient_ein: other, recipient_name } = grant;
      const isSlip = other !== null && findSlip(other, ein) !== undefined;
      const isNamed = index === 0 || isSlip || hasSameWords(recipient_name ?? "", name);
      if (other !== ein && isNamed && !found.has(id)) found.set(id, { grant, name });
    }
  const groups = Map.groupBy(found.values(), ({ grant: { recipient_ein: other }, name }) => other ?? name);
  const alikes = [...groups.values()].map((members) => {
    const grants = members.map(({ grant }) => grant);
    const other = grants[0]?.recipient_ein ?? null;
    return {
      ein: other,
      grants: grants.length,
      amount: grants.reduce((cents, { amount }) => cents + Math.round(amount * 100), 0) / 100,
      slip: other === null ? undefined : findSlip(other, ein),
      name: only(members.map(({ name }) => name)),
      funder: only(grants.map(({ funder_ein }) => funder_ein)),
      year: only(grants.map(({ transaction_year }) => transaction_year)),
    };
  });
  return alikes.sort(
    (a, b) => rank(a) - rank(b) || b.amount - a.amount || (String(a.ein) < String(b.ein) ? -1 : 1),
  );
}

function hasSameWords(one: string, other: string): boolean {
  return nameWords(one).join(" ") === nameWords(other).join(" ");
}

function rank({ ein, slip }: { ein: string | null; slip: Slip | undefined }): number {
  return slip !== undefined ? 0 : ein === null ? 1 : 2;
}

function only<Value>(values: readonly Value[]): Value | undefined {
  return new Set(values).size === 1 ? values[0] : undefined;
}
