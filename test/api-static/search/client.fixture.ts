// Makes the clients of searches.
import { type SearchClient, SearchQueue } from "../../../api-static/search/queue.ts";

export function clientOf(gone: AbortSignal, network = "192.0.2.1"): SearchClient {
  return { network, gone };
}

/** The queues of a server, without bounds. */
export const idleQueues = () => ({
  search: new SearchQueue(),
  totals: new SearchQueue(),
  names: new SearchQueue(),
});
