// Reads the most frequent searches of recent days from the servers' search logs.
import { type DuckDBConnection, listValue } from "@duckdb/node-api";
import type { Filters } from "../../../api-static/contract/filters.ts";
import { searchNameMax } from "../../../api-static/contract/limits.ts";
import { searchName } from "../../../api-static/contract/operations/searches.ts";
import { parseRequest } from "../../../api-static/contract/request.ts";
import { listSearchLogs, searchLogDays } from "../../../api-static/search/searchLogFiles.ts";
import { literalPath } from "../../base/database.ts";

/** Log entries read per search to be learned: some may be broken, or be searches that cannot have page files. */
const linesPerSearch = 4;

/**
 * Searches, most frequent first. Only requests for the first page and for totals count, because a walk through all pages
 * comes from one client. Lines that cannot be parsed are skipped.
 */
const mostFrequentSql = `
SELECT regexp_replace(regexp_replace(request, '[?&]limit=\\d+&offset=0$', ''), '^([^?]*/history)/summary', '\\1') AS search
FROM read_json($files, columns = {time: 'VARCHAR', request: 'VARCHAR', count: 'BIGINT'},
  format = 'newline_delimited', ignore_errors = true)
WHERE time >= $since AND count > 0 AND length(request) <= $length
  AND regexp_matches(request, '[?&]limit=\\d+&offset=0$|^[^?]*/history/summary')
GROUP BY search ORDER BY sum(count) DESC, search LIMIT $count`;

/** Length of the longest request for a search that may have page files. */
const requestLengthMax = "/v1/history?".length + searchNameMax + "&limit=1000&offset=0".length;

/**
 * The filters of the most frequent searches of recent days. The log is not trusted: each search is parsed as a request is.
 * If the log cannot be read, it warns and learns nothing.
 * @param data the data folder, which has the log
 * @param maxSearches maximum number of searches
 * @param warn called with the reason if nothing was learned
 */
export async function readLearned(
  connection: DuckDBConnection,
  data: string,
  now: Date,
  maxSearches: number,
  warn: (line: string) => void,
): Promise<Filters[]> {
  try {
    const files = await listSearchLogs(data, now);
    if (files.length === 0 || maxSearches === 0) return [];
    const since = new Date(now.getTime() - searchLogDays * 24 * 60 * 60 * 1000).toISOString();
    const values = {
      files: listValue(files.map(literalPath)),
      since,
      length: requestLengthMax,
      count: maxSearches * linesPerSearch,
    };
    const rows = (await connection.runAndReadAll(mostFrequentSql, values)).getRows();
    return rows.flatMap(([search]) => parseSearch(String(search))).slice(0, maxSearches);
  } catch (error) {
    warn(`warning: no searches were learned: ${error instanceof Error ? error.message : String(error)}`);
    return [];
  }
}

/** The filters of a logged request; none if it is not a search that may have page files. */
function parseSearch(search: string): Filters[] {
  const [path = "", query = ""] = search.split("?", 2);
  const request = parseRequest(path, query);
  const isPaged = request.kind === "history" && request.sort === undefined;
  return isPaged && searchName(request.filters) !== undefined ? [request.filters] : [];
}
