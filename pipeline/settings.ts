// Reads the settings of the pipeline's commands from the environment, where `make` puts them, and checks them.
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathExists } from "fs-extra/esm";
import {
  type Environment,
  readInteger,
  readOneOf,
  readText,
  readUrls,
  SettingError,
} from "../api-static/contract/environment.ts";
import { hasLiteralPath } from "./base/database.ts";
import { InputError } from "./base/failure.ts";
import { countThreads, readData, readMemory, readThreads } from "./base/settings.ts";
import type { LoadSettings } from "./delivery/load.ts";
import type { ImportSettings } from "./irs/import.ts";
import { findCurrentId } from "./releases/current.ts";
import { listReleases, refusedFolder, releaseFolder, warehouseCache } from "./releases/folders.ts";
import { type GateSettings, gateRules } from "./releases/gate.ts";
import type { InputSettings } from "./releases/inputs.ts";
import type { MatchSampleSettings } from "./report/matchSample.ts";
import type { ReleaseState } from "./report/page.ts";
import type { KeptRelease } from "./verify/verify.ts";

export type SyncSettings = InputSettings & {
  /** Memory limit of DuckDB's buffers. The whole process takes up to 3 GB more. */
  readonly memory: string;
  readonly threads: number;
  /** Builds a release even if nothing changed, and links no pages. */
  readonly isForced: boolean;
  /** Number of releases kept, including the current one. */
  readonly keep: number;
  readonly gate: GateSettings;
};

/** Maximum number of searches of each kind: a server reads the list of all their pages when it opens a release. */
const searchesMax = 5_000;

/** @throws SettingError that names a wrong setting, its rule and its value */
export function readSyncSettings(environment: Environment): SyncSettings {
  const memory = readMemory(environment);
  return {
    warehouse: readText(environment, "WAREHOUSE", "data/warehouse"),
    organizations: readText(environment, "ORGANIZATIONS", ""),
    objections: readText(environment, "OBJECTIONS", ""),
    data: readData(environment),
    memory,
    threads: readThreads(environment, memory),
    isForced: readInteger(environment, "FORCE", 0, 0, 1) === 1,
    keep: readInteger(environment, "KEEP", 3, 1, 1000),
    gate: {
      maxRejected: readPercent(environment, "MAX_REJECTED", 2),
      maxFall: readPercent(environment, "MAX_FALL", 10),
      maxNulls: readPercent(environment, "MAX_NULLS", 20),
      maxAmount: readPercent(environment, "MAX_AMOUNT", 50),
      accept: readAccepted(environment),
    },
    downloads: readInteger(environment, "DOWNLOADS", 1, 0, 1) === 1,
    searches: {
      recipients: readInteger(environment, "SEARCH_RECIPIENTS", 100, 0, searchesMax),
      purposes: readInteger(environment, "SEARCH_PURPOSES", 100, 0, searchesMax),
      learned: readInteger(environment, "SEARCH_LEARNED", 500, 0, searchesMax),
      smallPages: readInteger(environment, "SEARCH_PAGES", 5, 0, 50),
      largePages: readInteger(environment, "SEARCH_LARGE_PAGES", 1, 0, 5),
    },
  };
}

/** Memory of DuckDB during an import: the workers that read returns need about as much again. */
const importMemory = { fallback: "350MB", leastMegabytes: 300 };

/** @throws SettingError that names a wrong setting, its rule and its value */
export function readImportSettings(
  environment: Environment,
): ImportSettings & { readonly isReport: boolean } {
  const isReport = readInteger(environment, "REPORT", 0, 0, 1) === 1;
  const memory = readMemory(environment, importMemory);
  const threads = readThreads(environment, memory);
  const settings = {
    from: readText(environment, "FROM", ""),
    out: readText(environment, "OUT", "data/warehouse"),
    memory,
    threads,
    databaseThreads: Math.min(threads, countThreads(memory)),
  };
  if (!hasLiteralPath(settings.out))
    throw new SettingError(`OUT must not contain both "\\" and one of * ? [, got "${settings.out}"`);
  return { ...settings, isReport };
}

/** @throws InputError if there is no such release; RELEASE defaults to the current one */
export function readVerifySettings(environment: Environment): Promise<KeptRelease> {
  return readRelease(environment, "RELEASE", "current");
}

/** The release to report on. */
export type ReportSettings = { readonly folder: string; readonly state: ReleaseState };

/** @throws InputError if there is no such release; RELEASE may be "refused", the last one that the gate refused */
export async function readReportSettings(environment: Environment): Promise<ReportSettings> {
  const data = readData(environment);
  if (environment.RELEASE === "refused") {
    const folder = refusedFolder(data);
    if (await pathExists(folder)) return { folder, state: "refused" };
    throw new InputError(`RELEASE is "refused", but DATA "${data}" has no refused release`);
  }
  const { id } = await readRelease(environment, "RELEASE", "current");
  const isCurrent = id === (await findCurrentId(data));
  return { folder: releaseFolder(data, id), state: isCurrent ? "current" : "kept" };
}

/** Matches that one person reads, at most. */
const sampleMax = 10_000;

/** @throws SettingError that names a wrong setting, InputError if RELEASE names no release */
export async function readMatchSettings(environment: Environment): Promise<MatchSampleSettings> {
  const { data, id, memory, threads } = await readRelease(environment, "RELEASE", "current");
  return {
    folder: releaseFolder(data, id),
    cache: warehouseCache(data),
    rows: readInteger(environment, "SAMPLE", 300, 1, sampleMax),
    out: readText(environment, "OUT", ""),
    memory,
    threads,
    spillFolder: join(tmpdir(), `grants-matches-${process.pid}`),
  };
}

/** @throws SettingError that names a wrong setting, InputError if RELEASE names no release */
export async function readLoadSettings(environment: Environment): Promise<LoadSettings> {
  readOneOf(environment, "TO", ["clickhouse"], "");
  const urls = readUrls(environment, "CLICKHOUSE_URL");
  const cluster = readText(environment, "CLICKHOUSE_CLUSTER", "");
  if (!/^\w*$/.test(cluster) || (cluster === "" && urls.length > 1))
    throw new SettingError(
      `CLICKHOUSE_CLUSTER must name the cluster of several servers, in letters, digits and _, got "${cluster}"`,
    );
  return {
    ...(await readRelease(environment, "RELEASE", "current")),
    urls,
    cluster,
    isForced: readInteger(environment, "FORCE", 0, 0, 1) === 1,
    spillFolder: join(tmpdir(), `grants-load-${process.pid}`),
  };
}

/** @throws InputError if TO names no release */
export function readRollbackSettings(environment: Environment): Promise<KeptRelease> {
  return readRelease(environment, "TO", "");
}

async function readRelease(environment: Environment, name: string, fallback: string): Promise<KeptRelease> {
  const data = readData(environment);
  const text = readText(environment, name, fallback);
  const known = await listReleases(data);
  const id = text === "current" ? await findCurrentId(data) : text;
  if (id === undefined || !known.includes(id)) {
    const rule = known.length === 0 ? `DATA "${data}" has none` : `one of ${known.join(", ")}`;
    throw new InputError(`${name} must name a release (${rule}), got "${text}"`);
  }
  const memory = readMemory(environment);
  return { data, id, memory, threads: readThreads(environment, memory) };
}

function readPercent(environment: Environment, name: string, fallback: number): number {
  const text = readText(environment, name, String(fallback));
  if (/^\d{1,9}(\.\d{1,6})?$/.test(text)) return Number(text);
  throw new SettingError(`${name} must be a percentage such as 2 or 0.5, got "${text}"`);
}

function readAccepted(environment: Environment): string[] {
  const rules = readText(environment, "ACCEPT", "")
    .split(",")
    .filter((rule) => rule !== "");
  const unknown = rules.find((rule) => !gateRules.includes(rule));
  if (unknown === undefined) return rules;
  throw new SettingError(`ACCEPT must name rules of ${gateRules.join(", ")}, got "${unknown}"`);
}
