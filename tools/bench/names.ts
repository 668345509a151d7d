// Measures the search for organizations by name: how often it finds what was meant, how fast, and what its index takes.
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { indexedWords } from "../../api-static/contract/text/nameWords.ts";
import { canonicalText } from "../../api-static/contract/text/text.ts";
import { Columns } from "../../api-static/release/columns.ts";
import { parts } from "../../api-static/release/layout.ts";
import { NameIndex } from "../../api-static/search/names/nameIndex.ts";
import { NameSearch } from "../../api-static/search/names/nameSearch.ts";
import { type Database, openDatabase } from "../../pipeline/base/database.ts";
import { writeOrganizationColumns } from "../../pipeline/parts/names/organizationColumns.ts";
import { pick, seedRandom } from "../../pipeline/verify/random.ts";
import { hasRealWarehouse, realWarehouse } from "../../test/realWarehouse.ts";
import { type CorruptionKind, corrupt, corruptions } from "./names.corruptions.ts";
import { makeOrganizations } from "./names.organizations.ts";
import type { BenchPart } from "./part.ts";
import { percentile } from "./statistics.ts";
import { formatCsv, formatList, formatTable } from "./table.ts";

/** The hold-out seed: constants of the search were chosen with other seeds. */
const seed = Number(process.env.SEED ?? 4711);

/** Two organizations for each row: two million by default, as many as the IRS lists. */
const organizationsPerRow = 2;
const namesOfKind = 150;
const typedNames = 50;
const shortestTyped = 2;

const recallHead = ["query", "first", "among 10", "p50 ms", "p99 ms"];

/** A text that is sought, and the names of which it means one. */
type Sought = { readonly text: string; readonly names: readonly string[] };
type Recall = { readonly first: number; readonly tenth: number; readonly times: readonly number[] };

export const namesPart: BenchPart = {
  title: "Organizations by name",
  async run({ settings, folder, print }) {
    const work = join(folder, "names");
    await mkdir(work);
    const database = await openDatabase({ memory: "4GB", threads: 2, spillFolder: join(work, "spill") });
    const count = organizationsPerRow * settings.rows;
    print(`names: making up ${count} organizations`);
    const real = hasRealWarehouse("names") ? await readFiled(database) : [];
    const listed = real.map(({ names }) => names[0] as string);
    const names = await makeOrganizations(database.connection, count, listed, join(work, "list.csv"));
    const start = process.cpuUsage();
    await writeOrganizationColumns(database.connection, work, () => {});
    const { user, system } = process.cpuUsage(start);
    database.connection.closeSync();
    database.instance.closeSync();
    print("names: searching");
    const lines = measureSearch(work, names, real);
    await rm(work, { recursive: true });
    await writeFile("docs/benchmarks/names.csv", formatCsv(recallHead, lines.recall));
    return [
      `${count.toLocaleString("en-US")} organizations: names of real filings where present, the others made up. ${namesOfKind} names each are
corrupted in nine ways; a hit has the same words as the corrupted name. Times are of the search alone, without HTTP.`,
      "All queries: [by kind of error](benchmarks/names.csv).",
      formatTable(recallHead, lines.recall.slice(Object.keys(corruptions).length), 1),
      formatList([...lines.others, ["processor time of the build, s", ((user + system) / 1e6).toFixed(1)]]),
    ].join("\n\n");
  },
};

/** The spellings of recipients with an EIN and several names: the most frequent one is listed. */
async function readFiled({ connection }: Database): Promise<Sought[]> {
  const found = await connection.runAndReadAll(
    `SELECT mode(recipient_name ORDER BY recipient_name), list(DISTINCT recipient_name ORDER BY recipient_name)
     FROM read_parquet($path) WHERE recipient_ein IS NOT NULL AND length(recipient_name) > 3
     GROUP BY recipient_ein ORDER BY recipient_ein`,
    { path: realWarehouse },
  );
  return found.getRowsJson().map(([listed, all]) => ({
    text: "",
    names: [String(listed), ...(all as string[]).filter((name) => name !== listed)],
  }));
}

function measureSearch(folder: string, names: ReadonlyMap<number, string>, real: readonly Sought[]) {
  const columns = Columns.open(join(folder, parts.organizationColumns));
  const before = measureMemory();
  const index = new NameIndex(columns);
  const search = new NameSearch(index);
  const memory = measureMemory() - before;
  const nameOf = (id: number) => names.get(columns.column("ein").at(id)) ?? "";
  const random = seedRandom(seed);
  const all = [...names.values()];
  const kinds = (Object.keys(corruptions) as CorruptionKind[]).map((kind) => {
    const sought: Sought[] = [];
    while (sought.length < namesOfKind) {
      const name = pick(random, all);
      const text = corrupt(name, kind, random);
      if (text !== undefined) sought.push({ text, names: [name] });
    }
    return { kind, sought };
  });
  const filed = real.flatMap(({ names: [listed = "", ...others] }) =>
    others.map((text) => ({ text, names: [listed] })),
  );
  const measure = (sought: readonly Sought[]) => measureRecall(search, nameOf, sought);
  const recall = [
    ...kinds.map(({ kind, sought }) => formatRecall(kind, measure(sought))),
    formatRecall("all corrupted", measure(kinds.flatMap(({ sought }) => sought))),
    ...(filed.length > 0 ? [formatRecall("as others filed it", measure(filed))] : []),
  ];
  const typed = Array.from({ length: typedNames }, () => pick(random, all)).flatMap((name) =>
    Array.from({ length: name.length - shortestTyped + 1 }, (_, at) => name.slice(0, at + shortestTyped)),
  );
  const times = typed.map((text) => timeFind(search, text, 6).time);
  columns.close();
  const others = [
    ["keystroke: mean, ms", (times.reduce((sum, time) => sum + time, 0) / times.length).toFixed(2)],
    ["keystroke: p99, ms", percentile(times, 0.99).toFixed(1)],
    ["memory of the index, MB", (memory / 1e6).toFixed(0)],
  ];
  return { recall, others };
}

function measureRecall(
  search: NameSearch,
  nameOf: (id: number) => string,
  sought: readonly Sought[],
): Recall {
  const keyOf = (name: string) => indexedWords(name).join(" ");
  let [first, tenth] = [0, 0];
  const times = sought.map(({ text, names }) => {
    const { found, time } = timeFind(search, text, 10);
    const wanted = new Set(names.map(keyOf));
    const place = found.best.findIndex(({ id }) => wanted.has(keyOf(nameOf(id))));
    if (place === 0) first += 1;
    if (place >= 0) tenth += 1;
    return time;
  });
  return { first: first / sought.length, tenth: tenth / sought.length, times };
}

/** Bytes in use, after collections of garbage: the first one may leave buffers to the next. */
function measureMemory(): number {
  setFlagsFromString("--expose-gc");
  for (let count = 0; count < 3; count++) runInNewContext("gc")();
  const { arrayBuffers, heapUsed } = process.memoryUsage();
  return arrayBuffers + heapUsed;
}

/** The shorter time of two: other processes then disturb less. */
function timeFind(search: NameSearch, text: string, limit: number) {
  const query = { name: canonicalText(text).slice(0, 200), limit };
  const times = [0, 0].map(() => {
    const start = performance.now();
    search.find(query);
    return performance.now() - start;
  });
  return { found: search.find(query), time: Math.min(...times) };
}

function formatRecall(kind: string, { first, tenth, times }: Recall): string[] {
  const times50 = percentile(times, 0.5).toFixed(2);
  return [kind, first.toFixed(3), tenth.toFixed(3), times50, percentile(times, 0.99).toFixed(1)];
}
