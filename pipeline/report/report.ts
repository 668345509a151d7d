// Owns the report of a sync: what was read, accepted, rejected and why, what changed, and what each step took.
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathExists } from "fs-extra/esm";
import { type NullableField, nullableFields } from "../../api-static/contract/record.ts";
import { parts } from "../../api-static/release/layout.ts";
import type { Built } from "../build/build.ts";
import type { FunderFacts, RejectExample, YearFacts } from "../build/facts.ts";
import { InputError } from "../failure.ts";
import type { Progress, Step } from "../progress.ts";
import type { GateFailure } from "../releases/gate.ts";
import type { Totals } from "../releases/totals.ts";
import type { RejectReason } from "../warehouse/normalize.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";

/** Raised with every change of the report's keys. */
const reportVersion = 3;

export type ReportStep = Step & {
  /** Most memory that the whole process had held by the step's end: the step at which it rises is the one that took it. */
  readonly peak_memory_bytes: number;
  /** Bytes of the release's files that the step wrote; what was linked is not counted. */
  readonly written_bytes: number;
};

/** What differs from the release before, which `since` names; without one all is new. */
export type ReportChanges = {
  readonly since: string | null;
  readonly funders_added: number;
  readonly funders_changed: number;
  readonly funders_removed: number;
  readonly funders_same: number;
  readonly records_difference: number;
  /** Decimal text, exact to the cent. */
  readonly amount_difference: string;
};

export type Report = {
  readonly report_version: typeof reportVersion;
  readonly release: string;
  readonly rows: {
    readonly read: number;
    readonly accepted: number;
    readonly rejected: number;
    readonly rejected_by_reason: Readonly<Record<RejectReason, number>>;
    readonly rejected_examples: Readonly<Record<RejectReason, readonly RejectExample[]>>;
    readonly recipient_ein_invalid: number;
  };
  readonly unknown_columns: readonly string[];
  readonly totals: Totals;
  /** Share of records whose field is null, 0 to 1. */
  readonly null_shares: Readonly<Record<NullableField, number>>;
  readonly years: readonly YearFacts[];
  readonly largest_funders: readonly FunderFacts[];
  /** `linked`: files taken over from the release before. */
  readonly pages: {
    readonly files: number;
    readonly stored_bytes: number;
    readonly linked: number;
    readonly linked_bytes: number;
  };
  /** Searches with page files, how many of them were learned, and their files, which `pages` counts too. */
  readonly searches: {
    readonly searches: number;
    readonly learned: number;
    readonly files: number;
    readonly stored_bytes: number;
  };
  readonly changes: ReportChanges;
  /** Rules of the quality gate that the release fails, accepted or not. */
  readonly gate_failures: readonly (GateFailure & { readonly is_accepted: boolean })[];
  /** Up to the writing of this report; the sealing and the verification follow. */
  readonly steps: readonly ReportStep[];
  readonly seconds: number;
  /** Most memory the whole process held at once. */
  readonly peak_memory_bytes: number;
};

/** What a report is made of. */
export type Reported = {
  readonly release: string;
  readonly warehouse: Warehouse;
  readonly built: Built;
  /** The release that changes are told against. */
  readonly before: { readonly id: string; readonly totals: Totals } | undefined;
  readonly failures: readonly GateFailure[];
  /** Names of the gate's rules that a person accepts. */
  readonly accept: readonly string[];
  readonly progress: Progress;
  readonly seconds: number;
};

/** Writes `report.json` into a release's folder and returns what it says. */
export async function writeReport(folder: string, reported: Reported): Promise<Report> {
  const { release, warehouse, built, failures, accept, progress, seconds } = reported;
  const { read, accepted, rejected, recipientEinInvalid } = built.ingested;
  const { rejected_examples, years, largest_funders } = built.facts;
  const report: Report = {
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
    totals: built.totals,
    null_shares: shareNulls(built.totals),
    years,
    largest_funders,
    pages: {
      files: built.pages.files,
      stored_bytes: built.pages.storedBytes,
      linked: built.linked,
      linked_bytes: built.linkedBytes,
    },
    searches: {
      searches: built.searches.searches,
      learned: built.searches.learned,
      files: built.searches.files,
      stored_bytes: built.searches.storedBytes,
    },
    changes: compare(reported),
    gate_failures: failures.map((failure) => ({ ...failure, is_accepted: accept.includes(failure.rule) })),
    steps: await measureSteps(folder, built, progress),
    seconds,
    peak_memory_bytes: process.resourceUsage().maxRSS * 1024,
  };
  await writeFile(join(folder, parts.report), `${JSON.stringify(report, null, 2)}\n`);
  return report;
}

/**
 * Reads the report of a release's folder.
 * @throws InputError when there is none that this version wrote
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
  throw new InputError(`"${path}": a report of version ${reportVersion} was expected, ${found}`);
}

/** The exact difference of two amounts with two decimals, e.g., "10.00" and "9.95" → "0.05". */
export function subtractAmounts(amount: string, subtracted: string): string {
  const cents = BigInt(amount.replace(".", "")) - BigInt(subtracted.replace(".", ""));
  const digits = String(cents < 0n ? -cents : cents).padStart(3, "0");
  return `${cents < 0n ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

function shareNulls({ records, nulls }: Totals): Record<NullableField, number> {
  const shares = nullableFields.map((field) => [field, nulls[field] / records]);
  return Object.fromEntries(shares) as Record<NullableField, number>;
}

function compare({ built, before }: Reported): ReportChanges {
  const { added, changed, removed, same } = built.changes;
  return {
    since: before?.id ?? null,
    funders_added: added,
    funders_changed: changed,
    funders_removed: removed,
    funders_same: same,
    records_difference: built.totals.records - (before?.totals.records ?? 0),
    amount_difference: subtractAmounts(built.totals.amount, before?.totals.amount ?? "0.00"),
  };
}

/** The parts that each step writes; `cut pages` and `cut searches` write page files besides. */
const partsOfSteps: Readonly<Record<string, readonly string[]>> = {
  "check rows": [parts.rejects],
  "write records": [parts.records, parts.funders],
  "build index": [parts.index],
  "find lines": [parts.offsets, parts.funderDigests],
  "cut searches": [parts.pages, parts.searches, parts.changes],
};

async function measureSteps(folder: string, built: Built, progress: Progress): Promise<ReportStep[]> {
  const steps: ReportStep[] = [];
  const { pages, linkedBytes, searches } = built;
  const searchBytes = searches.storedBytes - searches.linkedBytes;
  const pageBytes: Readonly<Record<string, number>> = {
    "cut pages": pages.storedBytes - linkedBytes - searchBytes,
    "cut searches": searchBytes,
  };
  for (const step of progress.steps) {
    const files = partsOfSteps[step.name] ?? [];
    const sizes = await Promise.all(files.map(async (part) => (await stat(join(folder, part))).size));
    steps.push({
      ...step,
      peak_memory_bytes: progress.peaks.get(step.name) ?? 0,
      written_bytes: sizes.reduce((sum, size) => sum + size, pageBytes[step.name] ?? 0),
    });
  }
  return steps;
}
