// Makes the result of an import from its parts: the warehouse, the list of returns and the report.
import { join } from "node:path";
import type { Database } from "../base/database.ts";
import { InputError } from "../base/failure.ts";
import { financesFileName, flushPath, organizationsFileName } from "../base/files.ts";
import { formatCount, type Progress } from "../base/progress.ts";
import { countReturns } from "./counting.ts";
import { draftPath, placeDraft } from "./drafts.ts";
import { writeFinances } from "./finances.ts";
import {
  checkReplaceable,
  findLists,
  mergeLists,
  organizationLists,
  writeEfileList,
} from "./organizations.ts";
import { importerVersion, partFiles, partFolder } from "./parts.ts";
import {
  collectReport,
  type ImportReport,
  type ReturnsReport,
  returnsName,
  writeImportReport,
  writeReturns,
} from "./report.ts";
import type { Source } from "./sources.ts";
import { placeGrants, writeGrants } from "./warehouseFiles.ts";

export type FinishedSources = {
  readonly sources: readonly Source[];
  readonly parts: string;
  readonly work: string;
  readonly out: string;
  /** Names of the files of grants in the folder before. */
  readonly previous: readonly string[];
  readonly databaseThreads: number;
  /** Called when all files are drafted, before the first one replaces another. */
  readonly beforePlacing: () => Promise<void>;
};

/**
 * Makes the warehouse from the parts. All files are drafts until the last one is written, so a run that is refused or fails keeps
 * the previous ones.
 * @throws InputError if no return has grants, ids collide, or a file in OUT is not from an import
 */
export async function finishImport(
  database: Database,
  { sources, parts, work, out, previous, databaseThreads, beforePlacing }: FinishedSources,
  progress: Progress,
): Promise<ImportReport> {
  const { connection } = database;
  const returnsPath = join(work, returnsName);
  const efileList = join(work, organizationLists.efile);
  const [organizationsPath, financesPath] = [join(out, organizationsFileName), join(out, financesFileName)];
  for (const path of [organizationsPath, financesPath]) await checkReplaceable(connection, path);
  const pathsOf = (file: string) => sources.map((source) => join(partFolder(parts, source), file));
  const paths = { returns: pathsOf(partFiles.returns), grants: pathsOf(partFiles.grants) };
  const found = await progress.run("choose", sources.length, "files", async () => {
    await countReturns(connection, paths);
    const names = sources.map(({ name }) => name);
    await writeReturns(connection, paths.returns, names, draftPath(returnsPath));
    return collectReport(connection, draftPath(returnsPath), { importerVersion, sources });
  });
  checkGrants(found);
  await writeEfileList(connection, draftPath(returnsPath), draftPath(efileList));
  const lists = [draftPath(efileList), ...(await findLists(work, "masterFile"))];
  const organizations = await mergeLists(connection, lists, draftPath(organizationsPath));
  const finances = await writeFinances(connection, paths.returns, draftPath(financesPath));
  const names = await progress.run("grants", found.grants, "grants", (onProgress) =>
    writeGrants(database, databaseThreads, { paths: paths.grants, folder: out }, onProgress),
  );
  await beforePlacing();
  await placeGrants(out, names, previous);
  for (const path of [organizationsPath, financesPath, efileList, returnsPath]) await placeDraft(path);
  for (const folder of [out, work]) await flushPath(folder);
  const report = { ...found, organizations, finances };
  await writeImportReport(report, work);
  return report;
}

/** @throws InputError with the reasons of unreadable returns, if there are no grants */
function checkGrants({ grants, problems }: ReturnsReport): void {
  if (grants > 0) return;
  const reasons = problems.map(({ problem, returns }) => `${formatCount(returns)} with "${problem}"`);
  const unreadable = reasons.length > 0 ? ` (unreadable: ${reasons.join(", ")})` : "";
  throw new InputError(`FROM: no return there has grants${unreadable}; the warehouse was not written`);
}
