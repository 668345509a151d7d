// Owns the learning of searches from the server's log: the most asked ones of the last days.
import { type DuckDBConnection, listValue } from "@duckdb/node-api";
import type { Filters } from "../../api-static/contract/filters.ts";
import { searchNameMax } from "../../api-static/contract/limits.ts";
import { searchName } from "../../api-static/contract/pageKeys.ts";
import { parseRequest } from "../../api-static/contract/request.ts";
import { listSearchLogs, searchLogDays } from "../../api-static/search/searchLogFiles.ts";

/** Lines looked at for each search wanted: some may be broken, or name a search that has no page file. */
const linesOfOne = 4;

/**
 * Searches in the order in which they were asked most: by requests for their begin, since one walk through all pages is
 * one person's interest. A line that cannot be read is passed over.
 */
const mostAskedSql = `
SELECT regexp_replace(request, '[?&]limit=\\d+&offset=0$', '') AS search
FROM read_json($files, columns = {time: 'VARCHAR', request: 'VARCHAR', count: 'BIGINT'},
  format = 'newline_delimited', ignore_errors = true)
WHERE time >= $since AND count > 0 AND length(request) <= $length
  AND regexp_matches(request, '[?&]limit=\\d+&offset=0$')
GROUP BY search ORDER BY sum(count) DESC, search LIMIT $most`;

/** Longest request that may have a page file. */
const requestLengthMax = "/v1/history?".length + searchNameMax + "&limit=1000&offset=0".length;

/**
 * The filters of the searches asked most in the log's days up to that moment, at most so many. The log is only a hint:
 * whatever lies in its folder, each of them is read as a request is, and a failure is told and teaches nothing.
 * @param data folder that holds the log
 * @param tell told why nothing was learned
 */
export async function readLearned(
  connection: DuckDBConnection,
  data: string,
  now: Date,
  most: number,
  tell: (line: string) => void,
): Promise<Filters[]> {
  try {
    const files = await listSearchLogs(data, now);
    if (files.length === 0 || most === 0) return [];
    const since = new Date(now.getTime() - searchLogDays * 24 * 60 * 60 * 1000).toISOString();
    const values = { files: listValue(files), since, length: requestLengthMax, most: most * linesOfOne };
    const asked = (await connection.runAndReadAll(mostAskedSql, values)).getRows();
    return asked.flatMap(([search]) => parseSearch(String(search))).slice(0, most);
  } catch (error) {
    tell(`warning: no searches were learned: ${error instanceof Error ? error.message : String(error)}`);
    return [];
  }
}

/** The filters of a logged request; none when it is none of a search that may have page files. */
function parseSearch(search: string): Filters[] {
  const [path = "", query = ""] = search.split("?", 2);
  const asked = parseRequest(path, query);
  return asked.kind === "history" && searchName(asked.filters) !== undefined ? [asked.filters] : [];
}
