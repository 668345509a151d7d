// Keeps a table of grants that gains, amends and loses some each night, and writes it as a warehouse and as the lines that a release must have.
import { writeFileSync } from "node:fs";
import type { DuckDBConnection } from "@duckdb/node-api";
import { pick, type Random } from "../../pipeline/verify/random.ts";

export type Grant = {
  readonly id: number;
  readonly funder_ein: string;
  readonly transaction_year: number;
  readonly recipient_name: string | null;
  readonly recipient_ein: string | null;
  readonly type: string;
  readonly cents: number;
  readonly purpose: string | null;
};

/** Grants at the start. The first funder has page files of both sizes. */
const startGrants = 500;
const funders = 24;

/** The record of a grant, as every answer has it. */
function formatRecord({ cents, ...grant }: Grant): string {
  const { id, funder_ein, transaction_year, recipient_name, recipient_ein, type, purpose } = grant;
  const start = JSON.stringify({ id, funder_ein, transaction_year, recipient_name, recipient_ein, type });
  const amount = (cents / 100).toFixed(2);
  const nulls = `"non_cash_amount":null,"non_cash_description":null`;
  const end = `"purpose":${JSON.stringify(purpose)},"created_at":"2026-01-0${1 + (id % 7)}T04:00:00Z"}`;
  return `${start.slice(0, -1)},"amount":${amount},${nulls},${end}`;
}

function einOf(funder: number): string {
  return String(100_000_000 + funder * 7);
}

export class Grants {
  readonly #random: Random;
  readonly #rows = new Map<number, Grant>();
  #next = 1;

  constructor(random: Random) {
    this.#random = random;
    while (this.#rows.size < startGrants) this.#put(this.#draw(this.#next++));
  }

  #draw(id: number): Grant {
    const random = this.#random;
    const funder = random() < 0.3 ? 0 : Math.floor(random() * funders);
    return {
      id,
      funder_ein: einOf(funder),
      transaction_year: 2015 + Math.floor(random() * 8),
      recipient_name: random() < 0.05 ? null : `School ${Math.floor(random() * 40)}`,
      recipient_ein: random() < 0.3 ? null : String(200_000_000 + Math.floor(random() * 30)),
      type: pick(random, ["education", "health", "ARTS"]),
      cents: Math.floor(random() * 10_000_000) - 1000,
      purpose: random() < 0.1 ? null : `${pick(random, ["Books", 'Ärzte "und"', "GENERAL"])} ${id % 31}`,
    };
  }

  #put(grant: Grant): void {
    this.#rows.set(grant.id, grant);
  }

  /** A night of gains, amendments and losses, in some of which a funder loses all grants. The id changes with each, so that no two warehouses are equal. */
  change(): void {
    const random = this.#random;
    const some = () => Math.floor(random() ** 3 * 20);
    const ids = [...this.#rows.keys()];
    for (let left = some(); left > 0; left--) this.#rows.delete(pick(random, ids));
    // Never the first one: a night that changes more than half of the records publishes no changes.
    const gone = random() < 0.15 ? einOf(1 + Math.floor(random() * (funders - 1))) : undefined;
    for (const { id, funder_ein } of this.#rows.values()) if (funder_ein === gone) this.#rows.delete(id);
    for (let left = some(); left > 0; left--) this.#put(this.#draw(pick(random, ids)));
    for (let left = 1 + some(); left > 0; left--) this.#put(this.#draw(this.#next++));
  }

  /** The lines of all records: by funder, then in result order. */
  format(): string[] {
    const rows = [...this.#rows.values()].sort(
      (a, b) =>
        Number(a.funder_ein) - Number(b.funder_ein) ||
        b.transaction_year - a.transaction_year ||
        b.cents - a.cents ||
        a.id - b.id,
    );
    return rows.map(formatRecord);
  }

  async write(connection: DuckDBConnection, path: string): Promise<void> {
    writeFileSync(`${path}.json`, this.format().join("\n"));
    const columns = `{id: 'BIGINT', funder_ein: 'VARCHAR', transaction_year: 'INTEGER', recipient_name: 'VARCHAR', recipient_ein: 'VARCHAR',
      type: 'VARCHAR', amount: 'DECIMAL(18,2)', purpose: 'VARCHAR', created_at: 'TIMESTAMP'}`;
    const from = `read_json('${path}.json', format = 'newline_delimited', columns = ${columns})`;
    await connection.run(`COPY (FROM ${from}) TO '${path}' (FORMAT parquet)`);
  }
}
