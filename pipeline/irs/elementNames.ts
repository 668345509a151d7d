// Looks up the meaning of an element by the bytes of its name in a document: cutting the name out first takes longer.

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
