// Reports damaged page files: counts every request that met one, and logs each file once.
import { LRUCache } from "lru-cache";
import type { DamagedPage } from "../../release/pageFileFormat.ts";
import type { Log } from "./log.ts";
import type { ServerMetrics } from "./metrics.ts";

/** Files remembered as logged; the one not met for the longest time is forgotten first. */
const maxRemembered = 10_000;

export class DamagedPages {
  readonly #log: Pick<Log, "error">;
  readonly #metrics: Pick<ServerMetrics, "countDamagedPage">;
  readonly #logged = new LRUCache<string, true>({ max: maxRemembered });

  constructor(log: Pick<Log, "error">, metrics: Pick<ServerMetrics, "countDamagedPage">) {
    this.#log = log;
    this.#metrics = metrics;
  }

  /**
   * Reports that a page could not be sent and was answered from the records instead.
   * @param page its key
   */
  report(release: string, page: string, error: DamagedPage): void {
    this.#metrics.countDamagedPage();
    const file = `${release}/${page}`;
    if (this.#logged.has(file)) return;
    this.#logged.set(file, true);
    this.#log.error("a page file is damaged; records answer instead", { release, page, err: error });
  }
}
