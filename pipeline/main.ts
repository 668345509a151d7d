// Runs the pipeline's commands for `make`: reads the settings, prints one line and returns an exit code.
import { fileURLToPath } from "node:url";
import type { Environment } from "../api-static/contract/environment.ts";
import { asFailure, runCommand, type Streams } from "./base/command.ts";
import { exitCodes } from "./base/failure.ts";
import { formatCount, formatSeconds, Progress } from "./base/progress.ts";
import { readData } from "./base/settings.ts";
import {
  type PublishCommandSettings,
  readPublishSettings,
  readPullSettings,
  readStoreSettings,
} from "./delivery/settings.ts";
import type { SyncResult } from "./newRelease.ts";
import { type NotifySettings, notify, readNotifySettings } from "./report/notify.ts";
import type { RunContext } from "./report/recorder.ts";
import {
  readImportSettings,
  readLoadSettings,
  readMatchSettings,
  readReportSettings,
  readRollbackSettings,
  readSyncSettings,
  readVerifySettings,
} from "./settings.ts";

const builtSite = fileURLToPath(new URL("../site/dist", import.meta.url));

type Command = (environment: Environment, streams: Streams, site: string) => Promise<string>;

/** Each command imports its own modules: those of all commands take half a second of processor time. */
const commands: Readonly<Record<string, Command>> = {
  async warehouse(environment, { stderr }) {
    const { isReport, ...settings } = readImportSettings(environment);
    const { importReturns, workFolder } = await import("./irs/import.ts");
    const { readImportReport } = await import("./irs/report.ts");
    const { formatImportReport } = await import("./irs/reportPage.ts");
    if (isReport) return formatImportReport(await readImportReport(workFolder(settings.out), settings.out));
    const progress = new Progress(stderr, () => performance.now());
    const { report, isNew } = await importReturns(settings, progress);
    const result = `${formatCount(report.grants)} grants in ${settings.out}`;
    return `${formatImportReport(report)}\n\nwarehouse: ${isNew ? result : `nothing new in FROM; still ${result}`}`;
  },
  async organizations(environment, { stderr }) {
    const { importMasterFile } = await import("./irs/import.ts");
    const { path, count } = await importMasterFile(
      readImportSettings(environment),
      new Progress(stderr, () => performance.now()),
    );
    return `organizations: ${formatCount(count)} in ${path}`;
  },
  sync: runSync,
  async report(environment, { stdout }) {
    const { formatReport } = await import("./report/page.ts");
    const { readReport } = await import("./report/report.ts");
    const { inspectManifest } = await import("./releases/current.ts");
    const { sizesOf } = await import("./releases/manifest.ts");
    const { folder, state } = await readReportSettings(environment);
    const found = await inspectManifest(folder);
    const sizes = found.name === "sealed" ? sizesOf(found.manifest) : undefined;
    return formatReport(await readReport(folder), { state, isBold: stdout.isTTY ?? false, sizes });
  },
  async matches(environment, { stderr }) {
    const { writeMatchSample } = await import("./report/matchSample.ts");
    const { path, rows } = await writeMatchSample(await readMatchSettings(environment), (line) =>
      stderr.write(`${line}\n`),
    );
    return `matches: ${formatCount(rows)} in ${path}; write right, wrong or the right EIN into the column verdict, then sync with OBJECTIONS=${path}`;
  },
  async releases(environment) {
    const { formatReleases } = await import("./releases/history.ts");
    return formatReleases(readData(environment));
  },
  async verify(environment, { stderr }) {
    const { verifyKeptRelease } = await import("./verify/verify.ts");
    const release = await readVerifySettings(environment);
    await verifyKeptRelease(release, new Progress(stderr, () => performance.now()));
    return `verify: release ${release.id} matches its manifest, and its parts agree`;
  },
  async rollback(environment, streams) {
    const { rollback } = await import("./rollback.ts");
    const { refreshMetrics } = await import("./report/recorder.ts");
    const publishing = readFollowingPublish(environment);
    const notifying = readNotifySettings(environment);
    const release = await readRollbackSettings(environment);
    const context = openRun("rollback", environment, streams);
    const changes = await rollback(release, context);
    await refreshMetrics(release.data).catch((error: Error) =>
      context.progress.note(`warning: the metrics in "${release.data}" were not updated: ${error.message}`),
    );
    const line =
      changes === undefined
        ? `rollback: release ${release.id} was already current`
        : `rollback: release ${release.id} is current; "purge" in ${changes} lists what a CDN should purge`;
    return publishAfter(line, publishing, context, streams).finally(() =>
      notifyAfter(changes !== undefined, notifying, context),
    );
  },
  async load(environment, streams) {
    const { load } = await import("./delivery/load.ts");
    return load(await readLoadSettings(environment), openRun("load", environment, streams));
  },
  publish(environment, streams) {
    const context = openRun("publish", environment, streams);
    return publish(environment.DRY_RUN === "1", () => readPublishSettings(environment, "TO"), context);
  },
  async pull(environment, streams) {
    const { recordTransfer } = await import("./report/recorder.ts");
    const { runPull } = await import("./delivery/commands.ts");
    const context = openRun("pull", environment, streams);
    const line = await recordTransfer("pull", context, async () =>
      runPull(readPullSettings(environment), context.progress),
    );
    await removeAside(context);
    return line;
  },
};

/** Runs a sync, then publishes and notifies. */
async function runSync(environment: Environment, streams: Streams, site: string): Promise<string> {
  const { recordRun } = await import("./report/recorder.ts");
  const { sync } = await import("./sync.ts");
  const context = openRun("sync", environment, streams);
  const stopWatching = reportSignals(context.progress);
  try {
    const work = async () => {
      const publishing = readFollowingPublish(environment);
      const { progress, clock } = context;
      const store = readStoreSettings(environment);
      const notifying = readNotifySettings(environment);
      const settings = readSyncSettings(environment);
      const result = await sync(settings, { progress, clock, site, store });
      return { ...result, publishing, notifying };
    };
    return await recordRun(context, work, async (result) => {
      if (result.isNew) await removeAside(context);
      const publishing = publishAfter(formatResult(result), result.publishing, context, streams);
      return publishing.finally(() => notifyAfter(result.isNew, result.notifying, context));
    });
  } finally {
    stopWatching();
  }
}

/** What a command that records how it ended needs from outside. */
function openRun(command: string, environment: Environment, { stderr }: Streams): RunContext {
  return {
    data: readData(environment),
    progress: new Progress(stderr, () => performance.now()),
    clock: () => new Date(),
    exitCodeOf: (error) => asFailure(command, error, environment)?.exitCode ?? exitCodes.unexpected,
  };
}

/** Starts to remove pruned releases. The process lives until they are gone, but its line, its metrics and its lock do not wait for that. */
async function removeAside({ data, progress: { note } }: RunContext): Promise<void> {
  const { removePruned } = await import("./releases/retention.ts");
  removePruned(data, note).catch((error: Error) =>
    note(`warning: old releases were not removed: ${error.message}`),
  );
}

/** The settings of the publish that follows a sync or a rollback; undefined if PUBLISH names no bucket. */
function readFollowingPublish(environment: Environment): PublishCommandSettings | undefined {
  return (environment.PUBLISH ?? "") === "" ? undefined : readPublishSettings(environment, "PUBLISH");
}

/** Tells a webhook of a new current release, after a bucket has it too. */
async function notifyAfter(
  isNew: boolean,
  settings: NotifySettings | undefined,
  { data, clock, progress: { note } }: RunContext,
): Promise<void> {
  if (isNew) await notify(settings, data, { clock, note });
}

/** Publishes after a sync or a rollback, if PUBLISH names a bucket. Its own line is printed first: the publish may fail. */
async function publishAfter(
  line: string,
  settings: PublishCommandSettings | undefined,
  context: RunContext,
  { stdout }: Streams,
): Promise<string> {
  if (settings === undefined) return line;
  stdout.write(`${line}\n`);
  return publish(settings.isDryRun, () => settings, context);
}

/** Publishes the current release. A dry run leaves no metrics. The client of S3 is loaded only here, because that takes time. */
async function publish(
  isDryRun: boolean,
  readSettings: () => PublishCommandSettings,
  context: RunContext,
): Promise<string> {
  const { recordTransfer } = await import("./report/recorder.ts");
  const { runPublish } = await import("./delivery/commands.ts");
  const work = async () => runPublish(readSettings(), context.progress, context.clock);
  return isDryRun ? (await work()).line : recordTransfer("publish", context, work);
}

/** Reports a signal that stops the sync, then lets it end the process. Returns a function that stops watching. */
function reportSignals(progress: Progress): () => void {
  const report = (signal: NodeJS.Signals) => {
    stopWatching();
    progress.note("sync: stopped; the current release is still being served, and the next run cleans up");
    process.kill(process.pid, signal);
  };
  const signals = ["SIGINT", "SIGTERM"] as const;
  const stopWatching = () => {
    for (const signal of signals) process.off(signal, report);
  };
  for (const signal of signals) process.once(signal, report);
  return stopWatching;
}

function formatResult(result: SyncResult): string {
  if (!result.isNew) {
    const { release, rolledBack } = result;
    if (rolledBack === undefined)
      return `sync: nothing new in the warehouse; release ${release} stays current`;
    return (
      `sync: nothing new in the warehouse since release ${rolledBack}, which was rolled back; release ${release} stays current. ` +
      "To build a release from it anyway, run `make sync FORCE=1`."
    );
  }
  const { rows, totals, pages } = result.report;
  return [
    `sync: release ${result.release}`,
    `${formatCount(totals.records)} grants`,
    `${formatCount(totals.funders)} funders`,
    `${formatCount(pages.files)} pages`,
    `${formatCount(rows.rejected)} rejected`,
    formatSeconds(result.seconds),
    `peak memory ${((process.resourceUsage().maxRSS * 1024) / 1e9).toFixed(1)} GB`,
  ].join(", ");
}

/**
 * Runs a command.
 * @param args the command's name, e.g., ["sync"]
 * @param site folder of the site that a sync copies
 * @returns its exit code
 */
export async function main(
  [name]: readonly string[],
  environment: Environment,
  streams: Streams,
  site = builtSite,
): Promise<number> {
  const command = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    streams.stderr.write(
      `expected a command, one of ${Object.keys(commands).join(", ")}; got "${name ?? ""}"\n`,
    );
    return exitCodes.input;
  }
  return runCommand(name ?? "", environment, streams, () => command(environment, streams, site));
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2), process.env, process);
