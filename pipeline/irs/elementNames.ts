// Looks up what an element means by its name, where the name stands in a document: cutting it out first takes longer.

/** Meanings by name, for the few names that may stand below one element. */
export class ElementNames<Meaning> {
  /** By length of the name, which leaves one to three to compare. */
  readonly #byLength: { readonly name: string; readonly meaning: Meaning }[][] = [];

  constructor(meanings: Iterable<readonly [name: string, meaning: Meaning]>) {
    for (const [name, meaning] of meanings) {
      this.#byLength[name.length] ??= [];
      this.#byLength[name.length]?.push({ name, meaning });
    }
  }

  /** The meaning of the name at `text[start, end)`; undefined if it has none. */
  find(text: string, start: number, end: number): Meaning | undefined {
    const candidates = this.#byLength[end - start];
    if (candidates === undefined) return undefined;
    for (const { name, meaning } of candidates) if (text.startsWith(name, start)) return meaning;
    return undefined;
  }
}
