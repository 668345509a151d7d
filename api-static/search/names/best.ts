// Keeps the best organizations while candidates come in any order.
import type { NameMatch } from "../../contract/operations/organizations.ts";

/** Scores closer than this are equal: the number of grants then decides. */
const band = 0.03;

/** Scores this close below a band, in bands, are in it. */
const rounding = 1e-6;

/** Puts any exact match above all others. */
const exactSteps = 100;

/** An organization and how well it matches. */
export type Candidate = {
  readonly id: number;
  readonly score: number;
  readonly match: NameMatch;
};

/** The best candidates: exact ones first, then by score, then by number. */
export class Best {
  readonly #limit: number;
  readonly #keys: number[] = [];
  readonly #found: Candidate[] = [];
  /** Lower scores are in a lower band than the last one; any score is in none while there is room. */
  #lowest = Number.NEGATIVE_INFINITY;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Adds a candidate. Of one that comes again, the better match is kept. */
  add(id: number, score: number, match: NameMatch): void {
    const key = keyOf(id, score, match);
    if (this.#isFull && key < (this.#keys.at(-1) as number)) return;
    const before = this.#found.findIndex((candidate) => candidate.id === id);
    if (before >= 0) {
      if ((this.#keys[before] as number) >= key) return;
      this.#keys.splice(before, 1);
      this.#found.splice(before, 1);
    }
    let at = this.#keys.length;
    while (at > 0 && (this.#keys[at - 1] as number) < key) at--;
    this.#keys.splice(at, 0, key);
    this.#found.splice(at, 0, { id, score, match });
    if (this.#keys.length > this.#limit) {
      this.#keys.pop();
      this.#found.pop();
    }
    if (this.#isFull) this.#lowest = (Math.ceil((this.#keys.at(-1) as number) / 2 ** 32) - rounding) * band;
  }

  /** True if a candidate with at most this score is not among the best, unless it is an exact match. */
  rejects(id: number, score: number): boolean {
    if (score < this.#lowest) return true;
    return this.#isFull && keyOf(id, score, "words") <= (this.#keys.at(-1) as number);
  }

  get #isFull(): boolean {
    return this.#keys.length === this.#limit;
  }

  /** The lowest score; 0 while there is room for more. */
  get least(): number {
    return this.#found.length < this.#limit ? 0 : Math.min(...this.#found.map(({ score }) => score));
  }

  get found(): readonly Candidate[] {
    return this.#found;
  }
}

/** Orders candidates: an exact match first, then the higher score, then the lower number. */
function keyOf(id: number, score: number, match: NameMatch): number {
  const steps = Math.floor(score / band + rounding) + (match === "exact" ? exactSteps : 0);
  return steps * 2 ** 32 - id;
}
