// Chooses the searches that get page files: those that many people start with, and those learned from the log.
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import type { Filters } from "../../../api-static/contract/filters.ts";
import { textLengthMax } from "../../../api-static/contract/limits.ts";
import { searchName } from "../../../api-static/contract/operations/searches.ts";
import { parseRequest } from "../../../api-static/contract/request.ts";
import { parts } from "../../../api-static/release/layout.ts";
import { sqlText } from "../../base/database.ts";
import type { SearchSettings } from "../../releases/manifest.ts";

/** The filters of searches by their names in page keys. */
export type Searches = ReadonlyMap<string, Filters>;

/** Minimum amounts, in dollars, that are combined with each year. */
const amounts = [10_000, 100_000, 1_000_000];

/** The recipients with the most grants. */
const recipientsSql = `
SELECT lpad(recipient_ein::VARCHAR, 9, '0') FROM built.by_recipient
GROUP BY recipient_ein ORDER BY count(*) DESC, recipient_ein LIMIT $count`;

/** The most frequent purposes that are short enough for a search. */
const purposesSql = `
SELECT text FROM built.purposes WHERE length(text) <= ${textLengthMax} ORDER BY records DESC, text LIMIT $count`;

/**
 * Chooses the searches of a release that get page files: the unfiltered one; each year; each year with each minimum amount;
 * the recipients with the most grants; frequent purposes; learned searches. Searches that cannot have page files are omitted.
 * @param folder of the release, which has its index
 * @param years of the grants
 */
export async function chooseSearches(
  connection: DuckDBConnection,
  folder: string,
  years: readonly number[],
  learned: readonly Filters[],
  settings: SearchSettings,
): Promise<Searches> {
  const named = new Map<string, Filters>();
  if (settings.smallPages + settings.largePages === 0) return named;
  const add = (filters: Filters) => {
    const name = searchName(filters);
    if (name !== undefined) named.set(name, filters);
  };
  add({});
  for (const transactionYear of years) {
    add({ transactionYear });
    for (const amount of amounts) add({ transactionYear, minAmountCents: BigInt(amount) * 100n });
  }
  await connection.run(`ATTACH '${sqlText(join(folder, parts.index))}' AS built (READ_ONLY)`);
  try {
    const readColumn = async (sql: string, count: number) =>
      (await connection.runAndReadAll(sql, { count })).getRows().map(([value]) => String(value));
    for (const text of await readColumn(recipientsSql, settings.recipients))
      add(parseFilters({ recipient_ein: text }));
    for (const text of await readColumn(purposesSql, settings.purposes)) add(parseFilters({ purpose: text }));
  } finally {
    await connection.run("DETACH built");
  }
  for (const filters of learned) add(filters);
  return named;
}

/** Parses filters from the parameters of a request. */
function parseFilters(parameters: Readonly<Record<string, string>>): Filters {
  const request = parseRequest("/v1/history", new URLSearchParams(parameters).toString());
  if (request.kind === "history") return request.filters;
  throw new Error(`expected the parameters of a search, got ${JSON.stringify(parameters)}`);
}
