// Finds the first groups of one kind, in as many passes over the matches as their sums take.
import { emptySum, type Sum } from "../contract/sizes.ts";
import type { Column, Columns } from "../release/columns.ts";
import { hasBit } from "./bits.ts";
import type { GroupKind } from "./groupKeys.ts";
import { Leaders } from "./leaders.ts";
import type { Sums } from "./sums.ts";
import { type GroupOrder, TopGroups } from "./topGroups.ts";

/** What is wanted of the groups of a kind. */
export type FirstWanted = {
  readonly order: GroupOrder;
  readonly limit: number;
  /** The share of all records that match, at most. */
  readonly share: number;
  /** Leaders whose sums are found first, at least. */
  readonly leaders: number;
};

export class FirstGroups {
  /** The group of each rank. */
  readonly column: Column;
  readonly sums: Sums;
  /** The matches that are in no group. */
  without: Sum = emptySum;
  /** The number of groups with matches. */
  total = 0;
  top: TopGroups;
  readonly #kind: GroupKind;
  readonly #wanted: FirstWanted;
  readonly #leaders: Leaders | undefined;
  /** Leaders of this pass; undefined if it is about the slice of all groups that starts at `#first`. */
  #count: number | undefined;
  #first = 0;

  constructor(columns: Columns, kind: GroupKind, sums: Sums, wanted: FirstWanted) {
    this.column = columns.column(kind.column);
    this.sums = sums;
    this.#kind = kind;
    this.#wanted = wanted;
    this.#leaders = kind.hasLeaders ? new Leaders(columns, wanted.order, wanted.leaders) : undefined;
    this.#count = this.#leaders?.choose(wanted.share, wanted.limit);
    this.top = this.#newTop();
  }

  /** Starts a pass: all matches are added to `sums` then. */
  start(): void {
    const { ids, none } = this.#kind;
    if (this.#count === undefined) this.sums.start(ids, { first: this.#first });
    else this.sums.start(ids, { ids: (this.#leaders as Leaders).list(this.#count, none) });
  }

  /** Ends a pass. Returns false if the groups are not found, so that another one is needed. */
  end(): boolean {
    const { sums } = this;
    const { ids, none } = this.#kind;
    const places = sums.end();
    this.without = sums.sumOf(none) ?? this.without;
    const isWithout = none >= 0 && hasBit(sums.seen, none);
    this.total = sums.countSeen() - (isWithout ? 1 : 0);
    this.top.offerAll(sums, places, none);
    if (this.#count === undefined) {
      this.#first += sums.maxSlice;
      return this.#first >= ids;
    }
    const found = places.length - (isWithout ? 1 : 0);
    const last = this.top.list()[this.#wanted.limit - 1];
    if (found === this.total || this.#leaders?.isProven(this.#count, last)) return true;
    this.#count = this.#leaders?.grow(this.#count);
    this.top = this.#newTop();
    return false;
  }

  #newTop(): TopGroups {
    return new TopGroups(this.#wanted.limit, this.#wanted.order, this.#kind.placeOf);
  }
}
