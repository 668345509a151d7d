// Measures an import of the IRS's returns: against raw decompression and `unzip -p`, with two workers, and its last step.
import { spawnSync } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isInstalled } from "../programs.ts";
import { mainScript } from "./corpus.ts";
import { makeZip } from "./irsReturns.ts";
import type { BenchPart } from "./part.ts";
import { type Measured, measure } from "./process.ts";
import { median } from "./statistics.ts";
import { formatTable } from "./table.ts";

const floorScript = fileURLToPath(new URL("./irsFloor.ts", import.meta.url));
const finishScript = fileURLToPath(new URL("./irsFinish.ts", import.meta.url));

/** Returns of each zip: 1.2 GB of XML, as in a small zip of the IRS's, so that the start of a process counts no more than there. */
const usualReturns = 30_000;
/** 800 MB of XML: two million grants, and what 7-Zip compresses in two minutes. */
const denseReturns = 5_000;
const deflate64Returns = 20_000;
const runsDefault = 3;

/** The corpus: 6.2 million returns of 40 KB. */
const corpusMegabytes = 250_000;
const corpusGrants = 20_000_000;

/** A zip to import. `unzip`: CPU seconds of `unzip -p`; undefined if it is not installed. */
type Zip = { readonly name: string; readonly path: string; readonly xmlBytes: number };
type ZipRow = Zip & {
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
    const rows: ZipRow[] = [];
    for (const zip of await writeZips(work)) {
      print(`irs: ${zip.name}`);
      rows.push(await measureZip(zip, work, settings.runs ?? runsDefault));
      await rm(zip.path);
    }
    print(`irs: last step of ${settings.rows} grants`);
    const finish = await measureFinish(join(work, "finish"), settings.rows);
    await rm(work, { recursive: true });
    return formatResults(rows, finish);
  },
};

async function writeZips(work: string): Promise<Zip[]> {
  const zips = [
    await writeZip(work, "Deflate, density of the corpus", usualReturns, false),
    await writeZip(work, "Deflate, all grants", denseReturns, true),
  ];
  if (!isInstalled("7z", "the import of Deflate64")) return zips;
  const plain = await writeZip(work, "Deflate64, density of the corpus", deflate64Returns, false);
  const zip = { ...plain, path: await compress64(plain.path, work) };
  await rm(plain.path);
  return [...zips, zip];
}

async function writeZip(work: string, name: string, returns: number, isDense: boolean): Promise<Zip> {
  const path = join(work, `${name.replaceAll(/\W+/g, "-")}.zip`);
  const { zip, xmlBytes } = makeZip(returns, isDense);
  await writeFile(path, zip);
  return { name, path, xmlBytes };
}

/** Compresses the members of a zip again, with Deflate64. */
async function compress64(path: string, work: string): Promise<string> {
  const [members, target] = [join(work, "members"), join(work, "deflate64.zip")];
  run("7z", ["x", "-y", `-o${members}`, path]);
  run("7z", ["a", "-tzip", "-mm=Deflate64", "-mx=5", target, `${members}/.`]);
  await rm(members, { recursive: true });
  return target;
}

function run(program: string, values: string[]): void {
  const { status, stderr } = spawnSync(program, values, { encoding: "utf8", maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`${program} failed: ${stderr}`);
}

/** Each is measured in turn, so that all see the same machine. */
async function measureZip(zip: Zip, work: string, runs: number): Promise<ZipRow> {
  const [floor, one, two]: [Measured[], Measured[], Measured[]] = [[], [], []];
  const unzips: (number | undefined)[] = [];
  for (let turn = 0; turn < runs; turn += 1) {
    floor.push(await measure(floorScript, [zip.path], {}));
    unzips.push(measureUnzip(zip.path));
    one.push(await measureImport(zip.path, work, "1", "0"));
    two.push(await measureImport(zip.path, work, "2", "0,1"));
  }
  const unzip = unzips.every((seconds) => seconds !== undefined) ? median(unzips) : undefined;
  return { ...zip, floor, one, two, unzip };
}

async function measureImport(path: string, work: string, threads: string, cores: string): Promise<Measured> {
  const out = join(work, "out");
  const environment = { FROM: path, OUT: join(out, "warehouse"), THREADS: threads };
  const measured = await measure(mainScript, ["warehouse"], environment, cores);
  await rm(out, { recursive: true });
  return measured;
}

/** CPU seconds of `unzip -p`, by the shell's own count. */
function measureUnzip(path: string): number | undefined {
  const script = 'TIMEFORMAT="%U %S"; time unzip -p "$0" > /dev/null';
  const { status, stderr } = spawnSync("bash", ["-c", script, path], { encoding: "utf8" });
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

function formatResults(rows: readonly ZipRow[], finish: { made: Measured; grants: number }): string {
  const [usual] = rows;
  const rate = usual === undefined ? 0 : rateOf(usual, usual.one);
  const reading = corpusMegabytes / rate / 2 / 60;
  const ending = ((finish.made.cpuSeconds / finish.grants) * corpusGrants) / 2 / 60;
  return `Whole processes, from the zip to the warehouse, run in turn; medians. The floor reads the zip and decompresses every member,
nothing else. Ratios are of CPU time, except that of two workers on two cores to one worker on one core, which is of time: beside
one worker, the main thread and the garbage collector would have a second core to themselves.

${formatZipTable(rows)}

The last step, from parts to the warehouse, for ${finish.grants.toLocaleString("en-US")} grants: ${finish.made.seconds.toFixed(0)} s,
${finish.made.cpuSeconds.toFixed(0)} s of CPU, at most ${megabytes(finish.made.peakBytes)} MB.

The whole corpus has 250 GB of XML and 20 million grants. At ${rate.toFixed(0)} MB per core and second, 2 cores read it in
250,000 / ${rate.toFixed(0)} / 2 = ${reading.toFixed(0)} min, and the last step takes ${ending.toFixed(1)} min if both cores are busy.`.replace(
    /= (\d+) min/,
    (_, minutes) => `= ${(Number(minutes) * 60).toLocaleString("en-US")} s, ${minutes} min`,
  );
}

const cpuOf = (measured: readonly Measured[]) => median(measured.map(({ cpuSeconds }) => cpuSeconds));
const rateOf = ({ xmlBytes }: Zip, measured: readonly Measured[]) => xmlBytes / 1e6 / cpuOf(measured);
const megabytes = (bytes: number) => (bytes / 1e6).toFixed(0);

function formatZipTable(rows: readonly ZipRow[]): string {
  return formatTable(
    [
      "Zip",
      "XML",
      "Import, per CPU second",
      "Floor",
      "CPU, relative to the floor",
      "… to `unzip -p`",
      "Two workers",
      "Peak memory",
    ],
    rows.map((row) => {
      const speedup = median(
        row.one.map(({ seconds }, turn) => seconds / (row.two[turn]?.seconds ?? seconds)),
      );
      const relative = (seconds: number | undefined) =>
        seconds === undefined ? "–" : (cpuOf(row.one) / seconds).toFixed(1);
      return [
        row.name,
        `${megabytes(row.xmlBytes)} MB`,
        `${rateOf(row, row.one).toFixed(0)} MB`,
        `${rateOf(row, row.floor).toFixed(0)} MB`,
        relative(cpuOf(row.floor)),
        relative(row.unzip),
        `${speedup.toFixed(2)} times as fast`,
        `${megabytes(Math.max(...row.two.map(({ peakBytes }) => peakBytes)))} MB`,
      ];
    }),
    1,
  );
}
