// Answers from the matches of a search in a thread: with their totals, or with groups of them.
import { isDeepStrictEqual } from "node:util";
import { stringify } from "../contract/amount.ts";
import { lineEnd } from "../contract/envelope.ts";
import { coveredIn } from "../contract/filters/attributes.ts";
import type { GroupKey } from "../contract/filters.ts";
import { emptySum, type Sum } from "../contract/sizes.ts";
import type { Columns } from "../release/columns.ts";
import type { Records } from "../release/records.ts";
import { type Collected, Collector } from "./collect.ts";
import type { ColumnFilters, ColumnSearch } from "./columnSearch.ts";
import { type GroupKind, type GroupKinds, makeGroupKinds } from "./groupKeys.ts";
import { RecipientNames } from "./recipientNames.ts";
import { Sums } from "./sums.ts";
import type { Checkpoint } from "./texts.ts";
import { type Group, type GroupOrder, TopGroups } from "./topGroups.ts";
import { formatTotals } from "./totals.ts";

/** Funders and recipients that totals list. */
export const maxTop = 10;

/** The groups wanted: those of the page, in order. */
export type GroupsWanted = {
  readonly by: GroupKey;
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

/** The sums of a thread, which all of its releases use in turn: 12 bytes per group, and 20 to 40 MB; at most 250 MB. */
export type ThreadSums = readonly [Sums, Sums];

export function newThreadSums(): ThreadSums {
  return [new Sums(2 ** 20), new Sums(2 ** 24)];
}

/** The first groups of a search, in order. */
type FirstGroups = { readonly all: Sum; readonly total: number; readonly groups: readonly Group[] };

/** The groups of one kind: how many they are, the first of them, and the sum of the matches that are in none. */
type FoundKind = { total: number; without: Sum; readonly top: TopGroups };

export class GroupSearch {
  readonly #search: ColumnSearch;
  readonly #kinds: GroupKinds;
  readonly #collector: Collector;
  readonly #names: RecipientNames;
  readonly #columns: Columns;
  readonly #sums: ThreadSums;
  readonly #checkpoint: Checkpoint;
  /** The groups for the next page of an export, and what was asked for. */
  #kept: { readonly asked: unknown; readonly found: FirstGroups } | undefined;

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
    this.#names = new RecipientNames(columns, records);
  }

  /** Drops the groups that are kept for the next page of an export. */
  drop(): void {
    this.#kept = undefined;
  }

  find({ matches, groups }: GroupsRequest): FoundGroups {
    if (groups === undefined) return this.#findTotals(matches);
    return groups.by === "year"
      ? this.#findYears(matches, groups)
      : this.#findGroups(matches, this.#kinds[groups.by], groups);
  }

  #findTotals(request: ColumnFilters): FoundGroups {
    const { funder, recipient } = this.#kinds;
    const { collected, found } = this.#collect(request, [funder, recipient], "amount", maxTop);
    const [funders, recipients] = found as [FoundKind, FoundKind];
    const { years, sizes, all } = collected;
    const format = (kind: GroupKind, { total, top }: FoundKind) => ({
      total,
      top: this.#format(request, kind, top.list()),
    });
    const lines = formatTotals({
      ...{ all, years, sizes },
      funders: format(funder, funders),
      recipients: { ...format(recipient, recipients), without: recipients.without },
      coverage: coveredIn(request).length > 0 ? this.#findCoverage(request) : undefined,
    });
    return { all, total: 0, lines };
  }

  /** For each filter on a place, the matches of all other filters: those whose place is known, and the others. */
  #findCoverage(request: ColumnFilters): object {
    const entries = coveredIn(request).map(({ name, key }) => {
      const { [key]: _, ...others } = request;
      const kind = this.#kinds[name];
      const { collected, found } = this.#collect(others, [{ ...kind, none: kind.ids - 1 }], "amount", 1);
      const [{ without: unknown }] = found as [FoundKind];
      const known = {
        records: collected.all.records - unknown.records,
        amount: collected.all.amount - unknown.amount,
      };
      return [name, { known, unknown }];
    });
    return Object.fromEntries(entries);
  }

  #findGroups(request: ColumnFilters, kind: GroupKind, wanted: GroupsWanted): FoundGroups {
    const { limit, offset, ...asked } = { ...wanted, request };
    const isKept = isDeepStrictEqual(this.#kept?.asked, asked);
    const found = isKept && this.#kept ? this.#kept.found : this.#findFirst(request, kind, wanted);
    const { all, total, groups } = found;
    const isWanted = wanted.kept !== undefined && offset + limit < groups.length;
    this.#kept = isWanted ? { asked, found } : undefined;
    return {
      all,
      total,
      lines: formatLines(this.#format(request, kind, groups.slice(offset, offset + limit))),
    };
  }

  #findFirst(
    request: ColumnFilters,
    kind: GroupKind,
    { sort, limit, offset, kept }: GroupsWanted,
  ): FirstGroups {
    const { collected, found } = this.#collect(request, [kind], sort, kept ?? offset + limit);
    const [{ total, top }] = found as [FoundKind];
    return { all: collected.all, total, groups: top.list() };
  }

  #findYears(request: ColumnFilters, { sort, limit, offset }: GroupsWanted): FoundGroups {
    const { years, all } = this.#collector.collect(this.#search, request, []);
    const top = new TopGroups(offset + limit, sort, (year) => year);
    for (const { year, ...sum } of years) top.offer({ id: year, ...sum });
    const page = top.list().slice(offset);
    const lines = page.map(({ id, ...sum }) => ({ transaction_year: id, ...sum }));
    return { all, total: years.length, lines: formatLines(lines) };
  }

  /** Adds up the matches by the kinds, in as many passes as their sums need. */
  #collect(request: ColumnFilters, kinds: readonly GroupKind[], order: GroupOrder, limit: number) {
    const groupings = kinds.map(({ column, ids }, index) => ({
      column: this.#columns.column(column),
      sums: this.#sums[kinds.length === 1 ? 1 : index] as Sums,
      ids,
    }));
    const found = kinds.map(({ placeOf }): FoundKind => {
      return { total: 0, without: emptySum, top: new TopGroups(limit, order, placeOf) };
    });
    const passes = Math.max(...groupings.map(({ sums, ids }) => Math.ceil(ids / sums.maxSize)));
    let collected: Collected | undefined;
    for (let pass = 0; pass < passes || collected === undefined; pass++) {
      for (const { sums, ids } of groupings) sums.start(pass * sums.maxSize, ids);
      const some = this.#collector.collect(this.#search, request, groupings);
      collected ??= some;
      for (const [index, { sums }] of groupings.entries())
        takeGroups(sums, kinds[index] as GroupKind, found[index] as FoundKind);
    }
    return { collected, found };
  }

  /** Groups as they are written: key, records, amount. */
  #format(request: ColumnFilters, kind: GroupKind, groups: readonly Group[]): object[] {
    const isNamed = kind === this.#kinds.recipient && groups.length > 0;
    const ids = groups.map(({ id }) => id);
    const names = isNamed ? this.#names.find(this.#search, request, ids, this.#checkpoint) : undefined;
    return groups.map(({ id, records, amount }) => ({
      ...kind.fieldsOf(id),
      ...(names && { recipient_name: names.get(id) ?? null }),
      ...{ records, amount },
    }));
  }
}

/** Takes the groups of a pass. */
function takeGroups(sums: Sums, { none }: GroupKind, found: FoundKind): void {
  const places = sums.end();
  const without = sums.sumOf(none);
  if (without !== undefined) found.without = without;
  found.total += sums.found - (without === undefined ? 0 : 1);
  found.top.offerAll(sums, places, none);
}

export function formatLines(groups: readonly object[]): Buffer {
  return Buffer.from(groups.map((group) => stringify(group) + lineEnd).join(""));
}
