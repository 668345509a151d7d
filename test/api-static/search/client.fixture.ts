// Makes the clients, threads and queues of searches.
import { type SearchClient, SearchQueue } from "../../../api-static/search/queue.ts";
import {
  commonThreads,
  type SearchThreads,
  type ThreadPools,
} from "../../../api-static/search/searchThreads.ts";

export function clientOf(gone: AbortSignal, network = "192.0.2.1"): SearchClient {
  return { network, gone };
}

/** Threads for searches, totals and groups; names are found in those of the process. */
export const poolsOf = (search: SearchThreads, totals = search): ThreadPools => ({
  ...commonThreads,
  search,
  totals,
});

/** The queues of a server, without bounds. */
export const idleQueues = () => ({
  search: new SearchQueue(),
  totals: new SearchQueue(),
  names: new SearchQueue(),
});
