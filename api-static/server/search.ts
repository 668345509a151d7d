// Owns the way of a search: filters → plan (which projection, which conditions) → total and positions, through DuckDB.
import type { DuckDBValue } from "@duckdb/node-api";
import type { Filters } from "../request.ts";
import type { SearchQueue } from "./searchQueue.ts";
import { Sessions } from "./sessions.ts";

/** A condition for each filter, on the columns that all projections share. Values are bound by name. */
const conditions: Readonly<Record<keyof Filters, string>> = {
  funderEin: "funder_ein = $funderEin",
  recipientEin: "recipient_ein = $recipientEin",
  transactionYear: "transaction_year = $transactionYear",
  purpose: "purpose IN (SELECT id FROM purposes WHERE contains(text, $purpose))",
  recipientName: "recipient_name IN (SELECT id FROM recipient_names WHERE contains(text, $recipientName))",
  minAmountCents: "amount_cents >= $minAmountCents",
};

/** Filters that ask a dictionary. */
const textFilters: ReadonlySet<keyof Filters> = new Set(["purpose", "recipientName"]);

export type Projection = "by_funder" | "by_recipient" | "by_rank";

/** How a search is answered: the projection whose order and neighbourhood suit the filters, and the conditions on it. */
export type Plan = { readonly projection: Projection; readonly filters: readonly (keyof Filters)[] };

export function planSearch(filters: Filters): Plan {
  const given = (Object.keys(conditions) as (keyof Filters)[]).filter((name) => filters[name] !== undefined);
  if (filters.funderEin !== undefined) return { projection: "by_funder", filters: given };
  if (filters.recipientEin !== undefined) return { projection: "by_recipient", filters: given };
  return { projection: "by_rank", filters: given };
}

/**
 * SQL of a plan's total and of its page. Rows of a projection lie in the result order of any funder, recipient or all.
 * A scan with comparisons keeps that order; a join with a dictionary does not, so there the rows are ordered by `rowid`.
 */
export function formatPlan(plan: Plan): { total: string; page: string } {
  const where =
    plan.filters.length === 0 ? "" : `WHERE ${plan.filters.map((name) => conditions[name]).join(" AND ")}`;
  const order = plan.filters.some((name) => textFilters.has(name)) ? "ORDER BY rowid" : "";
  return {
    total: `SELECT count(*)::DOUBLE FROM ${plan.projection} ${where}`,
    page: `SELECT position FROM ${plan.projection} ${where} ${order} LIMIT $limit OFFSET $offset`,
  };
}

export type Found = { readonly total: number; readonly positions: readonly number[] };

/** The index of an open release. */
export class Search {
  readonly #sessions: Sessions;

  private constructor(sessions: Sessions) {
    this.#sessions = sessions;
  }

  /**
   * @param path of `index.duckdb`
   * @param queue that searches take their turn in
   */
  static async open(path: string, queue?: SearchQueue): Promise<Search> {
    return new Search(await Sessions.open(path, queue));
  }

  /** The total of all records that meet the filters, and the positions of one page of them, in result order. */
  find(filters: Filters, limit: number, offset: number, signal?: AbortSignal): Promise<Found> {
    return this.#sessions.use(async (session) => {
      const sql = formatPlan(planSearch(filters));
      const values = bindable(filters);
      const total = Number((await session.readColumn(sql.total, values))[0]);
      if (offset >= total) return { total, positions: [] };
      const positions = await session.readColumn(sql.page, { ...values, limit, offset });
      return { total, positions: positions.map(Number) };
    }, signal);
  }

  close(): void {
    this.#sessions.close();
  }
}

function bindable(filters: Filters): Record<string, DuckDBValue> {
  const { funderEin, recipientEin, ...others } = filters;
  const values: Record<string, DuckDBValue> = { ...others };
  if (funderEin !== undefined) values.funderEin = Number(funderEin);
  if (recipientEin !== undefined) values.recipientEin = Number(recipientEin);
  return values;
}
