// Draws searches by a seed from the grants of a release, so that every release is verified with other searches.
import { hash } from "node:crypto";
import type { DuckDBConnection, DuckDBValue } from "@duckdb/node-api";
import { type Ein, formatEin } from "../../api-static/contract/ein.ts";
import { type Filters, type GroupKey, groupKeys } from "../../api-static/contract/filters.ts";
import { textLengthMax } from "../../api-static/contract/limits.ts";
import { canonicalText } from "../../api-static/contract/text.ts";
import type { SqlEngine } from "../../api-static/search/sql/engine.ts";
import { pick, type Random, seedRandom } from "./random.ts";

/** What is asked about the matches of a search. */
export type Question =
  | { readonly kind: "page"; readonly limit: number; readonly place: number; readonly sort?: "amount" }
  | { readonly kind: "totals" }
  | { readonly kind: "groups"; readonly by: GroupKey; readonly sort: "amount" | "records" };

export type DrawnSearch = { readonly filters: Filters; readonly question: Question };

/** The columns of a grant that filters compare. */
const columns = [
  ...(["funder_ein", "recipient_ein", "transaction_year", "amount_cents", "purpose"] as const),
  ...(["recipient_name", "type", "funder_state", "recipient_state", "likely_ein"] as const),
];

type Grant = Readonly<Record<(typeof columns)[number], string | null>>;

/** The filter that a search has at least, in turn. The others narrow it, so that few searches match most records. */
const anchors = [
  ...(["funderEin", "recipientEin", "purpose", "likely", "recipientName", "funderEin"] as const),
  ...(["recipientEin", "purpose", "recipientState", "funderState", "recipientName", "none"] as const),
];

/** Pages take SQL the least time. */
const kinds = [
  ...(["page", "page", "totals", "page", "groups"] as const),
  ...(["page", "page", "groups", "page", "page"] as const),
];

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
 * Draws searches, each of which matches one grant or more, unless its text is spelled backward.
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
  const draw = new Draw(random, grants);
  return Array.from({ length: count }, (_, index) => {
    const anchor = anchors[index % anchors.length] as string;
    const isLikely = anchor === "likely" && likely.length > 0;
    const filters = draw.filters(draw.pick(isLikely ? likely : grants), anchor);
    return { filters, question: draw.question(index, filters) };
  });
}

class Draw {
  readonly #random: Random;
  /** Their EINs are in lists, too. */
  readonly #grants: readonly Grant[];

  constructor(random: Random, grants: readonly Grant[]) {
    this.#random = random;
    this.#grants = grants;
  }

  pick<Value>(values: readonly Value[]): Value {
    return pick(this.#random, values);
  }

  #isDrawn(share: number): boolean {
    return this.#random() < share;
  }

  /** Pages, totals and groups in turn. Grants that are only likely are in pages alone. */
  question(index: number, { matched }: Filters): Question {
    const kind = matched === undefined ? kinds[index % kinds.length] : "page";
    if (kind === "totals") return { kind };
    const by = groupKeys[index % groupKeys.length] as GroupKey;
    if (kind === "groups") return { kind, by, sort: this.pick(["amount", "records"]) };
    const page = { limit: this.pick([1, 10, 100]), place: this.#isDrawn(0.5) ? 0 : this.#random() };
    return { kind: "page", ...page, ...(this.#isDrawn(0.4) && { sort: "amount" }) };
  }

  /** The filter `anchor` and some others, all of which the grant meets. */
  filters(grant: Grant, anchor: string): Filters {
    if (anchor === "likely" && grant.likely_ein !== null)
      return { recipientEin: formatEin(Number(grant.likely_ein)), matched: this.pick(["include", "only"]) };
    const drawn: Readonly<Record<string, () => Filters>> = {
      funderEin: () => this.#eins(grant, "funder_ein", ["funderEin", "funderEins"]),
      recipientEin: () => this.#eins(grant, "recipient_ein", ["recipientEin", "recipientEins"]),
      transactionYear: () => this.#years(Number(grant.transaction_year)),
      minAmountCents: () => this.#amounts(BigInt(grant.amount_cents ?? 0)),
      purpose: () => this.#text("purpose", grant.purpose),
      recipientName: () => this.#text("recipientName", grant.recipient_name),
      type: () => (grant.type ? { type: grant.type } : {}),
      funderState: () => (grant.funder_state ? { funderState: grant.funder_state } : {}),
      recipientState: () => (grant.recipient_state ? { recipientState: grant.recipient_state } : {}),
    };
    const isByWords = this.#isDrawn(0.4);
    const parts = Object.entries(drawn).map(([name, draw]) =>
      name === anchor || this.#isDrawn(otherShare) ? draw() : {},
    );
    const filters: Filters = Object.assign({}, ...parts);
    const hasText = filters.purpose !== undefined || filters.recipientName !== undefined;
    return hasText && isByWords ? { ...filters, isByWords } : filters;
  }

  /** The grant's EIN, alone or in a list. */
  #eins(
    grant: Grant,
    column: "funder_ein" | "recipient_ein",
    [one, several]: readonly [keyof Filters, keyof Filters],
  ): Filters {
    if (grant[column] === null) return {};
    const others = Array.from({ length: this.pick([0, 0, 1, 4]) }, () => this.pick(this.#grants)[column]);
    const eins = [...new Set([grant[column], ...others])].flatMap((ein) =>
      ein === null ? [] : [formatEin(Number(ein))],
    );
    return eins.length > 1 ? { [several]: eins.sort() } : { [one]: eins[0] as Ein };
  }

  #years(year: number): Filters {
    const ranges = [{ minYear: year - 1, maxYear: year + 1 }, { minYear: year }, { maxYear: year }];
    return this.pick([{ transactionYear: year }, { transactionYear: year }, ...ranges]);
  }

  #amounts(cents: bigint): Filters {
    return this.pick([
      { minAmountCents: cents - 1n },
      { minAmountCents: cents, maxAmountCents: cents + 100n },
      { maxAmountCents: cents },
    ]);
  }

  /** Some words, a piece of the text, also backward, or the whole; nothing if it would be blank or too long. */
  #text(filter: "purpose" | "recipientName", text: string | null): Filters {
    const canonical = canonicalText(text ?? "");
    const words = canonical.split(" ");
    const letters = [...canonical];
    const first = Math.floor(this.#random() * words.length);
    const from = Math.floor(this.#random() * letters.length);
    const piece = letters.slice(from, from + 2 + Math.floor(this.#random() * 20));
    const several = words.slice(first, first + 1 + Math.floor(this.#random() * 4));
    const drawn = [several.join(" "), several.join(" "), piece.join(""), piece.toReversed().join("")];
    const pattern = canonicalText(this.pick([...drawn, canonical]));
    return pattern === "" || [...pattern].length > textLengthMax ? {} : { [filter]: pattern };
  }
}
