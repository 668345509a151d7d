// What a query for organizations wants, and what is found for it so far.
import { placeWords } from "../../contract/nameWords.ts";
import type { NameMatch } from "../../contract/operations/organizations.ts";
import { addBit, type Bits } from "../bits.ts";
import { Best, type Candidate } from "./best.ts";
import { codeState, type NameIndex, roleBits } from "./nameIndex.ts";
import type { OrganizationQuery } from "./organizationQuery.ts";

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
