// Measures an import of the IRS's returns: against raw decompression and `unzip -p`, with two workers, and its last step.
import { spawnSync } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isInstalled } from "../../test/programs.ts";
import { mainScript } from "./corpus.ts";
import { makeZip } from "./irsReturns.ts";
import type { BenchPart } from "./part.ts";
import { type Measured, measure } from "./process.ts";
import { median } from "./statistics.ts";
import { formatTable } from "./table.ts";

const floorScript = fileURLToPath(new URL("./irsFloor.ts", import.meta.url));
const finishScript = fileURLToPath(new URL("./irsFinish.ts", import.meta.url));

/** Zips of each import: the IRS publishes about 130, so one is usually written while the next is read. */
const zipsAtOnce = 6;
/** Returns of each zip: 3.5 GB of XML in all zips, so that the start of a process counts little. */
const usualReturns = 15_000;
/** 1.9 GB of XML in all zips: 4.8 million grants. */
const denseReturns = 2_000;
/** 1.9 GB of XML in all zips, which 7-Zip compresses in four minutes. */
const deflate64Returns = 8_000;
const runsDefault = 3;

/** The corpus: 6.2 million returns of 40 KB. */
const corpusMegabytes = 250_000;
const corpusGrants = 20_000_000;

/** Zips to import together. */
type Zips = { readonly name: string; readonly paths: readonly string[]; readonly xmlBytes: number };
/** `unzip`: CPU seconds of `unzip -p`; undefined if it is not installed. */
type ZipsRow = Zips & {
  readonly floor: readonly Measured[];
  readonly one: readonly Measured[];
  readonly two: readonly Measured[];
  readonly unzip: number | undefined;
};

export const irsPart: BenchPart = {
  title: "Import of the IRS's returns",
  async run({ settings, folder, print }) {
    const work = join(folder, "irs");
    await mkdir(work, { recursive: true });
    const rows: ZipsRow[] = [];
    for (const zips of await writeAllZips(work)) {
      print(`irs: ${zips.name}`);
      rows.push(await measureZips(zips, work, settings.runs ?? runsDefault));
      for (const path of zips.paths) await rm(path);
    }
    print(`irs: last step of ${settings.rows} grants`);
    const finish = await measureFinish(join(work, "finish"), settings.rows);
    await rm(work, { recursive: true });
    return formatResults(rows, finish);
  },
};

async function writeAllZips(work: string): Promise<Zips[]> {
  const all = [
    await writeZips(work, "Deflate, density of the corpus", usualReturns, false),
    await writeZips(work, "Deflate, all grants", denseReturns, true),
  ];
  if (!isInstalled("7z", "the import of Deflate64")) return all;
  const plain = await writeZips(work, "Deflate64, density of the corpus", deflate64Returns, false);
  const paths: string[] = [];
  for (const path of plain.paths) paths.push(await compress64(path, work));
  return [...all, { ...plain, paths }];
}

async function writeZips(work: string, name: string, returns: number, isDense: boolean): Promise<Zips> {
  const paths: string[] = [];
  let xmlBytes = 0;
  for (let turn = 0; turn < zipsAtOnce; turn += 1) {
    const path = join(work, `${name.replaceAll(/\W+/g, "-")}-${turn + 1}.zip`);
    const made = makeZip(returns, isDense, turn);
    await writeFile(path, made.zip);
    paths.push(path);
    xmlBytes += made.xmlBytes;
  }
  return { name, paths, xmlBytes };
}

/** Compresses the members of a zip again, with Deflate64. */
async function compress64(path: string, work: string): Promise<string> {
  const members = join(work, "members");
  run("7z", ["x", "-y", `-o${members}`, path]);
  await rm(path);
  run("7z", ["a", "-tzip", "-mm=Deflate64", "-mx=5", path, `${members}/.`]);
  await rm(members, { recursive: true });
  return path;
}

function run(program: string, values: string[]): void {
  const { status, stderr } = spawnSync(program, values, { encoding: "utf8", maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`${program} failed: ${stderr}`);
}

/** Each is measured in turn, so that all see the same machine. */
async function measureZips(zips: Zips, work: string, runs: number): Promise<ZipsRow> {
  const [floor, one, two]: [Measured[], Measured[], Measured[]] = [[], [], []];
  const unzips: (number | undefined)[] = [];
  for (let turn = 0; turn < runs; turn += 1) {
    floor.push(await measure(floorScript, [...zips.paths], {}));
    unzips.push(measureUnzip(zips.paths));
    one.push(await measureImport(zips.paths, work, "1", "0"));
    two.push(await measureImport(zips.paths, work, "2", "0,1"));
  }
  const unzip = unzips.every((seconds) => seconds !== undefined) ? median(unzips) : undefined;
  return { ...zips, floor, one, two, unzip };
}

async function measureImport(
  paths: readonly string[],
  work: string,
  threads: string,
  cores: string,
): Promise<Measured> {
  const out = join(work, "out");
  const environment = { FROM: paths.join(" "), OUT: join(out, "warehouse"), THREADS: threads };
  const measured = await measure(mainScript, ["warehouse"], environment, cores);
  await rm(out, { recursive: true });
  return measured;
}

/** CPU seconds of `unzip -p`, by the shell's own count. */
function measureUnzip(paths: readonly string[]): number | undefined {
  const script = 'TIMEFORMAT="%U %S"; time for path; do unzip -p "$path"; done > /dev/null';
  const { status, stderr } = spawnSync("bash", ["-c", script, "bash", ...paths], { encoding: "utf8" });
  if (status !== 0) return undefined;
  const [user = 0, system = 0] = stderr.trim().split(" ").map(Number);
  return user + system;
}

async function measureFinish(folder: string, grants: number): Promise<{ made: Measured; grants: number }> {
  await mkdir(folder, { recursive: true });
  await measure(finishScript, ["parts", folder, String(grants)], {});
  const made = await measure(finishScript, ["finish", folder], {});
  return { made, grants: JSON.parse(made.stdout).grants };
}

function formatResults(rows: readonly ZipsRow[], finish: { made: Measured; grants: number }): string {
  const [usual] = rows;
  const rate = usual === undefined ? 0 : rateOf(usual, usual.one);
  const reading = corpusMegabytes / rate / 2 / 60;
  const ending = ((finish.made.cpuSeconds / finish.grants) * corpusGrants) / 2 / 60;
  return `Whole processes, from ${zipsAtOnce} zips to the warehouse, run in turn; medians. The floor only reads the zips and decompresses
every member. Ratios compare CPU time; × is two workers on two cores relative to one on one.

${formatZipTable(rows)}

The last step, from parts to the warehouse, for ${finish.grants.toLocaleString("en-US")} grants: ${finish.made.seconds.toFixed(0)} s,
${finish.made.cpuSeconds.toFixed(0)} s of CPU, at most ${megabytes(finish.made.peakBytes)} MB.

The whole corpus has 250 GB of XML and 20 million grants. At ${rate.toFixed(0)} MB per core and second, 2 cores read it in
250,000 / ${rate.toFixed(0)} / 2 = ${reading.toFixed(0)} min, and the last step takes ${ending.toFixed(1)} min if both cores are busy.`.replace(
    /= (\d+) min/,
    (_, minutes) => `= ${(Number(minutes) * 60).toLocaleString("en-US")} s, ${minutes} min`,
  );
}

/** Seconds of the step that reads zips, as the import prints them: "7.2 s" or "1:05 min". */
function readingSeconds({ stderr }: Measured): number {
  const found = /^read .* in (?:(?<minutes>\d+):)?(?<seconds>[\d.]+) (?:s|min)$/m.exec(stderr)?.groups;
  if (found === undefined) throw new Error(`the import did not say how long it read: ${stderr}`);
  return Number(found.minutes ?? 0) * 60 + Number(found.seconds);
}

const cpuOf = (measured: readonly Measured[]) => median(measured.map(({ cpuSeconds }) => cpuSeconds));
const rateOf = ({ xmlBytes }: Zips, measured: readonly Measured[]) => xmlBytes / 1e6 / cpuOf(measured);
const megabytes = (bytes: number) => (bytes / 1e6).toFixed(0);

function formatZipTable(rows: readonly ZipsRow[]): string {
  return formatTable(
    [
      "Zips",
      "XML",
      "Import, per CPU second",
      "Floor",
      "CPU, relative to the floor",
      "… to `unzip -p`",
      "Two workers: reading",
      "… whole import",
      "Peak memory",
    ],
    rows.map((row) => {
      const speedup = (secondsOf: (measured: Measured) => number) =>
        `${median(row.one.map((one, turn) => secondsOf(one) / secondsOf(row.two[turn] ?? one))).toFixed(2)}×`;
      const relative = (seconds: number | undefined) =>
        seconds === undefined ? "–" : (cpuOf(row.one) / seconds).toFixed(1);
      return [
        row.name,
        `${megabytes(row.xmlBytes)} MB`,
        `${rateOf(row, row.one).toFixed(0)} MB`,
        `${rateOf(row, row.floor).toFixed(0)} MB`,
        relative(cpuOf(row.floor)),
        relative(row.unzip),
        speedup(readingSeconds),
        speedup(({ seconds }) => seconds),
        `${megabytes(Math.max(...row.two.map(({ peakBytes }) => peakBytes)))} MB`,
      ];
    }),
    1,
  );
}
