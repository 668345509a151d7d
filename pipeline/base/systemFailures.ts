// Explains failures that a person can fix outside the program: a full disk, missing permissions, too little memory.
import { resolve } from "node:path";
import type { Environment } from "../../api-static/contract/environment.ts";
import { InputError } from "./failure.ts";

/** What a command was doing when it failed. */
type Failed = { readonly command: string; readonly environment: Environment; readonly error: unknown };

/** By the text of an error: what happened and what to do. The first match applies. */
const explanations: readonly (readonly [RegExp, (failed: Failed) => string])[] = [
  [
    // DuckDB reports a disk that is too small for its spill folder as a lack of memory.
    /ENOSPC|EDQUOT|no space left on device|disk quota exceeded|max_temp_directory_size/i,
    (failed) => `The disk holding ${placeOf(failed)} is full${outcomeOf(failed)}. Free space`,
  ],
  [
    /EFBIG|file too large/i,
    (failed) =>
      `A file in ${settingOf(failed)} exceeds the limit on file sizes${outcomeOf(failed)}. Raise the limit (ulimit -f)`,
  ],
  [
    /EROFS|read-only file system/i,
    (failed) =>
      `The file system of ${settingOf(failed)} is read-only${outcomeOf(failed)}. Make it writable or choose another folder`,
  ],
  [
    /EACCES|EPERM|permission denied/i,
    (failed) =>
      `Permission denied: ${placeOf(failed)}${outcomeOf(failed)}. Let the user who runs this read and write it`,
  ],
  [
    /\b(EMFILE|ENFILE)\b|too many open files/i,
    (failed) =>
      `Too many files are open${outcomeOf(failed)}. Raise the limit on open files (ulimit -n) or lower THREADS`,
  ],
  [
    /^IO Error.*(input\/output error|stale file handle)/is,
    (failed) => `The disk or network share of ${placeOf(failed)} failed${outcomeOf(failed)}. Check it`,
  ],
  [
    /^Out of Memory Error/,
    (failed) =>
      `DuckDB needs more memory than MEMORY allows${outcomeOf(failed)}. Raise MEMORY or lower THREADS`,
  ],
];

/** The error to report when a command failed because of the machine it runs on; undefined for any other failure. */
export function explainSystemFailure(failed: Failed): InputError | undefined {
  const { command, environment, error } = failed;
  const explain = findExplanation(error);
  if (explain === undefined) return undefined;
  const setting = settingOf(failed);
  const path = pathOf(failed);
  const details = `${setting} is "${environment[setting] ?? defaults[setting]}"${path === "" ? "" : `; the file is "${path}"`}`;
  return new InputError(`${explain(failed)} and run \`make ${command}\` again. (${details})`, {
    cause: error,
  });
}

/** True for a failure of the machine, which says nothing about a file's contents. */
export function isSystemFailure(error: unknown): boolean {
  return findExplanation(error) !== undefined;
}

function findExplanation(error: unknown): ((failed: Failed) => string) | undefined {
  const message = error instanceof Error ? error.message : String(error);
  return explanations.find(([pattern]) => pattern.test(message))?.[1];
}

const defaults = { DATA: "data", OUT: "data/warehouse", INTO: "grants.duckdb" };

/** The setting that names the folder or file a command writes to. */
function settingOf({ command }: Failed): keyof typeof defaults {
  if (command === "follow") return "INTO";
  return ["sample", "warehouse", "organizations"].includes(command) ? "OUT" : "DATA";
}

/** The path in a system error, or in DuckDB's text of one; "" if there is none. */
function pathOf({ error }: Failed): string {
  if (!(error instanceof Error)) return "";
  const { path, dest, syscall } = error as NodeJS.ErrnoException & { dest?: string };
  if (syscall === "symlink") return dest ?? ""; // `path` is the text of the link
  return typeof path === "string" ? path : (/ file "([^"]+)"/.exec(error.message)?.[1] ?? "");
}

/** The setting, or a file that failed outside of it: one of the warehouse's or in a temporary folder. */
function placeOf(failed: Failed): string {
  const [setting, path] = [settingOf(failed), pathOf(failed)];
  const isWithin = resolve(path).startsWith(resolve(failed.environment[setting] ?? defaults[setting]));
  return path === "" || isWithin ? setting : `"${path}"`;
}

function outcomeOf({ command }: Failed): string {
  return command === "sync" ? "; the release was not built" : "";
}
