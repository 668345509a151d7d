// Lets exports make their rows one chunk at a time, clients in turn, so that the event loop serves other requests in between.
import { setImmediate, setTimeout } from "node:timers/promises";
import { SearchQueue, unlimitedBounds } from "../../search/queue.ts";

export class ExportTurns {
  readonly #queue = new SearchQueue({ ...unlimitedBounds, running: 1 });
  readonly #now: () => number;
  readonly #rest: (milliseconds: number) => Promise<void>;

  constructor(now = () => performance.now(), rest: (milliseconds: number) => Promise<void> = setTimeout) {
    this.#now = now;
    this.#rest = rest;
  }

  /**
   * Makes a chunk when the turn of its client comes. It may read a release, so it is never given up halfway.
   * @param network of the client
   * @param isBusy true while searches run: exports then rest for as long as the chunk took, because their threads have a lower
   * priority than the event loop
   */
  make<Chunk>(network: string, isBusy: () => boolean, chunk: () => Promise<Chunk>): Promise<Chunk> {
    return this.#queue.run(
      async () => {
        const start = this.#now();
        const made = await chunk();
        await (isBusy() ? this.#rest(this.#now() - start) : setImmediate());
        return made;
      },
      { network },
    );
  }
}
