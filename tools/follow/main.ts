// Runs `make follow`: brings a copy of all grants in step with a server or a static host.
import { type Environment, readText, readUrl, SettingError } from "../../api-static/contract/environment.ts";
import { runCommand, type Streams } from "../../pipeline/base/command.ts";
import { hasLiteralPath } from "../../pipeline/base/database.ts";
import { formatCount } from "../../pipeline/base/progress.ts";
import { readMemory, readThreads } from "../../pipeline/base/settings.ts";
import { type FollowSettings, follow } from "./follow.ts";

/** @throws SettingError that names a wrong setting, its rule and its value */
export function readFollowSettings(environment: Environment): FollowSettings {
  const memory = readMemory(environment);
  const from = readUrl(environment, "FROM", "a URL such as https://grants.example.org").replace(/\/+$/, "");
  const into = readText(environment, "INTO", "grants.duckdb");
  if (!/.\.(duckdb|parquet)$/.test(into) || !hasLiteralPath(into))
    throw new SettingError(`INTO must be a file that ends in .duckdb or .parquet, got "${into}"`);
  return { from, into, memory, threads: readThreads(environment, memory) };
}

/** Follows and returns the exit code. */
export function main(environment: Environment, streams: Streams): Promise<number> {
  return runCommand("follow", environment, streams, async () => {
    const settings = readFollowSettings(environment);
    const { release, start, entries, records } = await follow(settings, (line) =>
      streams.stderr.write(`${line}\n`),
    );
    if (start === release) return `follow: nothing new; ${settings.into} is release ${release}`;
    const from = start === undefined ? "downloaded" : `from release ${start}`;
    const what = `${formatCount(records)} grants, ${from}, ${entries} entries applied, digest proven`;
    return `follow: ${settings.into} is release ${release}, ${what}`;
  });
}

if (import.meta.main) process.exitCode = await main(process.env, process);
