// Tests the files of names against a computation that goes through all funders for each file.
import { mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readPageFileDigest } from "../../../../api-static/contract/answers/storedPage.ts";
import { formatEin } from "../../../../api-static/contract/ein.ts";
import {
  formatPageRow,
  funderRowBytes,
  readNamesKeys,
  writeFunderRow,
} from "../../../../api-static/release/layout.ts";
import { writeNames } from "../../../../pipeline/parts/names/names.ts";
import { text } from "../../../api-static/contract/arbitraries.ts";

type Funder = { readonly ein: number; readonly records: number };
type Organization = { readonly ein: number; readonly name: string };
type Listed = { readonly ein: string; readonly name: string };

let home = "";
let releases = 0;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "names-"));
});
afterEach(() => rm(home, { recursive: true }));

/** Writes `organizations` into a new folder, and the funder table. */
async function put(funders: readonly Funder[], organizations: readonly Organization[]) {
  const folder = join(home, String(++releases));
  await mkdir(folder);
  const lines = organizations.map(({ ein, name }) =>
    JSON.stringify({ ein: formatEin(ein), name, city: null, state: "NY" }),
  );
  await writeFile(join(folder, "organizations"), lines.map((line) => `${line}\n`).join(""));
  const table = Buffer.alloc(funders.length * funderRowBytes);
  for (const [index, { ein, records }] of funders.entries())
    writeFunderRow(table, index, { ein, first: 0, records });
  return { folder, table };
}

/** The lists of a release's files by key. */
async function readFiles(folder: string): Promise<Record<string, Listed[]>> {
  const root = join(folder, "public");
  const found: Record<string, Listed[]> = {};
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
  for (const entry of entries.filter((each) => each.isFile())) {
    const path = join(entry.parentPath, entry.name);
    const stored = await readFile(path);
    expect(readPageFileDigest(stored)).toBeDefined();
    const { success, data } = JSON.parse(gunzipSync(stored).toString()) as { success: true; data: Listed[] };
    expect(success).toBe(true);
    found[path.slice(root.length + 1, -".gz".length)] = data;
  }
  return found;
}

/** What `readFiles` should return, computed file by file. */
function expectFiles(funders: readonly Funder[], organizations: readonly Organization[]) {
  const nameOf = new Map(organizations.map(({ ein, name }) => [ein, name]));
  const named = funders.flatMap(({ ein }) => {
    const name = nameOf.get(ein);
    return name === undefined ? [] : [{ ein: formatEin(ein), name, city: null, state: "NY" }];
  });
  const files: Record<string, Listed[]> = {};
  for (const { ein } of named)
    files[`v1/names/eins/${ein.slice(0, 4)}.json`] = named.filter((other) =>
      other.ein.startsWith(ein.slice(0, 4)),
    );
  return files;
}

const byEin = <Row extends { ein: number }>(rows: Row[]) => rows.sort((a, b) => a.ein - b.ein);
const ein = fc.integer({ min: 1, max: 40 }).map((pick) => pick * 24_999_999);
const word = fc.oneof(
  text,
  fc.constantFrom("Ford", "FORT", "Foundation", "the", "3M", "A", "Été", "O'Neill"),
);
const organizationsOf = fc
  .uniqueArray(
    fc.record({ ein, name: fc.array(word, { maxLength: 4 }).map((words) => `X${words.join(" ")}`) }),
    {
      selector: (row) => row.ein,
    },
  )
  .map(byEin);
const fundersOf = fc
  .uniqueArray(fc.record({ ein, records: fc.integer({ min: 1, max: 3 }) }), { selector: (row) => row.ein })
  .map(byEin);

describe("writeNames", () => {
  it("writes exactly the funders that are organizations, by EIN", async () => {
    await fc.assert(
      fc.asyncProperty(fundersOf, organizationsOf, async (funders, organizations) => {
        const { folder, table } = await put(funders, organizations);
        const progress: number[] = [];
        const made = await writeNames(folder, table, undefined, (done) => progress.push(done));
        const expected = expectFiles(funders, organizations);
        expect(await readFiles(folder)).toEqual(expected);
        const known = new Set(organizations.map((row) => row.ein));
        const named = funders.filter((row) => known.has(row.ein)).length;
        expect(made).toMatchObject({ organizations: organizations.length, funders: named, linked: 0 });
        expect(progress.at(-1)).toBe(named);
        const keys = readNamesKeys(await readFile(join(folder, "names"), "utf8"));
        expect(keys).toEqual([...made.rows.keys()]);
        expect(keys).toEqual(Object.keys(expected).sort());
        for (const [key, row] of made.rows)
          expect(formatPageRow(await readFile(join(folder, "public", `${key}.gz`)))).toEqual(row);
      }),
      { numRuns: 40 },
    );
  });

  it("links the files that did not change, and fails if one of them is damaged or gone", async () => {
    const funders = [100_000_000, 200_000_000, 300_000_000].map((own) => ({ ein: own, records: 5 }));
    const organizations = funders.map((row, index) => ({
      ein: row.ein,
      name: ["Ann", "Bob", "Bobby"][index] ?? "",
    }));
    const first = await put(funders, organizations);
    const { rows: files } = await writeNames(first.folder, first.table, undefined, () => {});
    const known = { folder: first.folder, files };
    const changed = funders.map((row) => (row.ein === 300_000_000 ? { ...row, records: 6 } : row));
    const second = await put(changed, organizations);
    const made = await writeNames(second.folder, second.table, known, () => {});
    expect(await readFiles(second.folder)).toEqual(expectFiles(changed, organizations));
    expect(made).toMatchObject({ linked: 3 });
    const ann = "public/v1/names/eins/1000.json.gz";
    const { ino, size } = await stat(join(first.folder, ann));
    expect((await stat(join(second.folder, ann))).ino).toBe(ino);
    await truncate(join(first.folder, ann), size - 1);
    const damaged = await put(changed, organizations);
    await expect(writeNames(damaged.folder, damaged.table, known, () => {})).rejects.toThrow(
      `page files of release ${first.folder} cannot be linked:\n  ${ann} has unexpected content`,
    );
    await rm(join(first.folder, ann));
    const third = await put(changed, organizations);
    await expect(writeNames(third.folder, third.table, known, () => {})).rejects.toThrow(
      `page files of release ${first.folder} cannot be linked:\n  ${ann} is missing`,
    );
  });

  it("writes no file without organizations", async () => {
    const { folder, table } = await put([{ ein: 100_000_000, records: 1 }], []);
    const made = await writeNames(folder, table, undefined, () => {});
    expect([made.rows.size, made.organizations, await readFiles(folder)]).toEqual([0, 0, {}]);
    expect(await readFile(join(folder, "names"), "utf8")).toBe("");
  });
});
