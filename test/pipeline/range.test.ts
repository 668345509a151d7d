// Tests that ranges of funders, joined, are the release that one sync makes.
import { copyFile, readdir, readFile, readlink, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { type EinRange, findEinProblem, lastEin } from "../../pipeline/base/eins.ts";
import { proofs } from "../proofs.ts";
import { itWhole } from "../whole.ts";
import { digestFolder, fewSearches, runCommand, syncRelease } from "./release.fixture.ts";
import { useFolder, useParquet } from "./warehouse/warehouse.fixture.ts";

const folder = useFolder();
const { put } = useParquet(folder);

/** The ranges, and the middle of the EINs of the grants. */
const ranges = ["000000000-333333333", "333333334-666666666", "666666667-999999999"];

/**
 * Grants of funders of all ranges. One in 50 has the id of another one, mostly of another range; others are invalid, some of these have
 * a duplicated id, too, or a funder that is no EIN.
 */
const grants = {
  id: "CASE WHEN i % 50 = 1 THEN i - 1 WHEN i % 997 = 2 THEN NULL ELSE i END",
  funder_ein: `CASE WHEN i % 211 = 3 THEN 'none' WHEN i % 2 = 0 THEN printf('%02d-%07d', hash(i % 301) % 99 + 1, i % 301)
    ELSE lpad(((hash(i % 301) % 99 + 1) * 10000000 + i % 301)::VARCHAR, 9, '0') END`,
  transaction_year: "CASE WHEN i % 307 = 5 THEN 1066 ELSE 2015 + i % 9 END",
  recipient_name: "'School ' || hash(i) % 400",
  recipient_ein:
    "CASE WHEN i % 3 = 0 THEN lpad((10000000 + hash(i) % 400)::VARCHAR, 9, '0') WHEN i % 501 = 7 THEN 'x' END",
  amount: "(hash(i) % 100000)::DECIMAL(18,2)",
  purpose: "['GENERAL SUPPORT', 'Scholarships', 'Food '][1 + i % 3] || CASE WHEN i % 7 = 0 THEN i ELSE 0 END",
  created_at: "TIMESTAMP '2026-01-01' + INTERVAL (hash(i) % 3) DAY",
  recipient_state: "CASE WHEN i % 4 > 0 THEN ['TX', 'ny', 'CA'][1 + i % 3] END",
  recipient_city: "'HOUSTON'",
  irs_return: "'return ' || i // 262144",
};

/** More of these grants are rejected than the gate allows. */
const shared = { ...fewSearches, ACCEPT: "rejected" };

/** A warehouse, the file of its duplicates, and the data folders of its ranges. */
type Night = { readonly warehouse: string; readonly duplicates: string; readonly folders: readonly string[] };

let [night, whole]: [Night, string] = [{ warehouse: "", duplicates: "", folders: [] }, ""];

/** Runs a command, and expects it to succeed. */
async function succeed(command: string, environment: Record<string, string>): Promise<string> {
  const { code, stdout, stderr } = await runCommand([command], environment);
  expect(code, stderr).toBe(0);
  return stdout;
}

const rangeSettings = ({ warehouse, duplicates }: Night, eins: string, data: string) => ({
  ...{ WAREHOUSE: warehouse, DUPLICATES: duplicates, EINS: eins, DATA: data },
});

const joinSettings = ({ warehouse, folders }: Night, data: string) => ({
  ...{ WAREHOUSE: warehouse, DATA: data, RANGES: folders.join(" "), ...shared },
});

/** Lists the duplicates of a warehouse and makes its ranges, all in a folder. */
async function makeRanges(warehouse: string, home: string): Promise<Night> {
  const folders = ranges.map((_, index) => join(home, `range-${index}`));
  const made = { warehouse, duplicates: join(home, "duplicates.parquet"), folders };
  await succeed("duplicates", { WAREHOUSE: warehouse, DUPLICATES: made.duplicates, DATA: home });
  for (const [index, eins] of ranges.entries())
    await succeed("sync", rangeSettings(made, eins, folders[index] ?? ""));
  return made;
}

/** Joins ranges, and expects the release that one sync made. */
async function expectJoined(made: Night, data: string, expected: string) {
  expect(await succeed("join", joinSettings(made, data))).toMatch(/^join: release /);
  const release = join(data, await readlink(join(data, "current")));
  const [one, other] = [await readRelease(expected), await readRelease(release)];
  expect(other.facts).toEqual(one.facts);
  expect(other.files).toEqual(one.files);
  const pages = Object.keys(other.files).filter((path) => path.includes("public/v1/funders/"));
  return { ...other.facts, pages, linked: other.linked };
}

beforeAll(async () => {
  const warehouse = await put("grants.parquet", grants, `FROM range(${proofs.joinedRows}) t(i)`);
  whole = await syncRelease(warehouse, join(folder.root, "whole"), shared);
  night = await makeRanges(warehouse, join(folder.root, "ranges"));
});

/** What one sync and a join of ranges must have in common. */
async function readRelease(release: string) {
  const digests = await digestFolder(release);
  const manifest = JSON.parse(await readFile(join(release, "manifest.json"), "utf8"));
  const report = JSON.parse(await readFile(join(release, "report.json"), "utf8"));
  const own = ["manifest.json", "report.json", "index.duckdb", "matches.parquet"]; // name their release or moment
  const files = Object.entries(digests).filter(
    ([path]) => !own.includes(path) && !path.includes("downloads"),
  );
  const { totals, places, matches, names, pages } = manifest;
  const { rows, years, repeated, returns, largest_funders } = report;
  const facts = { totals, places, matches, names, pages, rows, years, repeated, returns, largest_funders };
  return { files: Object.fromEntries(files), facts, linked: report.pages.linked as number };
}

describe("ranges of funders", () => {
  it(`of ${proofs.joinedRows} rows, joined, are the release of one sync`, async () => {
    const data = join(folder.home, "joined");
    const { rows, returns, pages, linked } = await expectJoined(night, data, whole);
    expect(rows.rejected_by_reason.duplicate_id).toBeGreaterThan(10);
    expect(returns).toBeGreaterThan(0);
    expect(pages.length).toBeGreaterThan(200);
    expect(linked).toBe(pages.length);
    expect(await succeed("join", joinSettings(night, data))).toMatch(/^join: nothing new/);
  });

  it("are not made again from the same warehouse", async () => {
    const [data = ""] = night.folders;
    const before = await readdir(join(data, "releases"));
    expect(await succeed("sync", rangeSettings(night, ranges[0] ?? "", data))).toMatch(/nothing new/);
    expect(await readdir(join(data, "releases"))).toEqual(before);
  });

  it("are verified by the digests of their files", async () => {
    const data = join(folder.home, "range");
    await succeed("sync", rangeSettings(night, ranges[1] ?? "", data));
    await succeed("verify", { DATA: data });
    await writeFile(join(data, "current/grants.parquet"), "");
    const { code, stderr } = await runCommand(["verify"], { DATA: data });
    expect([code, stderr]).toEqual([2, expect.stringContaining("grants.parquet has 0 bytes")]);
  });

  it("may have no grant", async () => {
    const made = await succeed(
      "sync",
      rangeSettings(night, "999999000-999999999", join(folder.home, "none")),
    );
    expect(made).toContain(" 0 grants, 0 funders, 0 pages");
  });

  itWhole("of the next night are joined, too, and damaged pages of the last one are made again", async () => {
    const [data, expected] = [join(folder.home, "joined"), join(folder.home, "whole")];
    const rows = "FROM range(3000) t(i)";
    const warehouse = await put("next.parquet", grants, rows);
    await syncRelease(warehouse, expected, shared);
    const first = await makeRanges(warehouse, folder.home);
    await succeed("join", joinSettings(first, data));
    const [damaged = ""] = first.folders;
    const funders = join(damaged, "current/public/v1/funders");
    for (const funder of await readdir(funders))
      await writeFile(join(funders, funder, "history-100-0.json.gz"), "damaged");
    const purpose = `CASE WHEN i % 301 < 9 THEN 'ART' ELSE ${grants.purpose} END`;
    await put("next.parquet", { ...grants, purpose }, rows);
    await expectJoined(
      await makeRanges(warehouse, folder.home),
      data,
      await syncRelease(warehouse, expected, shared),
    );
  });
});

describe("a join", () => {
  const refuse = async (others: Partial<Night>, message: string) => {
    const { code, stderr } = await runCommand(
      ["join"],
      joinSettings({ ...night, ...others }, join(folder.home, "data")),
    );
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  };

  it("refuses ranges with a gap, with an overlap, or a folder without one", async () => {
    const [first = "", second = "", third = ""] = night.folders;
    await refuse({ folders: [first, third] }, "no range has the funders 333333334-666666666");
    await refuse({ folders: [first, second] }, "no range has the funders 666666667-999999999");
    await refuse(
      { folders: [second, ...night.folders] },
      "several ranges have the funders 333333334-666666666",
    );
    await refuse({ folders: [first, second, join(folder.root, "whole")] }, "has no range of funders");
    await refuse({ folders: [] }, "RANGES must name");
  });

  it("refuses ranges and duplicates of other files, and a damaged range", async () => {
    const warehouse = join(folder.home, "other.parquet");
    await copyFile(night.warehouse, warehouse);
    await refuse({ warehouse }, "was made from other files");
    const [eins = ""] = ranges;
    const data = join(folder.home, "range");
    const expectRefused = async (others: Partial<Night>, message: string) => {
      const { code, stderr } = await runCommand(["sync"], rangeSettings({ ...night, ...others }, eins, data));
      expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    };
    await expectRefused({ warehouse }, "made from other files than WAREHOUSE has");
    await expectRefused({ duplicates: join(folder.home, "none") }, "does not exist; make it with");
    await succeed("sync", rangeSettings(night, eins, data));
    await rm(join(data, "current/grants.parquet"));
    await refuse({ folders: [data, ...night.folders.slice(1)] }, "missing or damaged");
  });
});

describe("ranges of EINs", () => {
  it("have every EIN once, or the problem is named", () => {
    const cuts = fc.uniqueArray(fc.integer({ min: 1, max: lastEin }), { maxLength: 6 });
    fc.assert(
      fc.property(cuts, fc.nat(6), fc.constantFrom(-1, 1), (found, index, shift) => {
        const starts = [0, ...found.sort((a, b) => a - b)];
        const whole = starts.map(
          (first, at): EinRange => ({ first, last: (starts[at + 1] ?? lastEin + 1) - 1 }),
        );
        expect(findEinProblem(whole.toReversed())).toBeUndefined();
        const one = whole[index % whole.length] as EinRange;
        const others = whole.filter((range) => range !== one);
        expect(findEinProblem(others)).toMatch(/^no range has the funders /);
        const last = one.last + shift;
        const problem = findEinProblem([...others, { ...one, last }]);
        const isLast = one.last === lastEin;
        if (shift < 0) expect(problem).toMatch(/^no range/);
        else if (!isLast) expect(problem).toMatch(/^several ranges/);
      }),
    );
  });
});
