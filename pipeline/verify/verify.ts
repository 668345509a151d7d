// Verifies a release from disk: a kept one by all its files, one just built or pulled by its contents alone.
import { mkdtemp, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import {
  countRecords,
  funderRowBytes,
  offsetBytes,
  parts,
  readFunderRow,
} from "../../api-static/release/layout.ts";
import { Release } from "../../api-static/search/release.ts";
import { type DatabaseSettings, sqlText, withConnection, withDatabase } from "../base/database.ts";
import { InputError, throwDamaged } from "../base/failure.ts";
import { listIfPresent } from "../base/files.ts";
import { allEnded } from "../base/parallel.ts";
import type { Progress } from "../base/progress.ts";
import { releaseFolder } from "../releases/folders.ts";
import { type Manifest, readManifest, schemaVersion } from "../releases/manifest.ts";
import { findAnswerProblems, findFileDifferences } from "./answers.ts";
import { findColumnProblems } from "./columns.ts";
import { findContradictions } from "./contradictions.ts";
import { findFileProblems } from "./files.ts";
import { findLikelyFunderProblems } from "./likelyFunders.ts";
import { findMatchProblems } from "./matches.ts";
import { findOrganizationProblems } from "./organizations.ts";
import { findDownloadProblems, findRecordProblems } from "./records.ts";

/** A release of a data folder, and the bounds of its verification. */
export type KeptRelease = {
  readonly data: string;
  readonly id: string;
  /** DuckDB's bound on its buffers, e.g., "4GB". */
  readonly memory: string;
  readonly threads: number;
};

/**
 * Verifies a kept release outside a sync: for `make verify` and before a rollback.
 * @throws InputError if there is no such release, DamagedError that names every problem of it
 */
export async function verifyKeptRelease(
  { data, id, memory, threads }: KeptRelease,
  progress: Progress,
): Promise<void> {
  const folder = releaseFolder(data, id);
  const { pages } = await readManifest(folder);
  // Each verification has a separate folder, because others may run at the same time, even in other containers.
  const spillFolder = await mkdtemp(join(data, spillPrefix));
  try {
    await removeAbandonedSpills(data, spillFolder);
    await progress.run("verify", pages.files, "pages", (onProgress) =>
      checkRelease(folder, { memory, threads, spillFolder }, onProgress),
    );
  } finally {
    await rm(spillFolder, { recursive: true, force: true });
  }
}

const spillPrefix = "verify-spill-";

/** Milliseconds after which a folder counts as left by a killed verification; none takes that long. */
const abandonedAfter = 24 * 60 * 60 * 1000;

/** Removes the folders of killed verifications: those that are much older than this one's. */
async function removeAbandonedSpills(data: string, own: string): Promise<void> {
  const { mtimeMs: now } = await stat(own);
  for (const name of await listIfPresent(data)) {
    if (!name.startsWith(spillPrefix)) continue;
    const folder = join(data, name);
    const found = await stat(folder).catch(() => undefined); // another verification has just removed it
    if (found !== undefined && now - found.mtimeMs >= abandonedAfter)
      await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Reads a whole release again: its files, and if all are intact, their contents.
 * @param folder the release's folder
 * @param bounds memory and threads to use, and the folder to spill into
 * @param onProgress receives the number of pages done
 * @throws DamagedError that names every problem; InputError if the release has the layout of another version
 */
export async function checkRelease(
  folder: string,
  bounds: DatabaseSettings,
  onProgress: (pages: number) => void,
): Promise<void> {
  const manifest = await readManifest(folder);
  if (manifest.schema_version !== schemaVersion)
    throw new InputError(
      `release ${folder} was made by another version, which can verify it: schema_version is ${manifest.schema_version}, expected ${schemaVersion}`,
    );
  const damages = await findFileProblems(folder, manifest, bounds.threads, onProgress);
  report(folder, damages.length > 0 ? damages : await findContentProblems(folder, manifest, bounds, true));
}

/**
 * Verifies a release that this process has just built or pulled: its contents must agree. Each of its files has just been made,
 * downloaded, or linked and compared in its turn, so none is compared again. Of large releases, some records and matches are read, in turn.
 * @throws DamagedError that names every problem
 */
export async function checkBuiltRelease(folder: string, bounds: DatabaseSettings): Promise<void> {
  const manifest = await readManifest(folder);
  report(folder, await findContentProblems(folder, manifest, bounds, false));
}

/** Throws a DamagedError if there are problems. */
function report(folder: string, problems: readonly string[]): void {
  throwDamaged(`release ${folder} does not match its manifest`, problems);
}

/**
 * Finds contradictions between the parts of a release whose files are intact.
 * @param isWhole true if all records and matches are compared, as for a release that is kept; else some of them, in turn
 */
async function findContentProblems(
  folder: string,
  manifest: Manifest,
  bounds: DatabaseSettings,
  isWhole: boolean,
): Promise<string[]> {
  return withDatabase(bounds, async ({ instance, connection }) => {
    const release = await Release.open(folder);
    try {
      const problems = findTableProblems(release, manifest);
      if (problems.length > 0) return problems; // the other checks rely on the tables
      await connection.run(`ATTACH '${sqlText(join(folder, parts.index))}' AS index (READ_ONLY)`);
      // DuckDB reads the records while this thread works on the others.
      const found = await allEnded(
        useIndex(instance, async (own) => [
          ...(await findRecordProblems(own, folder, manifest, isWhole)),
          ...(await findContradictions(own, folder, manifest)),
          ...(await findLikelyFunderProblems(own, manifest)),
          ...(await findMatchProblems(own, folder, manifest, isWhole)),
        ]),
        useIndex(instance, async (own) => {
          const problems = await findColumnProblems(own, release);
          if (problems.length > 0) return problems; // searches rely on the columns
          return [
            ...(await findAnswerProblems(own, release, manifest)),
            ...(manifest.downloads ? await findDownloadProblems(own, folder) : []),
            ...(await findFileDifferences(release)),
          ];
        }),
        useIndex(instance, (own) => findOrganizationProblems(own, folder, manifest.names)),
      );
      return found.flat();
    } finally {
      release.leave();
    }
  });
}

/** Runs a check on a connection of its own, whose current database is the index. */
function useIndex<Result>(
  instance: DuckDBInstance,
  check: (connection: DuckDBConnection) => Promise<Result>,
): Promise<Result> {
  return withConnection(instance, async (own) => {
    await own.run("USE index");
    return check(own);
  });
}

/** Checks the order of the funders, and the numbers of rows and bytes against the manifest. */
function findTableProblems(release: Release, manifest: Manifest): string[] {
  const { funders } = release;
  const problems: string[] = [];
  let [next, lastEin] = [0, -1];
  for (let index = 0; index < funders.length / funderRowBytes; index++) {
    const { ein, first, records } = readFunderRow(funders, index);
    if (ein <= lastEin || first !== next || records < 1)
      problems.push(`${parts.funders}: row ${index} is out of order`);
    [next, lastEin] = [first + records, ein];
  }
  const bytesOf = (part: string) => manifest.parts[part]?.bytes ?? 0;
  const counts: [string, number, number][] = [
    [parts.funders, funders.length / funderRowBytes, manifest.totals.funders],
    [parts.records, countRecords(funders), manifest.totals.records],
    [parts.offsets, bytesOf(parts.offsets) / offsetBytes - 1, manifest.totals.records],
  ];
  for (const [part, found, sealed] of counts) {
    if (found !== sealed) problems.push(`${part} has ${found} entries, the manifest says ${sealed}`);
  }
  if (problems.length > 0) return problems;
  const end = release.records.readEnd(manifest.totals.records);
  if (end === bytesOf(parts.records)) return [];
  return [`${parts.offsets} covers ${end} bytes of records, expected ${bytesOf(parts.records)}`];
}
