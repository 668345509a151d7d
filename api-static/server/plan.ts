// Owns the plan of a search: which rows of which projection are looked at, by what is known of its filters in advance.
import { dictionaries } from "../layout.ts";
import type { Filters } from "../request.ts";
import { type FoundTexts, isFoundSql } from "./texts.ts";

/** A condition for each filter on a column of the projections. Values are bound by name. */
export const conditions = {
  funderEin: "funder_ein = $funderEin",
  recipientEin: "recipient_ein = $recipientEin",
  transactionYear: "transaction_year = $transactionYear",
  minAmountCents: "amount_cents >= $minAmountCents",
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

/** How a search is answered. `where` is SQL that rows must meet, all of it. */
export type Plan =
  /** The page is a window of ranks that are known. */
  | { readonly way: "window"; readonly ranks: Ranks }
  /** Rows are counted, and the page read in the projection's own order. */
  | {
      readonly way: "list";
      readonly projection: OrderedProjection;
      readonly where: readonly string[];
      readonly hasText: boolean;
    }
  /** Few rows by text are counted, where their total is not known, and ordered. */
  | {
      readonly way: "order";
      readonly projection: TextProjection;
      readonly where: readonly string[];
      readonly total: number | undefined;
    }
  /** Many records meet a text filter: the first pages lie among the first ranks, of which `reach` are looked at. */
  | { readonly way: "top"; readonly where: readonly string[]; readonly total: number; readonly reach: number }
  /** Rows are counted by chunks of ranks, which tells the total and in which chunks the page lies. */
  | {
      readonly way: "chunks";
      readonly projection: TextProjection | "by_rank";
      readonly where: readonly string[];
      readonly total: number | undefined;
      readonly rows: number;
      /** So many first ranks are looked at; undefined means all. */
      readonly reach: number | undefined;
    };

/** Rows by text that are ordered in less time than a page is looked for among all ranks. */
const orderedMost = 30_000;

/** Rows above a page that are ordered in less time than they are counted by chunks. */
const skippedMost = 20_000;

/** How much further than expected a page is looked for: matches do not lie evenly. */
const reachFactor = 1.5;

/** Ranks that are looked through in any case: they cost less than a second try. */
const reachLeast = 2 ** 15;

/** The way that looks at the fewest rows. */
export function planSearch(filters: Filters, known: Known, limit: number, offset: number): Plan {
  const texts = textFilters
    .filter((name) => known[name] !== undefined)
    .sort((one, other) => (known[one]?.records ?? 0) - (known[other]?.records ?? 0)); // the first leaves fewer for the next
  const where = [
    ...conditionsOf(filters),
    ...texts.map((name) => isFoundSql(dictionaries[name], known[name]?.holds ?? "found")),
  ];
  const projection = projectionInOrder(filters);
  if (projection !== "by_rank") return { way: "list", projection, where, hasText: texts.length > 0 };
  if (texts.length > 0) return planTextSearch(where, known, texts, limit, offset);
  if (filters.minAmountCents !== undefined) return { way: "list", projection, where, hasText: false };
  return { way: "window", ranks: known.year ?? known.all };
}

/** How all records that meet the filters are walked through: rows of a projection in result order, and what they must meet. */
export type Walk = {
  readonly projection: OrderedProjection;
  readonly where: readonly string[];
  /** What all rows meet between the first and the last that may be met: those of one funder, one recipient or all. */
  readonly together: readonly string[];
};

export function planWalk(filters: Filters, known: Known): Walk {
  const texts = textFilters.filter((name) => known[name] !== undefined);
  return {
    projection: projectionInOrder(filters),
    where: [
      ...conditionsOf(filters),
      ...texts.map((name) => isFoundSql(dictionaries[name], known[name]?.holds ?? "found")),
    ],
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

function planTextSearch(
  where: readonly string[],
  known: Known,
  texts: readonly TextFilter[],
  limit: number,
  offset: number,
): Plan {
  const [rarest = "purpose"] = texts;
  const { projection } = dictionaries[rarest];
  const records = known[rarest]?.records ?? 0;
  const ranked = (known.year ?? known.all).records;
  const total = where.length === 1 ? records : undefined;
  const chunks = { way: "chunks", where, total } as const;
  if (ranked < records) return { ...chunks, projection: "by_rank", rows: ranked, reach: undefined };
  if (records <= orderedMost || (total !== undefined && offset >= total))
    return { way: "order", projection, where, total };
  const reach = reachOf(((offset + limit) / records) * known.all.records);
  if (total === undefined || reach >= records)
    return { ...chunks, projection, rows: records, reach: undefined };
  if (offset <= skippedMost) return { way: "top", where, total, reach };
  return { ...chunks, projection: "by_rank", rows: reach, reach };
}

/** A power of two, so that there are few statements. */
function reachOf(expected: number): number {
  return Math.max(reachLeast, 2 ** Math.ceil(Math.log2(expected * reachFactor)));
}
