// Reads sources in threads and makes their parts.
import type { DuckDBConnection } from "@duckdb/node-api";
import { formatCount, type Progress } from "../base/progress.ts";
import type { Draft, ReadBlock } from "./draftReader.ts";
import { makeDrafts, partFolder, readDrafts, writePart } from "./parts.ts";
import type { Source } from "./sources.ts";

export type ReadContext = {
  readonly parts: string;
  /** Threads that read returns. */
  readonly threads: number;
  /** Threads of DuckDB. */
  readonly databaseThreads: number;
};

/** Makes the parts of sources. The Parquet of a source is written while the next one is read. */
export async function readSources(
  connection: DuckDBConnection,
  sources: readonly Source[],
  { parts, threads, databaseThreads }: ReadContext,
  progress: Progress,
): Promise<void> {
  if (sources.length === 0) return;
  const drafts = await makeDrafts(parts, sources);
  await connection.run(`SET threads = ${Math.ceil(databaseThreads / 2)}`); // reading keeps the cores busy
  const megabytes = sources.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6;
  await progress.run("read", megabytes, "MB", async (onProgress) => {
    let writing = Promise.resolve();
    let [hasFailed, left, readBytes, start] = [false, drafts.length, 0, performance.now()];
    const all = drafts.map((): ReadCounts => ({ blocks: 0, returns: 0, xmlBytes: 0 }));
    const finish = (draft: Draft, counts: ReadCounts) => {
      const name = `${draft.source.name} (${drafts.indexOf(draft) + 1} of ${drafts.length})`;
      progress.note(formatRead(name, counts, (performance.now() - start) / 1000));
      start = performance.now();
      left -= 1;
      writing = writing.then(async () => {
        if (left === 0) await connection.run(`SET threads = ${databaseThreads}`);
        await writePart(connection, draft.folder, partFolder(parts, draft.source));
      });
      writing.catch(() => {
        hasFailed = true; // the error is thrown below
      });
    };
    const add = (index: number, { returns, xmlBytes, bytes }: ReadBlock) => {
      const [draft, counts] = [drafts[index] as Draft, all[index] as ReadCounts];
      counts.blocks += 1;
      counts.returns += returns;
      counts.xmlBytes += xmlBytes;
      readBytes += bytes;
      onProgress(readBytes / 1e6);
      if (counts.blocks === draft.blocks) finish(draft, counts);
    };
    for (const [index, draft] of drafts.entries())
      if (draft.blocks === 0) finish(draft, all[index] as ReadCounts);
    try {
      await readDrafts(drafts, threads, (block) => {
        add(block.draft, block);
        return !hasFailed;
      });
    } finally {
      await writing;
    }
  });
}

/** Progress in reading a source. */
type ReadCounts = { blocks: number; returns: number; xmlBytes: number };

function formatRead(name: string, { returns, xmlBytes }: ReadCounts, seconds: number): string {
  const [megabytes, rate] = [xmlBytes / 1e6, xmlBytes / 1e6 / seconds].map(formatCount);
  return `${name}: ${formatCount(returns)} returns, ${megabytes} MB of XML, ${rate} MB/s`;
}
