// Gathers the ways in which filers wrote a recipient's name.

export type Spelling = { readonly name: string; readonly grants: number };

/** A spelling of filed grants, of likely ones, or of both. */
export type CountedSpelling = Spelling & { readonly likely: number };

type Named = { readonly recipient_name: string | null };

/**
 * The spellings of the grants' recipient, most frequent first; upper and lower case and white space make no difference.
 * Each is shown as it is written most often, rather not in capitals.
 */
export function findSpellings(grants: readonly Named[]): Spelling[] {
  const byFolded = new Map<string, Map<string, number>>();
  for (const { recipient_name } of grants) {
    const name = recipient_name?.trim().replaceAll(/\s+/g, " ").normalize("NFC") ?? "";
    if (name === "") continue;
    const folded = name.toLowerCase();
    const forms = byFolded.get(folded) ?? new Map<string, number>();
    forms.set(name, (forms.get(name) ?? 0) + 1);
    byFolded.set(folded, forms);
  }
  return [...byFolded.values()]
    .map((forms) => ({
      name: mostFrequent(forms),
      grants: [...forms.values()].reduce((sum, count) => sum + count, 0),
    }))
    .sort((a, b) => b.grants - a.grants || (a.name < b.name ? -1 : 1));
}

/** The spellings of filed grants, and then those that only likely ones have. */
export function countSpellings(filed: readonly Named[], likely: readonly Named[]): CountedSpelling[] {
  const rest = new Map(findSpellings(likely).map((spelling) => [spelling.name.toLowerCase(), spelling]));
  const spellings = findSpellings(filed).map((spelling) => {
    const also = rest.get(spelling.name.toLowerCase())?.grants ?? 0;
    rest.delete(spelling.name.toLowerCase());
    return { ...spelling, likely: also };
  });
  return [
    ...spellings,
    ...[...rest.values()].map(({ name, grants }) => ({ name, grants: 0, likely: grants })),
  ];
}

function mostFrequent(forms: ReadonlyMap<string, number>): string {
  const [first] = [...forms].sort(
    ([a, countA], [b, countB]) =>
      countB - countA || Number(isCapitals(a)) - Number(isCapitals(b)) || (a < b ? -1 : 1),
  );
  return first?.[0] ?? "";
}

function isCapitals(name: string): boolean {
  return name === name.toUpperCase();
}
