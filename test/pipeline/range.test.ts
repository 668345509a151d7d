// Tests that ranges of funders, joined, are the release that one sync makes.
import { copyFile, readdir, readFile, readlink, rm, utimes } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { type EinRange, findEinProblem, lastEin } from "../../pipeline/base/eins.ts";
import { proofs } from "../proofs.ts";
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
};

/** More of these grants are rejected than the gate allows. */
const shared = { ...fewSearches, ACCEPT: "rejected" };

let [warehouse, duplicates, whole] = ["", "", ""];
let parts: string[] = [];

const range = (eins: string, data: string, others: Record<string, string> = {}) =>
  runCommand(["sync"], { WAREHOUSE: warehouse, DUPLICATES: duplicates, EINS: eins, DATA: data, ...others });

const joined = (data: string, folders: readonly string[] = parts, others: Record<string, string> = {}) =>
  runCommand(["join"], {
    WAREHOUSE: warehouse,
    DATA: data,
    RANGES: folders.join(" "),
    ...shared,
    ...others,
  });

beforeAll(async () => {
  warehouse = await put("grants.parquet", grants, `FROM range(${proofs.joinedRows}) t(i)`);
  duplicates = join(folder.root, "duplicates.parquet");
  whole = await syncRelease(warehouse, join(folder.root, "whole"), shared);
  const made = await runCommand(["duplicates"], {
    WAREHOUSE: warehouse,
    DUPLICATES: duplicates,
    DATA: join(folder.root, "d"),
  });
  expect(made.code, made.stderr).toBe(0);
  parts = ranges.map((_, index) => join(folder.root, `range-${index}`));
  for (const [index, eins] of ranges.entries()) {
    const { code, stderr } = await range(eins, parts[index] ?? "");
    expect(code, stderr).toBe(0);
  }
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
  const { rows, years, repeated, largest_funders } = report;
  const facts = { totals, places, matches, names, pages, rows, years, repeated, largest_funders };
  return { files: Object.fromEntries(files), facts };
}

describe("ranges of funders", () => {
  it(`of ${proofs.joinedRows} rows, joined, are the release of one sync`, async () => {
    const data = join(folder.home, "joined");
    const { code, stdout, stderr } = await joined(data);
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/^join: release /);
    const release = join(data, await readlink(join(data, "current")));
    const [one, other] = [await readRelease(whole), await readRelease(release)];
    expect(other.facts).toEqual(one.facts);
    expect(other.facts.rows.rejected_by_reason.duplicate_id).toBeGreaterThan(10);
    expect(other.files).toEqual(one.files);
    expect(Object.keys(other.files).filter((path) => path.includes("history-100-0")).length).toBeGreaterThan(
      200,
    );
    const report = JSON.parse(await readFile(join(release, "report.json"), "utf8"));
    const pages = Object.keys(one.files).filter((path) => path.includes("public/v1/funders/"));
    expect(report.pages.linked).toBe(pages.length);
    const again = await joined(data);
    expect(again.stdout).toMatch(/^join: nothing new/);
  });

  it("are not made again from the same warehouse", async () => {
    const [data = ""] = parts;
    const before = await readdir(join(data, "releases"));
    expect((await range(ranges[0] ?? "", data)).stdout).toMatch(/nothing new/);
    expect(await readdir(join(data, "releases"))).toEqual(before);
  });

  it("may have no grant", async () => {
    const data = join(folder.home, "none");
    const { code, stdout, stderr } = await range("999999000-999999999", data);
    expect([code, stderr.includes("warning")], stderr).toEqual([0, false]);
    expect(stdout).toContain(" 0 grants, 0 funders, 0 pages");
  });
});

describe("a join", () => {
  const refuse = async (folders: readonly string[], message: string, others = {}) => {
    const { code, stderr } = await joined(join(folder.home, "data"), folders, others);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  };

  it("refuses ranges with a gap, with an overlap, or a folder without one", async () => {
    const [first = "", second = "", third = ""] = parts;
    await refuse([first, third], "no range has the funders 333333334-666666666");
    await refuse([first, second], "no range has the funders 666666667-999999999");
    await refuse([second, ...parts], "several ranges have the funders 333333334-666666666");
    await refuse([first, second, join(folder.root, "whole")], "has no range of funders");
    await refuse([], "RANGES must name");
  });

  it("refuses ranges and duplicates of other files, and a damaged range", async () => {
    const other = join(folder.home, "other.parquet");
    await copyFile(warehouse, other);
    await utimes(other, 1, 1);
    await refuse(parts, "was made from other files", { WAREHOUSE: other });
    const ended = await range(ranges[0] ?? "", join(folder.home, "range"), { WAREHOUSE: other });
    expect([ended.code, ended.stderr]).toEqual([
      2,
      expect.stringContaining("made from other files than WAREHOUSE has"),
    ]);
    const missing = await range(ranges[0] ?? "", join(folder.home, "range"), {
      DUPLICATES: join(folder.home, "none"),
    });
    expect([missing.code, missing.stderr]).toEqual([
      2,
      expect.stringContaining("does not exist; make it with"),
    ]);
    const data = join(folder.home, "damaged");
    expect((await range(ranges[0] ?? "", data)).code).toBe(0);
    await rm(join(data, "current/grants.parquet"));
    await refuse([data, ...parts.slice(1)], "missing or damaged");
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
