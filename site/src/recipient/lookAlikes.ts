// Finds grants that name a recipient but carry another EIN, or none.

type Named = {
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
  /** The funder of all these grants, if there is only one. */
  readonly funder: string | undefined;
  /** The year of all these grants, if there is only one. */
  readonly year: number | undefined;
};

/** Minimum letters of a name: shorter ones occur in too many others. */
const minLetters = 6;

/** True if a search for the name can find look-alikes. */
export function isSearchable(name: string): boolean {
  return (name.match(/\p{L}/gu)?.length ?? 0) >= minLetters;
}

/** The text to search for: the API takes at most 200 characters. */
export function searchedName(name: string): string {
  return [...name.trim()].slice(0, 200).join("");
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

/**
 * Groups the grants that are not counted by their EIN: slips first, then those without an EIN, then the largest sum.
 * @param ein the recipient's own, whose grants are counted
 */
export function findLookAlikes(ein: string, found: readonly Named[]): LookAlike[] {
  const groups = Map.groupBy(
    found.filter(({ recipient_ein }) => recipient_ein !== ein),
    ({ recipient_ein }) => recipient_ein,
  );
  const alikes = [...groups].map(([other, grants]) => ({
    ein: other,
    grants: grants.length,
    amount: grants.reduce((cents, { amount }) => cents + Math.round(amount * 100), 0) / 100,
    slip: other === null ? undefined : findSlip(other, ein),
    funder: only(grants.map(({ funder_ein }) => funder_ein)),
    year: only(grants.map(({ transaction_year }) => transaction_year)),
  }));
  return alikes.sort(
    (a, b) => rank(a) - rank(b) || b.amount - a.amount || (String(a.ein) < String(b.ein) ? -1 : 1),
  );
}

function rank({ ein, slip }: { ein: string | null; slip: Slip | undefined }): number {
  return slip !== undefined ? 0 : ein === null ? 1 : 2;
}

function only<Value>(values: readonly Value[]): Value | undefined {
  return new Set(values).size === 1 ? values[0] : undefined;
}
