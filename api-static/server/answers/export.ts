// Owns exports: all grants that meet the filters as rows of CSV, read from the release as fast as they are taken.
import { setImmediate } from "node:timers/promises";
import { csvHeader, formatCsvRow } from "../../contract/csv.ts";
import { lineEnd } from "../../contract/envelope.ts";
import { Refusal } from "../../contract/errors.ts";
import type { ExportRequest } from "../../contract/request.ts";
import { type FunderRow, findFunderRow } from "../../release/layout.ts";
import type { Records } from "../../release/records.ts";
import type { AdmitSearch, AnswerPath } from "../../search/answer.ts";
import type { Release } from "../../search/release.ts";
import { scanMatches } from "../../search/scan.ts";

/** Records read at a time: about 60 KB and a millisecond, after which others have their turn. */
const recordsAtOnce = 200;

export type ExportBounds = {
  /** Exports that run at once: each holds a chunk, a list of positions, and its release open. */
  readonly running: number;
  /** Seconds that a client may take for a chunk. */
  readonly seconds: number;
};

export type Export = {
  readonly path: AnswerPath;
  /** e.g., "grants-131635294.csv" */
  readonly fileName: string;
  /** The text, piece by piece, made as it is taken. */
  readonly chunks: AsyncGenerator<Buffer, void>;
  /** Ends the export, whether all of it was taken or not: until then its release stays open. */
  readonly close: () => Promise<void>;
};

type Positions = AsyncIterable<readonly number[]> | Iterable<readonly number[]>;

/** The exports of a server. */
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

  /** Keeps how the connection of an export is cut while it is sent; returns what forgets it. */
  keepReset(reset: () => unknown): () => void {
    this.#resets.add(reset);
    return () => this.#resets.delete(reset);
  }

  /** Cuts every export that is being sent, so that its client sees a failure, not an end. */
  resetAll(): void {
    for (const reset of this.#resets) reset();
  }

  /**
   * The export that a request asks for; undefined when its path names a funder without records.
   * @throws Refusal when too many run, and as a search does
   */
  async open(release: Release, request: ExportRequest, admit?: AdmitSearch): Promise<Export | undefined> {
    const { funderEin } = request.filters;
    const funder = funderEin === undefined ? undefined : findFunderRow(release.funders, Number(funderEin));
    if (request.scope === "funder" && funder === undefined) return undefined;
    if (this.#running >= this.bounds.running) {
      const message = "too many exports are running; try again in a minute";
      throw new Refusal({ code: "overloaded", message, retryAfter: 60 });
    }
    const isWholeFunder = funderEin !== undefined && Object.keys(request.filters).length === 1;
    const leave = this.#enter(release);
    try {
      const positions = isWholeFunder
        ? countUp(funder)
        : await scanMatches(release.search, request.filters, admit?.());
      const chunks = formatChunks(release.records, positions, request.isEscapingFormulas);
      const close = async () => {
        await chunks.return();
        leave();
      };
      const fileName = funderEin === undefined ? "grants.csv" : `grants-${funderEin}.csv`;
      return { path: isWholeFunder ? "slice" : "search", fileName, chunks, close };
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Takes a place and keeps the release open, until what it returns is called. */
  #enter(release: Release): () => void {
    let isIn = true;
    this.#running += 1;
    release.enter();
    return () => {
      if (!isIn) return;
      isIn = false;
      this.#running -= 1;
      release.leave();
    };
  }
}

/** The positions of a whole funder, whose records lie together: the index is not asked. */
function* countUp({ first, records }: FunderRow = noRecords): Generator<readonly number[]> {
  const end = first + records;
  for (let from = first; from < end; from += recordsAtOnce)
    yield Array.from({ length: Math.min(recordsAtOnce, end - from) }, (_, index) => from + index);
}

const noRecords: FunderRow = { ein: 0, first: 0, records: 0 };

async function* formatChunks(
  records: Records,
  found: Positions,
  isEscapingFormulas: boolean,
): AsyncGenerator<Buffer, void> {
  yield Buffer.from(csvHeader);
  for await (const positions of found) {
    for (let from = 0; from < positions.length; from += recordsAtOnce) {
      const text = records.readLines(positions.slice(from, from + recordsAtOnce)).toString();
      const lines = text.slice(0, -lineEnd.length).split(lineEnd);
      yield Buffer.from(lines.map((line) => formatCsvRow(line, isEscapingFormulas)).join(""));
      await setImmediate();
    }
  }
}
