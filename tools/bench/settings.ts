// Reads and checks the settings of `make bench` from the environment.
import { tmpdir } from "node:os";

export type BenchSettings = {
  /** Rows of the sample warehouse. */
  readonly rows: number;
  /** Runs of each sync; undefined: chosen by size. */
  readonly runs: number | undefined;
  /** Names of the parts to measure. */
  readonly parts: readonly string[];
  /** Names of the systems that search is compared with. */
  readonly peers: readonly string[];
  /** Folder for this run's temporary folder: up to 40 GB at 20 million rows. */
  readonly folder: string;
};

/**
 * @param known names of all parts and peers; all of them are measured by default
 * @throws Error that names the setting, its rule and its value
 */
export function readBenchSettings(
  environment: Readonly<Record<string, string | undefined>>,
  known: { readonly parts: readonly string[]; readonly peers: readonly string[] },
): BenchSettings {
  return {
    rows: readCount("ROWS", environment.ROWS || "1000000"),
    runs: environment.RUNS ? readCount("RUNS", environment.RUNS) : undefined,
    parts: readNames("ONLY", environment.ONLY, known.parts),
    peers: environment.PEERS === "none" ? [] : readNames("PEERS", environment.PEERS, known.peers),
    folder: environment.BENCH_FOLDER || tmpdir(),
  };
}

/** The command that repeats the measurement, e.g., "make bench ROWS=1000000 ONLY=search". */
export function formatCommand(settings: BenchSettings, part: string): string {
  const runs = settings.runs === undefined ? "" : ` RUNS=${settings.runs}`;
  const peers = settings.peers.length === 0 ? " PEERS=none" : "";
  return `make bench ROWS=${settings.rows}${runs} ONLY=${part}${peers}`;
}

function readCount(name: string, text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= 200_000_000) return value;
  throw new Error(`${name} must be an integer from 1 to 200000000, got "${text}"`);
}

/** Names separated by commas, in the order of `known`; all of them by default. */
function readNames(setting: string, text: string | undefined, known: readonly string[]): readonly string[] {
  if (!text) return known;
  const names = text.split(",").map((name) => name.trim());
  const stray = names.find((name) => !known.includes(name));
  if (stray !== undefined)
    throw new Error(`${setting} must name some of ${known.join(", ")}, got "${stray}"`);
  return known.filter((name) => names.includes(name));
}
