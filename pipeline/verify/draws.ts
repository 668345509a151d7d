// Draws searches by a seed from the grants of a release, so that every release is verified with other searches.
import { hash } from "node:crypto";
import type { DuckDBConnection, DuckDBValue } from "@duckdb/node-api";
import { formatCents } from "../../api-static/contract/amount.ts";
import { formatEin } from "../../api-static/contract/ein.ts";
import { groupKeys } from "../../api-static/contract/filters.ts";
import type { GroupsRequest } from "../../api-static/contract/groups.ts";
import { type HistoryRequest, parseRequest, type TotalsRequest } from "../../api-static/contract/request.ts";
import { routes } from "../../api-static/contract/routes.ts";
import { canonicalText } from "../../api-static/contract/text.ts";
import type { SqlEngine } from "../../api-static/search/sql/engine.ts";
import { pick, type Random, seedRandom } from "./random.ts";

export type DrawnSearch = {
  readonly url: string;
  readonly request: HistoryRequest | TotalsRequest | GroupsRequest;
  /** Where the page starts, as a fraction of all matches. */
  readonly place: number;
};

/** The columns of a grant that filters compare. */
const columns = [
  ...(["funder_ein", "recipient_ein", "transaction_year", "amount_cents", "purpose"] as const),
  ...(["recipient_name", "type", "funder_state", "recipient_state", "likely_ein"] as const),
];

type Grant = Readonly<Record<(typeof columns)[number], string | null>>;

/** The filter that a search has at least, in turn, or none. The others narrow it, so that few searches match most records. */
const anchors = [
  "funder_ein",
  "recipient_ein",
  "purpose",
  "recipient_name",
  "funder_state",
  "recipient_state",
];

/** Which of ten searches are not pages. Pages take SQL the least time. */
const paths = new Map<number, string>([
  [2, routes.totals],
  [4, routes.groups],
  [7, routes.groups],
]);

/** One search in this many is for the grants of a likely recipient. */
const likelyEvery = 12;

/** How often a search has each other filter. */
const otherShare = 0.3;

/** Grants with a likely recipient that are drawn in addition. */
const likelyGrants = 8;

/**
 * Hides the table of all grants behind a temporary one of some of them, because an answer takes several statements.
 * @param where undefined to show all again
 */
export async function narrowGrants(
  connection: DuckDBConnection,
  where?: string,
  values?: Record<string, DuckDBValue>,
  limit?: number,
): Promise<void> {
  await connection.run("DROP TABLE IF EXISTS temp.by_funder");
  if (where !== undefined)
    await connection.run(
      `CREATE TEMP TABLE by_funder AS FROM by_funder WHERE ${where} ${limit === undefined ? "" : `LIMIT ${limit}`}`,
      values,
    );
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
  const sql = `SELECT ${columns.join(", ")} FROM grants ORDER BY position`;
  const rows = await engine.start().read(sql, new AbortController().signal);
  const grants = rows.map(
    (row) => Object.fromEntries(columns.map((name, index) => [name, row[index]])) as Grant,
  );
  const likely = grants.filter((grant) => grant.likely_ein !== null);
  return positions.flatMap((_, index) => {
    const anchor = anchors[index % (anchors.length + 1)];
    const isLikely = index % likelyEvery === 3 && likely.length > 0;
    const grant = pick(random, isLikely ? likely : grants);
    const ein = formatEin(Number(grant.likely_ein));
    // Grants that are only likely are in pages of a recipient.
    const path = isLikely
      ? routes.recipientHistory.replace("{recipient_ein}", ein)
      : (paths.get(index % 10) ?? routes.history);
    const page = { limit: pick(random, [1, 10, 100]), sort: pick(random, ["year", "year", "amount"]) };
    const groups = { by: groupKeys[index % groupKeys.length], sort: pick(random, ["amount", "records"]) };
    const filters = isLikely
      ? { matched: pick(random, ["include", "only"]) }
      : drawFilters(random, grant, anchor, grants);
    const asked = path === routes.totals ? {} : path === routes.groups ? groups : page;
    const given = Object.entries({ ...filters, ...asked }).filter(([, value]) => value);
    const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
    const request = parseRequest(path, query);
    if (request.kind !== "history" && request.kind !== "totals" && request.kind !== "groups") return [];
    return { url: `${path}?${query}`, request, place: pick(random, [0, random()]) };
  });
}

/** Parameters of a search. Those without a value are omitted. */
type Drawn = Readonly<Record<string, string | number | null | undefined>>;

/** The filter `anchor` and some other filters. The grant meets each of them. An EIN is alone, or in a list with those of other grants. */
function drawFilters(
  random: Random,
  grant: Grant,
  anchor: string | undefined,
  grants: readonly Grant[],
): Drawn {
  const eins = (column: "funder_ein" | "recipient_ein") => {
    const others = Array.from({ length: pick(random, [0, 0, 1, 4]) }, () => pick(random, grants)[column]);
    const known = [grant[column], ...others].filter((ein) => ein !== null);
    return { [column]: grant[column] && known.map((ein) => formatEin(Number(ein))).join() };
  };
  const year = Number(grant.transaction_year);
  const cents = BigInt(grant.amount_cents ?? 0);
  const years: Drawn[] = [
    { transaction_year: year },
    { transaction_year: year },
    { min_year: year },
    { max_year: year },
    { min_year: year - 1, max_year: year + 1 },
  ];
  const amounts: Drawn[] = [
    { min_amount: formatCents(cents - 1n) },
    { min_amount: formatCents(cents), max_amount: formatCents(cents + 100n) },
    { max_amount: formatCents(cents) },
  ];
  const drawn: Readonly<Record<string, () => Drawn>> = {
    funder_ein: () => eins("funder_ein"),
    recipient_ein: () => eins("recipient_ein"),
    year: () => pick(random, years),
    amount: () => pick(random, amounts),
    purpose: () => ({ purpose: drawText(random, grant.purpose ?? "") }),
    recipient_name: () => ({ recipient_name: drawText(random, grant.recipient_name ?? "") }),
    ...Object.fromEntries(
      (["type", "funder_state", "recipient_state"] as const).map((name) => [
        name,
        () => ({ [name]: grant[name] }),
      ]),
    ),
  };
  const chosen = Object.entries(drawn).filter(([name]) => name === anchor || random() < otherShare);
  const match = random() < 0.4 ? "words" : undefined;
  return Object.assign({ match }, ...chosen.map(([, draw]) => draw()));
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
