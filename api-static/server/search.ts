// Owns the way of a search: filters → plan (which projection, which conditions) → total and positions, through DuckDB.
import {
  type DuckDBConnection,
  DuckDBInstance,
  type DuckDBPreparedStatement,
  type DuckDBValue,
} from "@duckdb/node-api";
import pLimit from "p-limit";
import type { Filters } from "../request.ts";

/** Searches that run at once; DuckDB uses every core for one, so more would only wait on each other. */
const searchesAtOnce = 2;

/** Bound of DuckDB's buffers in the server. */
const memory = "512MB";

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
  readonly #instance: DuckDBInstance;
  readonly #free: Session[];
  readonly #limit = pLimit(searchesAtOnce);

  private constructor(instance: DuckDBInstance, sessions: Session[]) {
    this.#instance = instance;
    this.#free = sessions;
  }

  /** @param path of `index.duckdb` */
  static async open(path: string): Promise<Search> {
    const instance = await DuckDBInstance.create(path, {
      access_mode: "READ_ONLY",
      memory_limit: memory,
      threads: "2",
      autoinstall_known_extensions: "false",
      autoload_known_extensions: "false",
    });
    const sessions: Session[] = [];
    for (let index = 0; index < searchesAtOnce; index++) sessions.push(new Session(await instance.connect()));
    return new Search(instance, sessions);
  }

  /** The total of all records that meet the filters, and the positions of one page of them, in result order. */
  async find(filters: Filters, limit: number, offset: number): Promise<Found> {
    return this.#limit(async () => {
      const session = this.#free.pop();
      if (session === undefined) throw new Error("more searches run than there are sessions");
      try {
        const sql = formatPlan(planSearch(filters));
        const values = bindable(filters);
        const total = Number((await session.readColumn(sql.total, values))[0]);
        if (offset >= total) return { total, positions: [] };
        const positions = await session.readColumn(sql.page, { ...values, limit, offset });
        return { total, positions: positions.map(Number) };
      } finally {
        this.#free.push(session);
      }
    });
  }

  close(): void {
    for (const session of this.#free) session.close();
    this.#instance.closeSync();
  }
}

/** A connection with the statements it has prepared: one per plan, of which there are few. */
class Session {
  readonly #connection: DuckDBConnection;
  readonly #prepared = new Map<string, DuckDBPreparedStatement>();

  constructor(connection: DuckDBConnection) {
    this.#connection = connection;
  }

  /** The values of a statement's only column. */
  async readColumn(sql: string, values: Record<string, DuckDBValue>): Promise<readonly DuckDBValue[]> {
    let statement = this.#prepared.get(sql);
    if (statement === undefined) {
      statement = await this.#connection.prepare(sql);
      this.#prepared.set(sql, statement);
    }
    statement.clearBindings();
    statement.bind(values);
    const result = await statement.runAndReadAll();
    return result.getColumns()[0] ?? [];
  }

  close(): void {
    this.#connection.closeSync();
  }
}

function bindable(filters: Filters): Record<string, DuckDBValue> {
  const { funderEin, recipientEin, ...others } = filters;
  const values: Record<string, DuckDBValue> = { ...others };
  if (funderEin !== undefined) values.funderEin = Number(funderEin);
  if (recipientEin !== undefined) values.recipientEin = Number(recipientEin);
  return values;
}
