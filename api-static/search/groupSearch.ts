// Answers from the matches of a search in a thread: with their totals, or with groups of them.
import { isDeepStrictEqual } from "node:util";
import { lineEnd } from "../contract/answers/envelope.ts";
import { coveredIn } from "../contract/filters/attributes.ts";
import type { GroupKey } from "../contract/filters.ts";
import { addSums, emptySum, type Sum, stringify, subtractSum } from "../contract/text/amount.ts";
import type { Columns } from "../release/columns.ts";
import type { Records } from "../release/records.ts";
import { addBits, type Bits, newBits, visitBits } from "./bits.ts";
import { type Collected, Collector, Marks, type VisitMatches } from "./collect.ts";
import type { ColumnFilters, ColumnSearch } from "./columnSearch.ts";
import { FirstGroups, type FirstWanted, type Group, type GroupOrder, TopGroups } from "./firstGroups.ts";
import { type GroupKind, type GroupKinds, makeGroupKinds } from "./groupKeys.ts";
import { RecipientNames } from "./recipientNames.ts";
import { formatTotals, Sums } from "./sums.ts";
import type { Checkpoint } from "./texts.ts";

/** Funders and recipients that totals list. */
export const maxTop = 10;

/** The groups wanted: those of the page, in order. */
export type GroupsWanted = {
  readonly by: GroupKey;
  /** Whole values instead of their first letters, if groups are of those. */
  readonly level?: "code" | undefined;
  readonly sort: GroupOrder;
  readonly limit: number;
  readonly offset: number;
  /** Groups that the thread keeps for the next requests with the same matches: an export asks for them page by page. */
  readonly kept?: number;
};

/** A request for totals or groups, as it is sent to a thread. */
export type GroupsRequest = { readonly matches: ColumnFilters; readonly groups?: GroupsWanted };

/** Totals or groups. */
export type FoundGroups = {
  /** The sum of all matches. */
  readonly all: Sum;
  /** The number of all groups; of totals, 0. */
  readonly total: number;
  /** The data of totals, or the groups of the page, each with a line end. */
  readonly lines: Buffer;
};

/** The sums of a thread, which all of its releases use in turn: 12 bytes for each of 2 million groups, and 4 for each of all. */
export type ThreadSums = {
  readonly funders: Sums;
  readonly others: Sums;
  /** Groups whose sums are found first in a broad search, at least: those with the largest sums of all grants. */
  readonly leaders: number;
};

/** @param slice of all groups whose sums are held at once */
export function newThreadSums(leaders = 4_096, slice?: number): ThreadSums {
  return { funders: new Sums(slice), others: new Sums(slice), leaders };
}

/** The first groups of a search, in order. */
type FirstFound = {
  readonly all: Sum;
  readonly total: number;
  readonly groups: readonly Group[];
  /** The ranks of all matches, from which the names of recipients are read. */
  readonly matches: Bits;
};

export class GroupSearch {
  readonly #search: ColumnSearch;
  readonly #kinds: GroupKinds;
  readonly #collector: Collector;
  readonly #marks: Marks;
  readonly #names: RecipientNames;
  readonly #columns: Columns;
  readonly #sums: ThreadSums;
  readonly #checkpoint: Checkpoint;
  /** The groups for the next page of an export, and what was asked for. */
  #kept: { readonly asked: unknown; readonly found: FirstFound } | undefined;

  /** @param funders the release's table of funders */
  constructor(
    columns: Columns,
    { funders, records }: { readonly funders: Buffer; readonly records: Records },
    search: ColumnSearch,
    { sums, checkpoint }: { readonly sums: ThreadSums; readonly checkpoint: Checkpoint },
  ) {
    this.#columns = columns;
    this.#search = search;
    this.#sums = sums;
    this.#checkpoint = checkpoint;
    this.#kinds = makeGroupKinds(columns, funders);
    this.#collector = new Collector(columns);
    this.#marks = new Marks(columns, this.#collector);
    this.#names = new RecipientNames(columns, records, checkpoint);
  }

  /** Drops the groups that are kept for the next page of an export. */
  drop(): void {
    this.#kept = undefined;
  }

  find({ matches, groups }: GroupsRequest): FoundGroups {
    if (groups === undefined) return this.#findTotals(matches);
    return groups.by === "year"
      ? this.#findYears(matches, groups)
      : this.#findGroups(matches, this.#kindOf(groups), groups);
  }

  #kindOf({ by, level }: GroupsWanted): GroupKind {
    const kind = this.#kinds[by as Exclude<GroupKey, "year">];
    return level === "code" ? kind : (kind.major ?? kind);
  }

  #findTotals(request: ColumnFilters): FoundGroups {
    const { funder, recipient } = this.#kinds;
    const { collected, found, matches } = this.#collect(request, [funder, recipient], "amount", maxTop);
    const [funders, recipients] = found as [FirstGroups, FirstGroups];
    const format = (kind: GroupKind, { total, top }: FirstGroups) => ({
      total,
      top: this.#format(kind, top.list(), matches),
    });
    const individuals = this.#marks.addUp("individuals", matches);
    const lines = formatTotals({
      all: collected.all,
      years: collected.years,
      sizes: collected.sizes.map((sum, band) => subtractSum(sum, individuals.sizes[band] ?? emptySum)),
      marks: {
        non_cash: this.#marks.addUpNonCash(matches, [0], () => 0)[0] as Sum,
        individuals: individuals.all,
        passed_on: this.#marks.addUp("passed_on", matches).all,
        donor_advised: this.#marks.addUp("donor_advised", matches).all,
      },
      funders: format(funder, funders),
      recipients: { ...format(recipient, recipients), without: recipients.without },
      coverage: coveredIn(request).length > 0 ? this.#findCoverage(request) : undefined,
    });
    return { all: collected.all, total: 0, lines };
  }

  /** For each filter on a place, the matches of all other filters: those whose place is known, and the others. */
  #findCoverage(request: ColumnFilters): object {
    const entries = coveredIn(request).map(({ name, key }) => {
      const { [key]: _, ...others } = request;
      const unknown = this.#addUp({ ...others, [key]: null });
      const all = this.#addUp(others);
      return [name, { known: subtractSum(all, unknown), unknown }];
    });
    return Object.fromEntries(entries);
  }

  #addUp(request: ColumnFilters): Sum {
    return this.#collector.collect(this.#search.findMatches(request).visit, []).all;
  }

  #findGroups(request: ColumnFilters, kind: GroupKind, wanted: GroupsWanted): FoundGroups {
    const { limit, offset, ...asked } = { ...wanted, request };
    const isKept = isDeepStrictEqual(this.#kept?.asked, asked);
    const found = isKept && this.#kept ? this.#kept.found : this.#findFirst(request, kind, wanted);
    const { all, total, groups, matches } = found;
    const isWanted = wanted.kept !== undefined && offset + limit < groups.length;
    this.#kept = isWanted ? { asked, found } : undefined;
    const page = groups.slice(offset, offset + limit);
    const column = this.#columns.column(kind.column);
    const groupOf = (rank: number) => kind.merge?.(column.at(rank)) ?? column.at(rank);
    const lines = this.#addNonCash(this.#format(kind, page, matches), page, matches, groupOf);
    return { all, total, lines: formatLines(lines) };
  }

  #findFirst(
    request: ColumnFilters,
    kind: GroupKind,
    { sort, limit, offset, kept }: GroupsWanted,
  ): FirstFound {
    const first = kept ?? offset + limit;
    const { collected, found, matches } = this.#collect(request, [kind], sort, kind.merge ? kind.ids : first);
    const [{ total, top }] = found as [FirstGroups];
    const groups = top.list();
    const { all } = collected;
    if (kind.merge === undefined) return { all, total, groups, matches };
    const merged = mergeGroups(groups, kind.merge);
    const firstMerged = new TopGroups(first, sort, kind.placeOf);
    for (const group of merged) firstMerged.offer(group);
    return { all, total: merged.length, groups: firstMerged.list(), matches };
  }

  #findYears(request: ColumnFilters, { sort, limit, offset }: GroupsWanted): FoundGroups {
    const { records, years: windows } = this.#columns.header;
    const matches = newBits(records);
    const { visit } = this.#search.findMatches(request);
    const { years, all } = this.#pass([], visitInto(matches, visit));
    const top = new TopGroups(offset + limit, sort, (year) => year);
    for (const { year, ...sum } of years) top.offer({ id: year, ...sum });
    const page = top.list().slice(offset);
    const lines = page.map(({ id, ...sum }) => ({ transaction_year: id, ...sum }));
    let at = 0; // ranks ascend
    const yearOf = (rank: number) => {
      while (rank >= (windows[at + 1]?.first ?? records)) at += 1;
      return windows[at]?.year ?? 0;
    };
    return { all, total: years.length, lines: formatLines(this.#addNonCash(lines, page, matches, yearOf)) };
  }

  /** Adds the non-cash support of each group. */
  #addNonCash(
    lines: readonly object[],
    groups: readonly Group[],
    matches: Bits,
    groupOf: (rank: number) => number,
  ): object[] {
    const ids = groups.map(({ id }) => id);
    const sums = this.#marks.addUpNonCash(matches, ids, groupOf);
    return lines.map((line, index) => ({ ...line, non_cash: sums[index] }));
  }

  /** Adds up the matches by the kinds. They are searched once; further passes, and the names of recipients, read `matches`. */
  #collect(request: ColumnFilters, kinds: readonly GroupKind[], order: GroupOrder, limit: number) {
    const { records } = this.#columns.header;
    const { most, visit } = this.#search.findMatches(request);
    const wanted: FirstWanted = { order, limit, share: most / records, leaders: this.#sums.leaders };
    const found = kinds.map((kind) => {
      const sums = kind === this.#kinds.funder ? this.#sums.funders : this.#sums.others;
      return new FirstGroups(this.#columns, kind, sums, wanted);
    });
    const matches = newBits(records);
    const collected = this.#pass(found, visitInto(matches, visit));
    let left = found.filter((groups) => !groups.end());
    while (left.length > 0) {
      this.#pass(left, (add) =>
        visitBits(matches, (some) => {
          this.#checkpoint();
          add(some);
        }),
      );
      left = left.filter((groups) => !groups.end());
    }
    return { collected, found, matches };
  }

  #pass(groupings: readonly FirstGroups[], visitMatches: VisitMatches): Collected {
    for (const groups of groupings) groups.start();
    return this.#collector.collect(visitMatches, groupings);
  }

  /** Groups as they are written: key, records, amount. */
  #format(kind: GroupKind, groups: readonly Group[], matches: Bits): object[] {
    const ids = groups.map(({ id }) => id);
    const names = kind === this.#kinds.recipient ? this.#names.find(matches, ids) : undefined;
    return groups.map(({ id, records, amount }) => ({
      ...kind.fieldsOf(id),
      ...(names && { recipient_name: names.get(id) ?? null }),
      records,
      amount,
    }));
  }
}

/** Visits matches, and adds them to `matches`. */
function visitInto(matches: Bits, visitMatches: VisitMatches): VisitMatches {
  return (visit) =>
    visitMatches((ranks) => {
      addBits(matches, ranks);
      visit(ranks);
    });
}

/** The sums of groups that are one: `merge` gives the id of each, which is that of one of them. */
function mergeGroups(groups: readonly Group[], merge: (id: number) => number): Group[] {
  const merged = Map.groupBy(groups, ({ id }) => merge(id));
  return [...merged].map(([id, some]) => ({ id, ...addSums(some) }));
}

export function formatLines(groups: readonly object[]): Buffer {
  return Buffer.from(groups.map((group) => stringify(group) + lineEnd).join(""));
}
