// Owns the plan of a search: which rows of which projection are looked at, by what is known of its filters in advance.

import type { Filters } from "../contract/filters.ts";
import { dictionaries } from "../release/layout.ts";
import { variable } from "./sessions.ts";
import { type FoundTexts, isFoundSql } from "./texts.ts";

/** A condition for each filter on a column of the projections. Values are variables of these names. */
export const conditions = {
  funderEin: `funder_ein = ${variable("funderEin")}`,
  recipientEin: `recipient_ein = ${variable("recipientEin")}`,
  transactionYear: `transaction_year = ${variable("transactionYear")}`,
  minAmountCents: `amount_cents >= ${variable("minAmountCents")}`,
} as const;

const columnFilters = Object.keys(conditions) as (keyof typeof conditions)[];

/** Filters that ask a dictionary: which texts they are met by is found beforehand. */
export const textFilters = ["purpose", "recipientName"] as const satisfies readonly (keyof Filters)[];

export type TextFilter = (typeof textFilters)[number];

/** Ranks from `first`: the records of a year, or of all, lie together in the result order. */
export type Ranks = { readonly first: number; readonly records: number };

/** What is known before a search: all ranks, the ranks of the year asked for, the texts that meet each text filter. */
export type Known = { readonly all: Ranks; readonly year?: Ranks } & Partial<
  Readonly<Record<TextFilter, FoundTexts>>
>;

/** All records by rank, one funder's and one recipient's by rank. */
export type OrderedProjection = "by_rank" | "by_funder" | "by_recipient";

/** Records by text, and by rank for each text. */
export type TextProjection = "by_purpose" | "by_recipient_name";

/** How the records that meet the filters are counted, where that is not known: rows of a projection that meet `where`, which is SQL. */
export type Count = {
  readonly projection: OrderedProjection | TextProjection;
  readonly where: readonly string[];
};

/** How a page is found. `where` is SQL that rows must meet, all of it. */
export type Plan =
  /** The page is a window of ranks that are known. */
  | { readonly way: "window"; readonly ranks: Ranks }
  /** The page is read in the projection's own order. */
  | {
      readonly way: "list";
      readonly projection: OrderedProjection;
      readonly where: readonly string[];
      readonly hasText: boolean;
    }
  /** Few rows are ordered by rank. */
  | {
      readonly way: "order";
      readonly projection: TextProjection | "by_rank";
      readonly where: readonly string[];
    }
  /** Many records meet a text filter: the page lies among the first ranks, of which `reach` are looked at. */
  | { readonly way: "top"; readonly where: readonly string[]; readonly ranks: Ranks; readonly reach: number }
  /** Rows are counted by chunks of ranks, which tells in which chunks the page lies. */
  | {
      readonly way: "chunks";
      readonly projection: TextProjection | "by_rank";
      readonly where: readonly string[];
      readonly rows: number;
      readonly ranks: Ranks;
      /** So many of the ranks are looked at, from the first on, where the projection is by rank. */
      readonly reach: number;
    };

/** Rows that are ordered in less time than a page is looked for otherwise. */
const orderedMost = 30_000;

/** Rows above a page that are ordered in less time than they are counted by chunks. */
const skippedMost = 20_000;

/** How much further than expected a page is looked for: matches do not lie evenly. */
const reachFactor = 1.5;

/** Ranks that are looked through in any case: they cost less than a second try. */
const reachLeast = 2 ** 15;

/** The total of a search where it is known in advance, else how it is counted: over the fewest rows. */
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

/** How a page is found: the way that looks at the fewest rows. */
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
  if (text.rows <= orderedMost) return order;
  const expected = ((offset + limit) / total) * ranks.records;
  const reach = Math.max(reachLeast, Math.ceil(expected * reachFactor));
  const isFurther = reach >= text.rows;
  if (!isFurther && offset <= skippedMost) return { way: "top", where, ranks, reach };
  if (total <= orderedMost) return order;
  const chunks = { way: "chunks", where, ranks, reach } as const;
  return isFurther
    ? { ...chunks, projection: text.projection, rows: text.rows }
    : { ...chunks, projection: "by_rank", rows: reach };
}

/** All that rows must meet: filters on columns, then the rarer text before the more frequent, as it leaves fewer rows. */
function whereOf(filters: Filters, known: Known): string[] {
  return [
    ...conditionsOf(filters),
    ...textsOf(known).flatMap((name) => {
      const found = known[name];
      return found === undefined ? [] : [isFoundSql(dictionaries[name], found)];
    }),
  ];
}

/** Text filters whose texts were found, the rarest first. */
function textsOf(known: Known): TextFilter[] {
  return textFilters
    .filter((name) => known[name] !== undefined)
    .sort((one, other) => (known[one]?.records ?? 0) - (known[other]?.records ?? 0));
}

/** The ranks among which all records lie that meet the filters. */
function ranksOf({ year, all }: Known): Ranks {
  return year ?? all;
}

/**
 * Of the rarest text filter: how many records meet it, and the projection in which the fewest rows have to be looked at, by
 * text or by rank.
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

/** How all records that meet the filters are walked through: rows of a projection in result order, and what they must meet. */
export type Walk = {
  readonly projection: OrderedProjection;
  readonly where: readonly string[];
  /** What all rows meet between the first and the last that may be met: those of one funder, one recipient or all. */
  readonly together: readonly string[];
};

export function planWalk(filters: Filters, known: Known): Walk {
  return {
    projection: projectionInOrder(filters),
    where: whereOf(filters, known),
    together: conditionsOf(onEins(filters)),
  };
}

/** The filters whose records lie together in the projection in order. */
export function onEins({ funderEin, recipientEin }: Filters): Filters {
  if (funderEin !== undefined) return { funderEin };
  return recipientEin === undefined ? {} : { recipientEin };
}

/** The projection that lies in result order for all records that meet the filters. */
function projectionInOrder(filters: Filters): OrderedProjection {
  if (filters.funderEin !== undefined) return "by_funder";
  return filters.recipientEin === undefined ? "by_rank" : "by_recipient";
}

function conditionsOf(filters: Filters): string[] {
  return columnFilters.filter((name) => filters[name] !== undefined).map((name) => conditions[name]);
}
