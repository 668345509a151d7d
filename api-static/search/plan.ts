// Plans a search: which rows of which projection to read, from what is known about its filters up front.

import type { Filters } from "../contract/filters.ts";
import { dictionaries } from "../release/layout.ts";
import { variable } from "./sessions.ts";
import { type FoundTexts, isFoundSql } from "./texts.ts";

/** The SQL condition of each filter on a column of the projections. The values are variables of these names. */
export const conditions = {
  funderEin: `funder_ein = ${variable("funderEin")}`,
  recipientEin: `recipient_ein = ${variable("recipientEin")}`,
  transactionYear: `transaction_year = ${variable("transactionYear")}`,
  minAmountCents: `amount_cents >= ${variable("minAmountCents")}`,
} as const;

const columnFilters = Object.keys(conditions) as (keyof typeof conditions)[];

/** Filters on text. The texts that meet them are found in a dictionary before the search. */
export const textFilters = ["purpose", "recipientName"] as const satisfies readonly (keyof Filters)[];

export type TextFilter = (typeof textFilters)[number];

/** Ranks `first` to `first + records`: the records of one year are neighbors in the result order, and so are all records. */
export type Ranks = { readonly first: number; readonly records: number };

/** What is known before a search: all ranks, the ranks of the requested year, the texts that meet each text filter. */
export type Known = { readonly all: Ranks; readonly year?: Ranks } & Partial<
  Readonly<Record<TextFilter, FoundTexts>>
>;

/** All records by rank, or those of each funder or recipient by rank. */
export type OrderedProjection = "by_rank" | "by_funder" | "by_recipient";

/** Records ordered by text, then by rank. */
export type TextProjection = "by_purpose" | "by_recipient_name";

/** How the matching records are counted if their number is not known: the rows of a projection that meet `where` (SQL). */
export type Count = {
  readonly projection: OrderedProjection | TextProjection;
  readonly where: readonly string[];
};

/** How a page is found. `where` is SQL; rows must meet all of it. */
export type Plan =
  /** The page is a window of known ranks. */
  | { readonly way: "window"; readonly ranks: Ranks }
  /** The page is read in the order of the projection. */
  | {
      readonly way: "list";
      readonly projection: OrderedProjection;
      readonly where: readonly string[];
      readonly hasText: boolean;
    }
  /** The rows are few, so all of them are ordered by rank. */
  | {
      readonly way: "order";
      readonly projection: TextProjection | "by_rank";
      readonly where: readonly string[];
    }
  /** Many records meet a text filter, so the page is expected within the first `depth` ranks. */
  | { readonly way: "top"; readonly where: readonly string[]; readonly ranks: Ranks; readonly depth: number }
  /** Matches are counted in chunks of ranks; the counts show which chunks contain the page. */
  | {
      readonly way: "chunks";
      readonly projection: TextProjection | "by_rank";
      readonly where: readonly string[];
      readonly rows: number;
      readonly ranks: Ranks;
      /** How many ranks are read, from the first on, if the projection is `by_rank`. */
      readonly depth: number;
    };

/** Rows up to which ordering all of them is the fastest way to a page. */
const maxOrdered = 30_000;

/** Offset up to which ordering the rows before a page is faster than counting them in chunks. */
const maxSkipped = 20_000;

/** How much deeper than expected a page is searched for, because matches are not spread evenly. */
const depthFactor = 1.5;

/** Fewest ranks to read: reading them costs less than a second attempt. */
const minDepth = 2 ** 15;

/** The total of a search if it is known up front, else how to count it over the fewest rows. */
export function planCount(filters: Filters, known: Known): number | Count {
  const where = whereOf(filters, known);
  const projection = projectionInOrder(filters);
  if (projection !== "by_rank") return { projection, where };
  const text = narrowText(known);
  if (text === undefined) {
    return filters.minAmountCents === undefined ? ranksOf(known).records : { projection, where };
  }
  return where.length === 1 ? text.records : { projection: text.projection, where };
}

/** Plans how to find a page by reading the fewest rows. */
export function planPage(filters: Filters, known: Known, total: number, limit: number, offset: number): Plan {
  const where = whereOf(filters, known);
  const projection = projectionInOrder(filters);
  const text = narrowText(known);
  if (projection !== "by_rank") return { way: "list", projection, where, hasText: text !== undefined };
  const ranks = ranksOf(known);
  if (text === undefined) {
    return filters.minAmountCents === undefined
      ? { way: "window", ranks }
      : { way: "list", projection, where, hasText: false };
  }
  const order = { way: "order", projection: text.projection, where } as const;
  if (text.rows <= maxOrdered) return order;
  const expected = ((offset + limit) / total) * ranks.records;
  const depth = Math.max(minDepth, Math.ceil(expected * depthFactor));
  const isByText = depth >= text.rows;
  if (!isByText && offset <= maxSkipped) return { way: "top", where, ranks, depth };
  if (total <= maxOrdered) return order;
  const chunks = { way: "chunks", where, ranks, depth } as const;
  return isByText
    ? { ...chunks, projection: text.projection, rows: text.rows }
    : { ...chunks, projection: "by_rank", rows: depth };
}

/** All conditions on rows: filters on columns first, then the rarer text filter, because it leaves fewer rows. */
function whereOf(filters: Filters, known: Known): string[] {
  return [
    ...conditionsOf(filters),
    ...textsOf(known).flatMap((name) => {
      const found = known[name];
      return found === undefined ? [] : [isFoundSql(dictionaries[name], found)];
    }),
  ];
}

/** The text filters whose texts were found, the rarest first. */
function textsOf(known: Known): TextFilter[] {
  return textFilters
    .filter((name) => known[name] !== undefined)
    .sort((one, other) => (known[one]?.records ?? 0) - (known[other]?.records ?? 0));
}

/** The ranks that contain all records that meet the filters. */
function ranksOf({ year, all }: Known): Ranks {
  return year ?? all;
}

/**
 * The rarest text filter: how many records meet it, and the projection, by text or by rank, in which the fewest rows must be
 * read.
 */
function narrowText(
  known: Known,
): { records: number; projection: TextProjection | "by_rank"; rows: number } | undefined {
  const [rarest] = textsOf(known);
  if (rarest === undefined) return undefined;
  const records = known[rarest]?.records ?? 0;
  const ranked = ranksOf(known).records;
  return ranked < records
    ? { records, projection: "by_rank", rows: ranked }
    : { records, projection: dictionaries[rarest].projection, rows: records };
}

/** How to walk through all records that meet the filters: a projection in result order, and conditions on its rows. */
export type Walk = {
  readonly projection: OrderedProjection;
  readonly where: readonly string[];
  /** Conditions met by one unbroken run of rows, which contains all matches: those of a funder, of a recipient, or none. */
  readonly run: readonly string[];
};

export function planWalk(filters: Filters, known: Known): Walk {
  return {
    projection: projectionInOrder(filters),
    where: whereOf(filters, known),
    run: conditionsOf(onEins(filters)),
  };
}

/** The filter whose records are neighbors in the projection in result order. */
export function onEins({ funderEin, recipientEin }: Filters): Filters {
  if (funderEin !== undefined) return { funderEin };
  return recipientEin === undefined ? {} : { recipientEin };
}

/** The projection that has all records that meet the filters in result order. */
function projectionInOrder(filters: Filters): OrderedProjection {
  if (filters.funderEin !== undefined) return "by_funder";
  return filters.recipientEin === undefined ? "by_rank" : "by_recipient";
}

function conditionsOf(filters: Filters): string[] {
  return columnFilters.filter((name) => filters[name] !== undefined).map((name) => conditions[name]);
}
