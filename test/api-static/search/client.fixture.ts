// Makes the clients of searches.
import type { SearchClient } from "../../../api-static/search/queue.ts";

export function clientOf(gone: AbortSignal, network = "192.0.2.1"): SearchClient {
  return { network, gone };
}
