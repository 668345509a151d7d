// Exports all grants that match the filters as CSV rows, read from the release as fast as the client takes them.
import { setImmediate } from "node:timers/promises";
import { csvHeader, formatCsvRow } from "../../contract/csv.ts";
import { lineEnd } from "../../contract/envelope.ts";
import { Refusal } from "../../contract/errors.ts";
import { isWholeFunder } from "../../contract/pageKeys.ts";
import type { ExportRequest } from "../../contract/request.ts";
import { type FunderRow, findFunderRow } from "../../release/layout.ts";
import type { Records } from "../../release/records.ts";
import type { AdmitSearch, AnswerPath } from "../../search/answer.ts";
import type { Release } from "../../search/release.ts";
import { walkMatches } from "../../search/walk.ts";

/** Records read at a time: about 60 KB and one millisecond. Then other requests have their turn. */
const batchRecords = 200;

export type ExportBounds = {
  /** Exports that run at once. Each holds a chunk, a list of positions, and its release open. */
  readonly running: number;
  /** Seconds that may pass without a chunk being sent. */
  readonly seconds: number;
  /** Minutes that an export may take. */
  readonly minutes: number;
};

export type Export = {
  readonly path: AnswerPath;
  /** e.g., "grants-131635294.csv" */
  readonly fileName: string;
  /** The text, made chunk by chunk as it is read. */
  readonly chunks: AsyncGenerator<Buffer, void>;
  /** Ends the export, even if not all of it was read. Its release stays open until then. */
  readonly close: () => Promise<void>;
};

type Positions = AsyncIterable<readonly number[]> | Iterable<readonly number[]>;

/** The exports that a server runs. */
export class Exports {
  readonly bounds: ExportBounds;
  #running = 0;
  readonly #resets = new Set<() => unknown>();

  constructor(bounds: ExportBounds) {
    this.bounds = bounds;
  }

  get running(): number {
    return this.#running;
  }

  /** Registers how to cut the connection of an export that is being sent; returns the function that unregisters it. */
  addReset(reset: () => unknown): () => void {
    this.#resets.add(reset);
    return () => this.#resets.delete(reset);
  }

  /** Cuts every export that is being sent, so that its client sees a failure and not the end of the file. */
  resetAll(): void {
    for (const reset of this.#resets) reset();
  }

  /**
   * Opens the requested export; undefined if its path names a funder without records.
   * @param admit called once: every export counts as a search of its client
   * @throws Refusal if too many exports run or the client exceeded its searches per minute, and as a search does
   */
  async open(release: Release, request: ExportRequest, admit?: AdmitSearch): Promise<Export | undefined> {
    const { filters } = request;
    const { funderEin } = filters;
    const funder = funderEin === undefined ? undefined : findFunderRow(release.funders, Number(funderEin));
    if (request.scope === "funder" && funder === undefined) return undefined;
    const client = admit?.();
    if (this.#running >= this.bounds.running) {
      const message = "too many exports are running; try again in a minute";
      throw new Refusal({ code: "overloaded", message, retryAfter: 60 });
    }
    const ending = new AbortController();
    const signal = client === undefined ? ending.signal : AbortSignal.any([client, ending.signal]);
    const isWhole = isWholeFunder(filters);
    const leave = this.#enter(release);
    try {
      const positions = isWhole ? listPositions(funder) : await walkMatches(release.search, filters, signal);
      const chunks = formatChunks(release.records, positions, request.isEscapingFormulas);
      const close = async () => {
        ending.abort();
        await chunks.return();
        leave();
      };
      const fileName = funderEin === undefined ? "grants.csv" : `grants-${funderEin}.csv`;
      return { path: isWhole ? "slice" : "search", fileName, chunks, close };
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Takes one of the places and keeps the release open; returns the function that gives both back. */
  #enter(release: Release): () => void {
    let isInside = true;
    this.#running += 1;
    release.enter();
    return () => {
      if (!isInside) return;
      isInside = false;
      this.#running -= 1;
      release.leave();
    };
  }
}

/** The positions of a whole funder. Its records are contiguous, so this needs no search. */
function* listPositions({ first, records }: FunderRow = noRecords): Generator<readonly number[]> {
  const end = first + records;
  for (let from = first; from < end; from += batchRecords)
    yield Array.from({ length: Math.min(batchRecords, end - from) }, (_, index) => from + index);
}

const noRecords: FunderRow = { ein: 0, first: 0, records: 0 };

async function* formatChunks(
  records: Records,
  lists: Positions,
  isEscapingFormulas: boolean,
): AsyncGenerator<Buffer, void> {
  yield Buffer.from(csvHeader);
  for await (const positions of lists) {
    for (let from = 0; from < positions.length; from += batchRecords) {
      const read = await records.readLinesInTurns(positions.slice(from, from + batchRecords));
      const lines = read.toString().slice(0, -lineEnd.length).split(lineEnd);
      yield Buffer.from(lines.map((line) => formatCsvRow(line, isEscapingFormulas)).join(""));
      await setImmediate();
    }
  }
}
