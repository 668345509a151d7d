// Writes and reads the report of a sync: what was read, accepted, rejected and why, what changed, and what each step cost.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathExists } from "fs-extra/esm";
import { type NullableField, nullableFields } from "../../api-static/contract/answers/record.ts";
import type { ReleaseChanges } from "../../api-static/contract/answers/report.ts";
import { formatCents, parseCents } from "../../api-static/contract/text/amount.ts";
import { parts } from "../../api-static/release/layout.ts";
import type { PublishedReport } from "../../api-static/release/status.ts";
import { InputError } from "../base/failure.ts";
import type { Progress } from "../base/progress.ts";
import type { Built } from "../parts/build.ts";
import type { Ingested } from "../parts/ingest.ts";
import type { FoundRelease } from "../releases/current.ts";
import type { GateFailure } from "../releases/gate.ts";
import type { PageCounts } from "../releases/manifest.ts";
import type { Totals } from "../releases/totals.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import type { Facts } from "./facts.ts";

/** Increased with every change to the report's keys. */
const reportVersion = 8;

export type Report = ReturnType<typeof makeReport>;

/** The inputs of a report. */
export type Reported = {
  readonly release: string;
  readonly warehouse: Warehouse;
  readonly ingested: Ingested;
  readonly facts: Facts;
  /** Undefined while the release is not built. */
  readonly built: Built | undefined;
  /** The release that changes are compared with. */
  readonly before: FoundRelease | undefined;
  readonly failures: readonly GateFailure[];
  /** Names of the gate's rules that a person accepts. */
  readonly accept: readonly string[];
  readonly progress: Progress;
  /** Number of steps that ended before this build began: those of an earlier attempt do not belong to this release. */
  readonly stepsBefore: number;
  readonly seconds: number;
};

/** Writes `report.json` into a release's folder and returns its content. */
export async function writeReport(folder: string, reported: Reported): Promise<Report> {
  const report = makeReport(reported);
  await writeFile(join(folder, parts.report), `${JSON.stringify(report, null, 2)}\n`);
  return report;
}

function makeReport(reported: Reported) {
  const { release, warehouse, built, failures, accept, progress, seconds } = reported;
  const { read, accepted, rejected, recipientEinInvalid, totals } = reported.ingested;
  const { rejected_examples, ...facts } = reported.facts;
  const report = {
    report_version: reportVersion,
    release,
    rows: {
      read,
      accepted,
      rejected: read - accepted,
      rejected_by_reason: rejected,
      rejected_examples,
      recipient_ein_invalid: recipientEinInvalid,
    },
    unknown_columns: warehouse.unknownColumns,
    totals,
    /** Share of records whose field is null, 0 to 1. */
    null_shares: shareNulls(totals),
    ...facts,
    /** A refused release has no page files. */
    pages: { ...nameCounts(built?.pages ?? noFiles), linked: built?.linked ?? 0 },
    /** Searches with page files, how many of them were learned, and their files, which are also counted in `pages`. */
    searches: nameCounts(built?.searches ?? { searches: 0, learned: 0, ...noFiles }),
    /** Organizations of the release, how many of its funders have a name, and their files, which are also counted in `pages`. */
    names: nameCounts(built?.names ?? { organizations: 0, funders: 0, ...noFiles }),
    /** Likely recipients, and how right each rule is; null if the release was refused. */
    matches: built?.matches ?? null,
    /** Likely funders, and how right they were; null if the release was refused. */
    likely_funders: built?.likely_funders ?? null,
    changes: compare(reported),
    /** Rules of the quality gate that failed, accepted or not. */
    gate_failures: failures.map((failure) => ({ ...failure, is_accepted: accept.includes(failure.rule) })),
    /** Steps that ended before this report was written; sealing and verification follow. A rise of the process's peak memory shows which step needed it. */
    steps: progress.steps
      .slice(reported.stepsBefore)
      .map((step) => ({ ...step, peak_memory_bytes: progress.peaks.get(step.name) ?? 0 })),
    seconds,
    /** Peak memory of the whole process. */
    peak_memory_bytes: process.resourceUsage().maxRSS * 1024,
  };
  return report satisfies PublishedReport;
}

/**
 * Reads the report of a release's folder.
 * @throws InputError if there is none, or another version wrote it
 */
export async function readReport(folder: string): Promise<Report> {
  const path = join(folder, parts.report);
  const text = (await pathExists(path)) ? await readFile(path, "utf8") : "";
  try {
    const report = JSON.parse(text) as Report;
    if (report.report_version === reportVersion) return report;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  const found = text === "" ? "there is none" : "it is damaged or of another version";
  throw new InputError(`"${path}": expected a report of version ${reportVersion}, but ${found}`);
}

const noFiles: PageCounts = { files: 0, storedBytes: 0 };

/** Counts with the report's keys. */
function nameCounts<Counts extends PageCounts>({ files, storedBytes, ...others }: Counts) {
  return { ...others, files, stored_bytes: storedBytes };
}

function shareNulls({ records, nulls }: Totals): Record<NullableField, number> {
  const shares = nullableFields.map((field) => [field, nulls[field] / records]);
  return Object.fromEntries(shares) as Record<NullableField, number>;
}

function compare({ ingested, built, before }: Reported): ReleaseChanges {
  return {
    since: before?.id ?? null,
    funders_added: built?.changes.added ?? null,
    funders_changed: built?.changes.changed ?? null,
    funders_removed: built?.changes.removed ?? null,
    funders_same: built?.changes.same ?? null,
    records_difference: ingested.totals.records - (before?.manifest.totals.records ?? 0),
    amount_difference: formatCents(
      readCents(ingested.totals) - (before ? readCents(before.manifest.totals) : 0n),
    ),
  };
}

function readCents({ amount }: Totals): bigint {
  const cents = parseCents(amount);
  if (cents === undefined) throw new Error(`expected a sum of amounts, got "${amount}"`);
  return cents;
}
