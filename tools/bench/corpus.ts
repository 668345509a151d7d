// Makes the data to measure: a sample warehouse and its release, once for all parts of a run.
import { readFile, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { countRecords, parts } from "../../api-static/release/layout.ts";
import { measure } from "./process.ts";

export const sampleScript = fileURLToPath(new URL("../sample/main.ts", import.meta.url));
export const amendScript = fileURLToPath(new URL("./amend.ts", import.meta.url));
export const mainScript = fileURLToPath(new URL("../../pipeline/main.ts", import.meta.url));

export type Corpus = {
  /** Folder of the sample's Parquet. */
  readonly warehouse: string;
  /** The data folder: the server's setting DATA. */
  readonly data: string;
  /** Folder of the only release. */
  readonly release: string;
  /** Number of records in the release. */
  readonly records: number;
  /** Bytes of both parts of the index. */
  readonly indexBytes: number;
};

/** Makes a sample warehouse with seed 1 and syncs it, without downloads. */
export async function makeCorpus(folder: string, rows: number): Promise<Corpus> {
  const warehouse = join(folder, `corpus-${rows}`, "warehouse");
  const data = join(folder, `corpus-${rows}`, "data");
  await measure(sampleScript, [], { ROWS: String(rows), SEED: "1", OUT: warehouse });
  await measure(mainScript, ["sync"], { WAREHOUSE: warehouse, DATA: data, DOWNLOADS: "0" });
  const release = await realpath(join(data, "current"));
  return {
    warehouse,
    data,
    release,
    records: countRecords(await readFile(join(release, parts.funders))),
    indexBytes: await countBytes(release, [parts.index, parts.columns]),
  };
}

async function countBytes(folder: string, names: readonly string[]): Promise<number> {
  const files = await Promise.all(names.map((name) => stat(join(folder, name))));
  return files.reduce((sum, { size }) => sum + size, 0);
}
