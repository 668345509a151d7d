// Owns the plan of a search: which projection is counted, which one gives the page, by counts that are known in advance.
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

export type Projection = "by_funder" | "by_recipient" | "by_rank" | "by_purpose" | "by_recipient_name";

/** What is known before a search: the release's records, and the texts that meet each text filter. */
export type Known = { readonly records: number } & Partial<Readonly<Record<TextFilter, FoundTexts>>>;

/** How a search is answered. */
export type Plan = {
  readonly projection: Projection;
  /** SQL that rows must meet, all of it. */
  readonly where: readonly string[];
  /** Whether found texts are joined. */
  readonly hasText: boolean;
  /** The total, where it is known without counting. */
  readonly total: number | undefined;
  /** Rows that a count, or a page deep in the list, has to look at; roughly. */
  readonly rows: number;
};

/** A year holds about this share of all records. */
const yearShare = 0.1;

/** The projection in which the filters leave the fewest rows to look at. */
export function planSearch(filters: Filters, known: Known): Plan {
  const columns = columnFilters.filter((name) => filters[name] !== undefined).map((name) => conditions[name]);
  const texts = textFilters.flatMap(
    (name) => known[name] && isFoundSql(dictionaries[name], known[name].holds),
  );
  const where = [...columns, ...texts].filter((condition) => condition !== undefined);
  const [text] = textFilters.flatMap((name) => known[name] ?? []);
  const total = where.length === 0 ? known.records : where.length === 1 ? text?.records : undefined;
  const plan = (projection: Projection, rows: number): Plan => ({
    projection,
    where,
    hasText: text !== undefined,
    total,
    rows,
  });
  if (filters.funderEin !== undefined) return plan("by_funder", 0);
  if (filters.recipientEin !== undefined) return plan("by_recipient", 0);
  let best = plan("by_rank", known.records * (filters.transactionYear === undefined ? 1 : yearShare));
  for (const name of textFilters) {
    const records = known[name]?.records;
    if (records !== undefined && records < best.rows) best = plan(dictionaries[name].projection, records);
  }
  return best;
}

/** A page's plan; where `reach` is given, it is looked for among so many first rows of the projection. */
export type PagePlan = { readonly plan: Plan; readonly reach: number | undefined };

/** How much further than expected a page is looked for: matches do not lie evenly. */
const reachFactor = 1.5;

/** Rows that are looked through in any case: they cost less than a second try. */
const reachLeast = 2 ** 15;

/**
 * The way to one page of a search that has a total. Where many records meet a text filter, the first pages lie near
 * the top of all records: looking there is cheaper than ordering all that meet it.
 */
export function planPage(plan: Plan, known: Known, total: number, limit: number, offset: number): PagePlan {
  if (!plan.hasText || plan.projection === "by_funder" || plan.projection === "by_recipient")
    return { plan, reach: undefined };
  const expected = ((offset + limit) / total) * known.records * reachFactor;
  const reach = Math.max(reachLeast, 2 ** Math.ceil(Math.log2(expected))); // of few sizes: each is a statement of its own
  if (plan.projection === "by_rank" || reach < plan.rows)
    return { plan: { ...plan, projection: "by_rank" }, reach };
  return { plan, reach: undefined };
}

/** SQL that counts the records of a plan. */
export function formatCount({ projection, where }: Plan): string {
  return `SELECT count(*)::DOUBLE FROM ${projection} ${formatWhere(where)}`;
}

/**
 * SQL of the positions of a plan's page, in result order. Rows of by_funder, by_recipient and by_rank lie in the result order of
 * one funder, one recipient and all; a scan with comparisons keeps it, a join with found texts does not. Rows of the
 * projections by text lie in it for one text only. Of the first rows, DuckDB knows how few they are, and reads the others
 * of the join by them.
 */
export function formatPage({ plan: { projection, where, hasText }, reach }: PagePlan): string {
  const order =
    projection === "by_rank" || projection === "by_funder" || projection === "by_recipient"
      ? "place"
      : "rank";
  const rows =
    order === "rank"
      ? projection
      : `(SELECT *, rowid AS place FROM ${projection}${reach === undefined ? "" : ` LIMIT ${reach}`})`;
  const isOrdered = order === "rank" || hasText;
  return `SELECT position FROM ${rows} ${formatWhere(where)}
    ${isOrdered ? `ORDER BY ${order}` : ""} LIMIT $limit OFFSET $offset`;
}

/** The filters whose records lie together in the projection that is read from its begin to its end. */
export function onEins({ funderEin, recipientEin }: Filters): Filters {
  if (funderEin !== undefined) return { funderEin };
  return recipientEin === undefined ? {} : { recipientEin };
}

/** The projection that lies in result order for all records that meet the filters. */
function projectionInOrder(filters: Filters): Projection {
  if (filters.funderEin !== undefined) return "by_funder";
  return filters.recipientEin === undefined ? "by_rank" : "by_recipient";
}

function conditionsOf(filters: Filters): string[] {
  const names = Object.keys(conditions) as (keyof Filters)[];
  return names.filter((name) => filters[name] !== undefined).map((name) => conditions[name]);
}

/** SQL of the first row that may meet the filters, and the one behind the last; 0 and 0 where there is none. */
export function formatSpan(filters: Filters): string {
  return `SELECT coalesce(min(rowid), 0)::DOUBLE, coalesce(max(rowid) + 1, 0)::DOUBLE
    FROM ${projectionInOrder(filters)} ${formatWhere(conditionsOf(onEins(filters)))}`;
}

/** SQL of the rows and positions of the first records among the rows `from` to `to` that meet the filters. */
export function formatWindow(filters: Filters): string {
  const where = ["rowid >= $from", "rowid < $to", ...conditionsOf(filters)];
  return `SELECT rowid::DOUBLE, position FROM ${projectionInOrder(filters)} ${formatWhere(where)} ORDER BY rowid LIMIT $limit`;
}

function formatWhere(where: readonly string[]): string {
  return where.length === 0 ? "" : `WHERE ${where.join(" AND ")}`;
}
