// Draws searches by a seed from the grants of a release, so that every release is verified with other searches.
import { hash } from "node:crypto";
import type { DuckDBConnection, DuckDBValue } from "@duckdb/node-api";
import { formatEin } from "../../api-static/contract/ein.ts";
import { attributeFilters } from "../../api-static/contract/filters/attributes.ts";
import { groupKeys } from "../../api-static/contract/filters.ts";
import type { GroupsRequest } from "../../api-static/contract/operations/history.ts";
import type { HistoryRequest, TotalsRequest } from "../../api-static/contract/operations/searches.ts";
import { parseRequest, paths } from "../../api-static/contract/request.ts";
import { formatCents } from "../../api-static/contract/text/amount.ts";
import { canonicalText } from "../../api-static/contract/text/text.ts";
import { type SqlEngine, type TableColumnName, tableColumnNames } from "../../api-static/search/sql/table.ts";
import { pick, type Random, seedRandom } from "./random.ts";

export type DrawnSearch = {
  readonly url: string;
  readonly request: HistoryRequest | TotalsRequest | GroupsRequest;
  /** Where the page starts, as a fraction of all matches. */
  readonly place: number;
};

type Grant = Readonly<Record<TableColumnName, string | null>>;

/** Parameters of a search. Those without a value are omitted. */
type Drawn = Readonly<Record<string, string | number | null | undefined>>;

/** One search in this many is for the grants of a likely recipient. */
const likelyEvery = 12;

/** Of the others, how many there are for one that asks for totals or for groups. Pages take SQL the least time. */
const totalsEvery = 10;
const groupsEvery = 5;

/** How often a search has each filter but the one that it has in turn. */
const otherShare = 0.3;

/** Grants with a likely recipient that are drawn in addition. */
const likelyGrants = 8;

/**
 * Hides the table of all grants behind a temporary one of some of them, because an answer takes several statements, and joins all texts.
 * @param where undefined to show all again
 */
export async function narrowGrants(
  connection: DuckDBConnection,
  where?: string,
  values?: Record<string, DuckDBValue>,
): Promise<void> {
  await connection.run("DROP TABLE IF EXISTS temp.by_funder");
  if (where === undefined) return;
  await connection.run(`CREATE TEMP TABLE by_funder AS FROM by_funder WHERE ${where}`, values);
}

/**
 * Draws searches. A search matches one grant or more, unless its text is spelled backward. Searches that the API refuses are omitted.
 * @param connection whose current database is the index, as the engine reads it
 * @param records number of grants
 */
export async function drawSearches(
  connection: DuckDBConnection,
  engine: SqlEngine,
  records: number,
  seed: string,
  count: number,
): Promise<DrawnSearch[]> {
  const random = seedRandom(hash("sha256", seed, "buffer").readUInt32LE());
  const positions = Array.from({ length: count }, () => Math.floor(random() * records));
  const likeliest = `SELECT position FROM by_match ORDER BY hash(position + ${positions[0]}) LIMIT ${likelyGrants}`;
  await narrowGrants(connection, `position IN (${positions}) OR position IN (${likeliest})`);
  const sql = `SELECT ${tableColumnNames.join(", ")} FROM grants ORDER BY position`;
  const rows = await engine.start().read(sql, new AbortController().signal);
  const grants = rows.map(
    (row) => Object.fromEntries(tableColumnNames.map((name, index) => [name, row[index]])) as Grant,
  );
  return positions.flatMap((_, index) => {
    const { path, drawn } = drawSearch(random, grants, index);
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(drawn)) if (value) query.set(name, String(value));
    const request = parseRequest(path, query.toString());
    if (request.kind !== "history" && request.kind !== "totals" && request.kind !== "groups") return [];
    const place = request.kind === "history" ? pick(random, [0, random()]) : 0;
    return { url: `${path}?${query}`, request, place };
  });
}

/** Draws the path and the parameters of a search. Its number decides what it asks for, and which filter it has at least. */
function drawSearch(
  random: Random,
  grants: readonly Grant[],
  index: number,
): { readonly path: string; readonly drawn: Drawn } {
  const page = { limit: pick(random, [1, 10, 100]), sort: pick(random, ["year", "amount"]) };
  const likely = grants.filter((grant) => grant.likely_ein !== null);
  // Grants that are only likely are in pages of a recipient.
  if (index % likelyEvery === 3 && likely.length > 0) {
    const path = paths.listRecipientGrants.replace(
      "{recipient_ein}",
      formatEin(Number(pick(random, likely).likely_ein)),
    );
    return { path, drawn: { matched: pick(random, ["include", "only"]), ...page } };
  }
  const filters = drawFilters(random, grants, index);
  if (index % totalsEvery === 2) return { path: paths.summarizeGrants, drawn: filters };
  if (index % groupsEvery !== 4) return { path: paths.searchGrants, drawn: { ...filters, ...page } };
  const by = pick(random, groupKeys);
  return { path: paths.groupGrants, drawn: { ...filters, by, sort: pick(random, ["amount", "records"]) } };
}

/** Draws filters that a grant meets: one in turn, and some others. An EIN is alone, or in a list with those of other grants. */
function drawFilters(random: Random, grants: readonly Grant[], index: number): Drawn {
  const grant = pick(random, grants);
  const eins = (column: "funder_ein" | "recipient_ein") => {
    const others = Array.from({ length: pick(random, [0, 0, 1, 4]) }, () => pick(random, grants)[column]);
    const known = [grant[column], ...others].filter((ein) => ein !== null);
    return grant[column] && known.map((ein) => formatEin(Number(ein))).join();
  };
  const year = Number(grant.transaction_year);
  const cents = BigInt(grant.amount_cents ?? 0);
  const all: readonly (() => Drawn)[] = [
    () => ({ funder_ein: eins("funder_ein") }),
    () => ({ recipient_ein: eins("recipient_ein") }),
    () => ({ purpose: drawText(random, grant.purpose ?? "") }),
    () => ({ recipient_name: drawText(random, grant.recipient_name ?? "") }),
    ...attributeFilters.map((filter) => () => {
      const value = grant[filter.name];
      const isStart = "finders" in filter && value;
      return { [filter.name]: isStart ? pick(random, filter.finders(value)) : value };
    }),
    () =>
      pick<Drawn>(random, [
        { transaction_year: year },
        { min_year: year },
        { max_year: year },
        { min_year: year - 1, max_year: year + 1 },
      ]),
    () =>
      pick<Drawn>(random, [
        { min_amount: formatCents(cents - 1n) },
        { min_amount: formatCents(cents), max_amount: formatCents(cents + 100n) },
        { max_amount: formatCents(cents) },
      ]),
  ];
  const chosen = all.filter((_, filter) => filter === index % all.length || random() < otherShare);
  return Object.assign({ match: pick(random, ["words", undefined]) }, ...chosen.map((draw) => draw()));
}

/** Some words, a piece of the text, also backward, or the whole. */
function drawText(random: Random, text: string): string {
  const canonical = canonicalText(text);
  const words = canonical.split(" ");
  const letters = [...canonical];
  const first = Math.floor(random() * words.length);
  const from = Math.floor(random() * letters.length);
  const piece = letters.slice(from, from + 2 + Math.floor(random() * 20));
  const several = words.slice(first, first + 1 + Math.floor(random() * 4)).join(" ");
  return pick(random, [several, several, piece.join(""), piece.toReversed().join(""), canonical]);
}
