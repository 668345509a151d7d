// Writes files under a draft's name first, so that a run that fails keeps the previous ones.
import { rename, rm } from "node:fs/promises";
import { digestFile, digestIfPresent } from "../base/digests.ts";

/** The path under which a file is written before all files of a run are complete. */
export function draftPath(path: string): string {
  return `${path}.tmp`;
}

/**
 * Gives a draft its name. A file that already has the same bytes stays as it is, because a sync reads a file again when its time
 * changes. The folder is not flushed.
 */
export async function placeDraft(path: string): Promise<void> {
  const draft = draftPath(path);
  const [before, after] = [await digestIfPresent(path), await digestFile(draft)];
  if (before?.sha256 === after.sha256) await rm(draft);
  else await rename(draft, path);
}
