// Owns the settings of `make bench`: read from the environment, where `make` puts them, and checked once.
import { tmpdir } from "node:os";

export type BenchSettings = {
  /** Rows of the sample warehouse. */
  readonly rows: number;
  /** Runs of each sync; undefined: as many as the size allows. */
  readonly runs: number | undefined;
  /** Names of the parts to measure. */
  readonly parts: readonly string[];
  /** Names of the systems that search is compared with. */
  readonly peers: readonly string[];
  /** Folder that receives a folder of this run's own: at 20 million rows it takes up to 40 GB. */
  readonly folder: string;
};

/**
 * @param known names of all parts and of all peers, which are measured where none is named
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

/** The command that measures the same again, e.g., "make bench ROWS=1000000 ONLY=search". */
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

/** Names separated by commas, in the order of `known`; all of them where none is given. */
function readNames(setting: string, text: string | undefined, known: readonly string[]): readonly string[] {
  if (!text) return known;
  const names = text.split(",").map((name) => name.trim());
  const stray = names.find((name) => !known.includes(name));
  if (stray !== undefined)
    throw new Error(`${setting} must name some of ${known.join(", ")}, got "${stray}"`);
  return known.filter((name) => names.includes(name));
}
