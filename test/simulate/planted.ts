// Plants faults in a copy of the pipeline, one at a time, and lists which of them the simulator finds.
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** What is wrong, where, and the text that is replaced. */
type Planted = readonly [name: string, file: string, from: string, to: string];

const sync = "pipeline/sync.ts";
const newRelease = "pipeline/newRelease.ts";
const current = "pipeline/releases/current.ts";
const folders = "pipeline/releases/folders.ts";
const entry = "pipeline/releases/changes/entry.ts";
const files = "pipeline/base/files.ts";
const state = "pipeline/delivery/state.ts";
const publish = "pipeline/delivery/publish.ts";
const pull = "pipeline/delivery/pull.ts";
const chain = "pipeline/delivery/chain.ts";

export const plantedFaults: readonly Planted[] = [
  ["a release is not flushed", newRelease, "    flush(folder), //", "    Promise.resolve(), //"],
  ["the place of a release is not flushed", current, "await flushPath(join(data, releasesFolder));", ""],
  ["the link to the changes is not flushed", current, "  await flushPath(dirname(link));\n", ""],
  ["the link to the current release is not flushed", current, "  await flushPath(data);\n", ""],
  [
    "the link is removed before the next one",
    current,
    "await rename(next,",
    "await rm(link, { force: true });\n  await rename(next,",
  ],
  [
    "a release is current before it is in its place",
    newRelease,
    "  await placeRelease(data, release);\n  await activateRelease(data, release);",
    "  await activateRelease(data, release);\n  await placeRelease(data, release);",
  ],
  [
    "a draft is not flushed before its rename",
    files,
    "writeFile(draft, text, { flush: true })",
    "writeFile(draft, text)",
  ],
  ["a file is replaced without a draft", files, "}.next`; // always", "}`; // always"],
  ["the name of a replaced file is not flushed", files, "  await flushPath(dirname(path));\n}", "}"],
  ["a file of changes is not flushed before its rename", entry, "    await flushPath(path);\n", ""],
  [
    "changes of a killed sync are not completed",
    sync,
    "extendChain(settings.data, context.clock)",
    "Promise.resolve()",
  ],
  [
    "tables of a killed sync are not removed",
    sync,
    "  await removeTables(settings.data); // a run may",
    "  // a run may",
  ],
  [
    "the build of a killed sync is not removed",
    folders,
    "[refusedFolder(data), buildFolder(data)]",
    "[refusedFolder(data)]",
  ],
  ["a sync leaves its build", folders, "  await removeFolder(buildFolder(data));\n", ""],
  [
    "the current release may be pruned",
    "pipeline/releases/retention.ts",
    "if (id === current) continue;",
    "",
  ],
  [
    "an id is given again",
    folders,
    "Date.parse(releaseMoment(newest)) + 1000",
    "Date.parse(releaseMoment(newest)) - 1000",
  ],
  [
    "a lease is not checked",
    state,
    "<= this.#context.lease / 2) return;",
    "<= Number.POSITIVE_INFINITY) return;",
  ],
  [
    "the files of a killed publisher are trusted",
    state,
    "state = { ...state, release: null };\n    }",
    "state = { ...state };\n    }",
  ],
  [
    "the files of a failed publisher are trusted",
    state,
    "    this.#state = { ...this.#state, release: null };\n    try",
    "    try",
  ],
  [
    "a state is written over another one",
    "pipeline/base/bucket/bucket.ts",
    "etag === undefined ? [{ IfNoneMatch",
    "true ? [{}] : etag === undefined ? [{ IfNoneMatch",
  ],
  ["a purge is forgotten", publish, "await context.purge(purge,", "await context.purge(purge.slice(1),"],
  ["objects are not deleted", publish, "deletions: [...findDeletions(target, before)]", "deletions: []"],
  [
    "the state names a release before its files are there",
    publish,
    "  await uploadManifest(publication);",
    "  await held.complete(manifest.release);\n  await uploadManifest(publication);",
  ],
  [
    "a pull does not compare the files that it shares",
    pull,
    "(await ifPresent(isRight(kept, file)))",
    "(await ifPresent(readFile(kept)))",
  ],
  ["a pulled release is not flushed", pull, "    flush(folder), //", "    Promise.resolve(), //"],
  ["a pulled file of changes is not flushed", chain, "    await flushPath(draft);\n", ""],
  ["a rollback is not recorded", "pipeline/rollback.ts", "await recordRollback(data,", "void (data,"],
  ["a follower's copy is not flushed", "tools/follow/follow.ts", "  await flushPath(next);\n", ""],
];

/** No fault, but planted beside each: searches that a verification draws take a quarter of a sync, and none of the faults is one of searches. */
export const fewerSearches: Planted = [
  "draws fewer searches",
  "pipeline/verify/answers.ts",
  "Math.min(60, 20 +",
  "Math.min(2, 20 +",
];

/** Replaces a text of a file. Returns the text before. */
function plant(folder: string, [, file, from, to]: Planted): string {
  const path = join(folder, file);
  const intact = readFileSync(path, "utf8");
  writeFileSync(
    path,
    intact.replace(from, () => to),
  );
  return intact;
}

const checkout = fileURLToPath(new URL("../..", import.meta.url));

/** Simulates nights with each fault. Prints and returns how many were found. */
export function findPlanted(
  nights: number,
  seed: number,
  only: string,
  print: (line: string) => void,
): number {
  const copy = mkdtempSync(join(tmpdir(), "planted-"));
  const chosen = plantedFaults.filter(([name]) => new RegExp(only).test(name));
  let found = 0;
  try {
    for (const name of ["api-static", "pipeline", "test", "tools/follow", "package.json"])
      cpSync(join(checkout, name), join(copy, name), { recursive: true });
    symlinkSync(join(checkout, "node_modules"), join(copy, "node_modules"));
    plant(copy, fewerSearches);
    for (const fault of chosen) {
      const [name, file] = fault;
      const intact = plant(copy, fault);
      const environment = { ...process.env, NIGHTS: String(nights), SEED: String(seed), FAULTS: "0" };
      const options = ["--disable-warning=ExperimentalWarning", "test/simulate/main.ts"];
      const { stdout } = spawnSync(process.execPath, options, { cwd: copy, env: environment });
      writeFileSync(join(copy, file), intact);
      const line = /^simulate: (night .*)$/m.exec(stdout.toString())?.[1];
      found += line === undefined ? 0 : 1;
      print(`${name}: ${line ?? `not found in ${nights} nights`}`);
    }
    print(`simulate: ${found} of ${chosen.length} planted faults were found`);
    return chosen.length - found;
  } finally {
    rmSync(copy, { recursive: true });
  }
}
