// Owns the plan of the funder pages: which pages a release has, and their cutting from `records` by several workers.
import { createHash } from "node:crypto";
import { Worker } from "node:worker_threads";
import { funderRowBytes, readFunderRow } from "../api-static/layout.ts";
import { pageSizeMax, pageSizes } from "../api-static/limits.ts";

/** Records of a block, the unit that a worker takes: small enough that no worker waits long for the last one. */
const blockRecords = 50_000;

/** A run of at most `pageSizeMax` records of one funder: one page of the largest size and the smaller ones it holds. */
export type Run = {
  readonly ein: number;
  /** The funder's records in all. */
  readonly total: number;
  /** Of the run's first record within the funder; a multiple of every page size. */
  readonly offset: number;
  /** Position of the run's first record. */
  readonly first: number;
  readonly records: number;
};

export type PageCounts = { readonly files: number; readonly bytes: number; readonly storedBytes: number };

/** What a worker is told, and what it says after each block. */
export type CutOrder = {
  readonly folder: string;
  readonly funders: Buffer;
  readonly next: SharedArrayBuffer;
  readonly blocks: number;
};
export type CutBlock = PageCounts & { readonly block: number; readonly sha256: string };

/** The runs whose first record lies in a block, in order of position. */
export function* runsOfBlock(funders: Buffer, block: number): Generator<Run> {
  const from = block * blockRecords;
  const to = from + blockRecords;
  for (let index = findFunderAt(funders, from); index < funders.length / funderRowBytes; index++) {
    const { ein, first, records } = readFunderRow(funders, index);
    if (first >= to) return;
    const start = Math.max(0, Math.ceil((from - first) / pageSizeMax)) * pageSizeMax;
    for (let offset = start; offset < records && first + offset < to; offset += pageSizeMax) {
      yield {
        ein,
        total: records,
        offset,
        first: first + offset,
        records: Math.min(pageSizeMax, records - offset),
      };
    }
  }
}

/** The index of the funder that holds a position. */
function findFunderAt(funders: Buffer, position: number): number {
  let low = 0;
  let high = funders.length / funderRowBytes - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (readFunderRow(funders, middle).first <= position) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Pages of all sizes that the funders have. */
export function countPages(funders: Buffer): number {
  let pages = 0;
  for (let index = 0; index < funders.length / funderRowBytes; index++) {
    const { records } = readFunderRow(funders, index);
    for (const size of pageSizes) pages += Math.ceil(records / size);
  }
  return pages;
}

/**
 * Cuts every page of every funder into `folder`'s public part.
 * @param reach told how many pages are done
 * @returns counts, and a digest over the digests of all pages in order
 */
export async function cutPages(
  folder: string,
  funders: Buffer,
  records: number,
  workers: number,
  reach: (pages: number) => void,
): Promise<PageCounts & { sha256: string }> {
  const blocks = Math.ceil(records / blockRecords);
  const order: CutOrder = { folder, funders, blocks, next: new SharedArrayBuffer(4) };
  const digests: string[] = [];
  let [files, bytes, storedBytes] = [0, 0, 0];
  const keep = (done: CutBlock) => {
    digests[done.block] = done.sha256;
    files += done.files;
    bytes += done.bytes;
    storedBytes += done.storedBytes;
    reach(files);
  };
  await runWorkers(order, Math.min(workers, blocks), keep);
  return { files, bytes, storedBytes, sha256: createHash("sha256").update(digests.join("")).digest("hex") };
}

/** Runs the workers to their end; when one fails, stops the others and throws what it threw. */
async function runWorkers(order: CutOrder, count: number, keep: (block: CutBlock) => void): Promise<void> {
  const script = new URL("./pages.worker.ts", import.meta.url);
  const workers = Array.from({ length: count }, () => new Worker(script, { workerData: order }));
  try {
    await Promise.all(
      workers.map(
        (worker) =>
          new Promise<void>((resolve, reject) => {
            worker.on("message", keep);
            worker.once("error", reject);
            worker.once("exit", (code) =>
              code === 0 ? resolve() : reject(new Error(`a page worker ended with ${code}`)),
            );
          }),
      ),
    );
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}
