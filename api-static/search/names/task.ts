// Defines queries for organizations and their answers, and keeps the best of what is found for a query so far, in any order.

import type { ListedOrganization, NameMatch, Role } from "../../contract/operations/organizations.ts";
import { placeWords } from "../../contract/text/nameWords.ts";
import { addBit, type Bits } from "../bits.ts";
import { codeState, type NameIndex, roleBits } from "./nameIndex.ts";

/** What an organization must have, or may have, to be found. */
export type OrganizationQuery = {
  /** Canonical text: words of the name, in any order, also of the city or state; or an EIN. */
  readonly name: string;
  /** Only organizations in this state: two upper-case letters. */
  readonly state?: string;
  /** Only organizations that gave grants, or that received some. */
  readonly role?: Role;
  /** Words of a place, e.g., a city: organizations there score higher. */
  readonly place?: string;
  /** Maximum number of organizations. */
  readonly limit: number;
};

export type FoundOrganization = ListedOrganization & {
  /** 0 to 100: the share of the query in the name, times the share of the name in the query, rare words counting more. */
  readonly score: number;
};

/** What the index says about an organization. The list has its name and place. */
export type IndexedOrganization = Omit<FoundOrganization, "name" | "city" | "state">;

export type IndexedOrganizations = {
  readonly total: number;
  readonly organizations: readonly IndexedOrganization[];
};

/**
 * The best organizations first. `total` counts all organizations with the query's words; the last word may be the start of a longer one.
 * If no organization has them all, `total` counts those with similar words, or with some of the words, among the 8,000 with the rarest.
 */
export type FoundOrganizations = {
  readonly total: number;
  readonly organizations: readonly FoundOrganization[];
};

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

/** What an alias counts, compared with the present name: too little for a match that no person checks. */
const aliasShare = 0.89;

/** What a name counts that has none of the words of `place`. */
const elsewhereShare = 0.85;

export class Task {
  readonly #index: NameIndex;
  readonly #best: Best;
  readonly #role: number;
  readonly #state: number | undefined;
  readonly #place: ReadonlySet<number> | undefined;
  readonly #acceptsAll: boolean;
  /** The organizations counted. */
  readonly #counted: Bits;
  total = 0;

  /** @param counted bits without meaning, as many as the index has organizations */
  constructor(index: NameIndex, { state, role, place, limit }: OrganizationQuery, counted: Bits) {
    this.#index = index;
    this.#best = new Best(limit);
    this.#role = role === undefined ? 0 : roleBits[role];
    this.#state = state === undefined ? undefined : codeState(state);
    this.#acceptsAll = state === undefined && role === undefined;
    this.#place =
      place === undefined ? undefined : new Set(placeWords(place, "").map((word) => index.find(word)));
    this.#counted = counted;
    counted.fill(0);
  }

  /** True if an organization has the state and the role that the query wants. */
  accepts(id: number): boolean {
    if (this.#acceptsAll) return true;
    const { roles, place, placeState } = this.#index;
    return (
      ((roles[id] as number) & this.#role) === this.#role &&
      (this.#state === undefined || placeState[place[id] as number] === this.#state)
    );
  }

  /** Counts an organization, once. */
  count(id: number): void {
    if (addBit(this.#counted, this.#index.organizationOf(id))) this.total += 1;
  }

  add(id: number, score: number, match: NameMatch): void {
    const organization = this.#index.organizationOf(id);
    const share = this.#placeShare(id);
    if (organization === id) this.#best.add(id, score * share, match);
    else this.#best.add(organization, score * share * aliasShare, match === "exact" ? "words" : match);
  }

  /** True if an organization with at most this score cannot be among the best, unless it is an exact match. */
  rejects(id: number, score: number): boolean {
    return this.#best.rejects(this.#index.organizationOf(id), score);
  }

  #placeShare(id: number): number {
    if (this.#place === undefined) return 1;
    const { facts, placeStart, placeWord } = this.#index;
    const place = facts.place(id);
    const words = placeWord.subarray(placeStart[place], placeStart[place + 1]);
    return words.some((word) => this.#place?.has(word)) ? 1 : elsewhereShare;
  }

  /** The score that a candidate must exceed to be among the best; 0 while there are few. */
  get least(): number {
    return this.#best.least;
  }

  /** The highest score so far; 0 if there is none. */
  get bestScore(): number {
    return Math.max(0, ...this.#best.found.map(({ score }) => score));
  }

  get best(): readonly Candidate[] {
    return this.#best.found;
  }
}
