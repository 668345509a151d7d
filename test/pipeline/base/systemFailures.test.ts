// Tests the messages for failures of the machine: a full disk, missing permissions, too little memory.
import { describe, expect, it } from "vitest";
import { explainSystemFailure } from "../../../pipeline/base/systemFailures.ts";

const environment = { DATA: "/srv/data" };
const explain = (error: unknown, command = "sync") =>
  explainSystemFailure({ command, environment, error })?.message;

const full =
  "The disk holding DATA is full; the release was not built. Free space and run `make sync` again. ";

describe("a failure of the machine", () => {
  it.each([
    ["ENOSPC: no space left on device, write", full],
    [
      'IO Error: Cannot open file "/srv/w/a.parquet": Too many open files',
      "Too many files are open; the release was not built. Raise the limit on open files (ulimit -n) or lower THREADS and run `make sync` again. ",
    ],
    [
      'IO Error: Cannot open file "/srv/w/a.parquet": Permission denied',
      'Permission denied: "/srv/w/a.parquet"; the release was not built. Let the user who runs this read and write it and run `make sync` again. ',
    ],
    [
      'IO Error: Could not read from file "/srv/w/a.parquet": Input/output error',
      'The disk or network share of "/srv/w/a.parquet" failed; the release was not built. Check it and run `make sync` again. ',
    ],
    ['IO Error: Could not write file "/srv/data/x": No space left on device\nmore', full],
    [
      "Out of Memory Error: failed to offload data block of size 256.0 KiB. This limit was set by the 'max_temp_directory_size' setting.",
      full,
    ],
    [
      "Out of Memory Error: could not allocate block of size 256.0 KiB (476.0 MiB/476.8 MiB used)",
      "DuckDB needs more memory than MEMORY allows; the release was not built. Raise MEMORY or lower THREADS and run `make sync` again. ",
    ],
    [
      'IO Error: Could not write file "/tmp/grants-load/x": No space left on device',
      'The disk holding "/tmp/grants-load/x" is full; the release was not built. Free space and run `make sync` again. ',
    ],
    [
      "EROFS: read-only file system, open",
      "The file system of DATA is read-only; the release was not built. Make it writable or choose another folder and run `make sync` again. ",
    ],
  ])("is explained: %s", (message, explanation) => {
    const [, path] = /"(\/.*)"/.exec(message) ?? [];
    const details = path === undefined ? "" : `; the file is "${path}"`;
    expect(explain(new Error(message))).toBe(`${explanation}(DATA is "/srv/data"${details})`);
  });

  it("names the path without permission", () => {
    const error = Object.assign(new Error("EACCES: permission denied"), { code: "EACCES", path: "/srv/w" });
    expect(explain(error)).toMatch(
      /^Permission denied: "\/srv\/w"; the release was not built\. Let the user /,
    );
  });

  it("names the folder and the command that failed", () => {
    expect(explain(new Error("ENOSPC"), "sample")).toBe(
      'The disk holding OUT is full. Free space and run `make sample` again. (OUT is "data/warehouse")',
    );
    expect(explain(new Error("ENOSPC"), "follow")).toMatch(
      /^The disk holding INTO is full\. .* \(INTO is "grants.duckdb"\)$/,
    );
    expect(explain(new Error("ENOSPC"), "rollback")).toMatch(
      /^The disk holding DATA is full\. Free space and/,
    );
  });

  it("is not reported for other errors", () => {
    for (const error of [new Error("EIO: i/o error, write"), new TypeError("x is undefined"), "text"])
      expect(explain(error)).toBeUndefined();
  });
});
