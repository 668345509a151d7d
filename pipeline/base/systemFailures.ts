// Explains failures that a person can fix outside the program: a full disk, missing permissions, too little memory.
import type { Environment } from "../../api-static/contract/environment.ts";
import { systemCode } from "../../api-static/release/systemErrors.ts";
import { InputError } from "./failure.ts";

/** What a command was doing when it failed. */
type Failed = { readonly command: string; readonly environment: Environment; readonly error: unknown };

/** By the text of an error: what happened and what to do. The first match applies. */
const explanations: readonly (readonly [RegExp, (failed: Failed) => string])[] = [
  [
    // DuckDB reports a disk that is too small for its spill folder as a lack of memory.
    /ENOSPC|EDQUOT|no space left on device|disk quota exceeded|max_temp_directory_size/i,
    (failed) => `The disk holding ${settingOf(failed)} is full${outcomeOf(failed)}. Free space`,
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
      `Permission denied: ${pathOf(failed)}${outcomeOf(failed)}. Let the user who runs this read and write it`,
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
  const message = error instanceof Error ? error.message : String(error);
  const explain = explanations.find(([pattern]) => pattern.test(message))?.[1];
  if (explain === undefined) return undefined;
  const setting = settingOf(failed);
  const details = `${setting} is "${environment[setting] ?? defaults[setting]}"; ${message.split("\n")[0]}`;
  return new InputError(`${explain(failed)} and run \`make ${command}\` again. (${details})`, {
    cause: error,
  });
}

const defaults = { DATA: "data", OUT: "data/warehouse" };

/** The setting that names the folder a command writes to. */
function settingOf({ command }: Failed): keyof typeof defaults {
  return ["sample", "warehouse", "organizations"].includes(command) ? "OUT" : "DATA";
}

function pathOf(failed: Failed): string {
  const { error } = failed;
  const path = systemCode(error) !== undefined && error instanceof Error && "path" in error ? error.path : "";
  return typeof path === "string" && path !== "" ? `"${path}"` : settingOf(failed);
}

function outcomeOf({ command }: Failed): string {
  return command === "sync" ? "; the release was not built" : "";
}
