// Shares the places for exports among clients: a slow download, or the newest one of a client with many, makes room for another.
import { Refusal } from "../../contract/errors.ts";

/** Milliseconds over which the rate of a download is measured. Kernels take and release its bytes in portions of up to a megabyte. */
const rateWindow = 30_000;

export type PlaceBounds = {
  /** Exports that run at once. Each holds a chunk, a list of positions, and its release open. */
  readonly running: number;
  /** Bytes of CSV per second: a slower download ends if another export needs its place. */
  readonly leastRate: number;
};

/** Why an export was cut off, for the log. */
export class PlaceTaken extends Error {
  override readonly name = "PlaceTaken";
}

/** The place of an export that runs. */
export class ExportPlace {
  readonly network: string;
  readonly #now: () => number;
  #cut: ((reason?: PlaceTaken) => unknown) | undefined;
  #reason: PlaceTaken | undefined;
  #start: number;
  #bytes = 0;
  #rate = Number.POSITIVE_INFINITY;

  constructor(network: string, now: () => number) {
    this.network = network;
    this.#now = now;
    this.#start = now();
  }

  /** Registers how to cut off the export; calls it at once if the place is taken already. */
  set cut(cut: (reason?: PlaceTaken) => unknown) {
    this.#cut = cut;
    if (this.#reason !== undefined) cut(this.#reason);
  }

  /** Counts bytes that the client took. */
  count(bytes: number): void {
    this.#measure();
    this.#bytes += bytes;
  }

  /** Bytes per second in the last whole window; infinite in the first one. */
  get rate(): number {
    this.#measure();
    return this.#rate;
  }

  /** Cuts off the export, so that its client sees a failure and not the end of the file. */
  end(reason?: PlaceTaken): void {
    this.#reason = reason;
    this.#cut?.(reason);
  }

  #measure(): void {
    const elapsed = this.#now() - this.#start;
    if (elapsed < rateWindow) return;
    this.#rate = (this.#bytes * 1000) / elapsed;
    this.#start += elapsed;
    this.#bytes = 0;
  }
}

export class ExportPlaces {
  readonly #bounds: PlaceBounds;
  readonly #now: () => number;
  /** In the order in which they were taken. */
  readonly #taken = new Set<ExportPlace>();

  /** @param now milliseconds of a monotonic clock */
  constructor(bounds: PlaceBounds, now: () => number) {
    this.#bounds = bounds;
    this.#now = now;
  }

  get taken(): number {
    return this.#taken.size;
  }

  /**
   * Takes a place for an export, perhaps that of another.
   * @param network of the client
   * @throws Refusal `overloaded`
   */
  take(network: string): ExportPlace {
    if (this.#taken.size >= this.#bounds.running) this.#makeRoom(network);
    const place = new ExportPlace(network, this.#now);
    this.#taken.add(place);
    return place;
  }

  leave(place: ExportPlace): void {
    this.#taken.delete(place);
  }

  endAll(): void {
    for (const place of this.#taken) place.end();
  }

  #makeRoom(network: string): void {
    const { place, reason } = this.#findSlow() ?? this.#findNewest(network) ?? {};
    if (place === undefined) {
      const message = "too many exports or downloads are running; try again in a minute";
      throw new Refusal({ code: "overloaded", message, retryAfter: 60 });
    }
    this.#taken.delete(place);
    place.end(new PlaceTaken(`another export needed its place, and ${reason}`));
  }

  /** The slowest download, if it is below the least rate. */
  #findSlow(): Excess | undefined {
    const [place] = [...this.#taken].toSorted((a, b) => a.rate - b.rate);
    if (place === undefined || place.rate >= this.#bounds.leastRate) return undefined;
    return { place, reason: `it sent ${Math.round(place.rate)} bytes per second` };
  }

  /** The newest export of the client with the most, if that client has two more than this one. */
  #findNewest(network: string): Excess | undefined {
    const byClient = Map.groupBy(this.#taken, (place) => place.network);
    const own = byClient.get(network)?.length ?? 0;
    const [most = []] = [...byClient.values()].toSorted((a, b) => b.length - a.length);
    const place = most.at(-1);
    if (place === undefined || most.length < own + 2) return undefined;
    return { place, reason: `its client had ${most.length} exports` };
  }
}

/** An export that ends so that another one can start. */
type Excess = { readonly place: ExportPlace; readonly reason: string };
