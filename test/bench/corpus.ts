// Owns what is measured: a sample warehouse and the release that a sync makes of it, made once for all parts of a run.
import { readFile, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { countRecords, parts } from "../../api-static/release/layout.ts";
import { measure } from "./process.ts";

export const mainScript = fileURLToPath(new URL("../../pipeline/main.ts", import.meta.url));

export type Corpus = {
  /** Folder of the sample's Parquet. */
  readonly warehouse: string;
  /** Folder of the releases, as the server's setting DATA. */
  readonly data: string;
  /** Folder of the only release. */
  readonly release: string;
  /** Records of the release: the accepted rows. */
  readonly records: number;
  readonly indexBytes: number;
};

/** Makes a sample warehouse of seed 1, and syncs it. */
export async function makeCorpus(folder: string, rows: number): Promise<Corpus> {
  const warehouse = join(folder, `corpus-${rows}`, "warehouse");
  const data = join(folder, `corpus-${rows}`, "data");
  await measure(mainScript, ["sample"], { ROWS: String(rows), SEED: "1", OUT: warehouse });
  await measure(mainScript, ["sync"], { WAREHOUSE: warehouse, DATA: data });
  const release = await realpath(join(data, "current"));
  return {
    warehouse,
    data,
    release,
    records: countRecords(await readFile(join(release, parts.funders))),
    indexBytes: (await stat(join(release, parts.index))).size,
  };
}
