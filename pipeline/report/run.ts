// Reads and describes `run.json`, the record of the last syncs.
import { readFile } from "node:fs/promises";
import type { SyncEntry } from "../../api-static/contract/answers/report.ts";
import { runPath } from "../../api-static/release/chain.ts";

/** What `run.json` says. Moments are ISO text, e.g., "2026-11-20T04:10:00.000Z". */
export type RunRecord = {
  /** Of the whole run: also of a publish that follows the sync. */
  readonly exit_code: number;
  readonly started_at: string;
  readonly ended_at: string;
  /** Null if no sync has succeeded yet. */
  readonly last_success_at: string | null;
  /** The cost of building the current release; null if it is not known. */
  readonly built: BuildCost | null;
  /** The last syncs, newest first, at most `syncsKept`. */
  readonly syncs: readonly SyncEntry[];
};

/** Unlike a release's report, this covers the whole run, including sealing and verification. */
export type BuildCost = {
  readonly release: string;
  readonly step_seconds: Readonly<Record<string, number>>;
  readonly peak_memory_bytes: number;
};

/** The record of the previous run; undefined if there is none or it cannot be read: nothing depends on it but metrics. */
export async function readRun(data: string): Promise<Partial<RunRecord> | undefined> {
  try {
    return (JSON.parse(await readFile(runPath(data), "utf8")) ?? undefined) as Partial<RunRecord> | undefined;
  } catch {
    return undefined;
  }
}
