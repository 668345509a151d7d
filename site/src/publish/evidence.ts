// Writes the citation of a sum, and the evidence by which others compute it again.
import { describeFilters } from "../../../api-static/contract/filters/table.ts";
import type { KnownNames } from "../../../api-static/contract/text/searchText.ts";
import { formatQuery, type Query } from "../address/query.ts";
import { totalsCall } from "../api/calls.ts";
import type { GrantWithSource } from "../api/client.ts";
import { formatCounted, formatDay, formatSum } from "../text/numbers.ts";
import type { Sum } from "../text/totals.ts";
import type { Checks } from "./checks.ts";

/** What is cited. */
export type Cited = {
  readonly sum: Sum;
  /** The filters, as parameters of `/v1/history`. */
  readonly query: Query;
  readonly known: KnownNames;
  readonly release: string;
  /** When the release's sync began, ISO 8601. */
  readonly syncedAt: string;
  readonly isSynthetic: boolean;
  /** Of the page, in the release: `https://grants.example.org/r/20261120T040000Z/funder?ein=131635294`. */
  readonly address: string;
  readonly now: Date;
};

/** The figure with its filters, release, date and address, in one sentence. */
export function formatCitation(cited: Cited): string {
  const { sum, query, known, release, syncedAt, isSynthetic, address, now } = cited;
  const figure = `${formatSum(sum.amount.toFixed(2))} in ${formatCounted(sum.records)}${describeFilters(query, known)}`;
  const data = isSynthetic ? "synthetic sample data" : "grants in US tax filings";
  return `${figure} (Grant History, ${data}, release ${release} of ${formatDay(syncedAt)}; retrieved ${formatDay(now)}, ${address}).`;
}

/** A return, by the number of its grants in the sum. */
export type CitedReturn = NonNullable<GrantWithSource["source"]> & {
  readonly funder_ein: string;
  readonly grants: number;
};

type Evidence = {
  /** Undefined if they are too many to read. */
  readonly checks: Checks | undefined;
  readonly ids: readonly number[] | undefined;
  readonly returns: readonly CitedReturn[];
  /** SHA-256 of grants.parquet; undefined if the release has none. */
  readonly sha256: string | undefined;
};

/** The evidence as JSON. */
export function formatEvidence(cited: Cited, { checks, ids, returns, sha256 }: Evidence): string {
  const { sum, query, release, syncedAt, isSynthetic, address } = cited;
  const at = (path: string) => new URL(`/r/${release}${path}`, address).href;
  const filters = formatQuery(query);
  const write = ({ records, amount }: Sum) => ({ records, amount: amount.toFixed(2) });
  const file = evidenceName(release);
  const evidence = {
    statement: formatCitation(cited),
    figure: write(sum),
    filters: query,
    release: {
      id: release,
      synced_at: syncedAt,
      synthetic: isSynthetic,
      "grants.parquet": { sha256: sha256 ?? null },
    },
    addresses: {
      page: address,
      totals: at(totalsCall(query).href),
      csv: at(`/v1/history.csv${filters}`),
      "grants.parquet": at("/v1/downloads/grants.parquet"),
    },
    compute_again:
      ids === undefined
        ? "Save the CSV, then in DuckDB: SELECT count(*), sum(amount::DECIMAL(18,2)) FROM read_csv('history.csv', all_varchar = true)"
        : `Save grants.parquet, then in DuckDB: SELECT count(*), sum(amount) FROM 'grants.parquet' WHERE id IN (SELECT unnest(grants) FROM read_json('${file}'))`,
    repeats_of_other_filings: checks === undefined ? null : write(checks.repeats),
    equal_rows_in_a_filing: checks === undefined ? null : write(checks.equal),
    without_recipient_ein: checks === undefined ? null : write(checks.withoutEin),
    returns,
    grants: ids ?? null,
  };
  return `${JSON.stringify(evidence, null, 1).replaceAll(/\n {2}(?=-?\d)/g, "")}\n`; // ids in one line
}

/** The name of the file. */
export function evidenceName(release: string): string {
  return `evidence-${release}.json`;
}
