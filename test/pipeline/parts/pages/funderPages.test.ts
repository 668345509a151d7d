// Tests the plan of the funders' page files, and cutting them from records.
import { mkdir, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasFunderPage } from "../../../../api-static/contract/operations/searches.ts";
import {
  countBlocks,
  countFunderPages,
  countPages,
  groupsOfBlock,
  pagesOfGroup,
} from "../../../../api-static/release/funderPages.ts";
import {
  countRecords,
  funderRowBytes,
  parts,
  writeFunderRow,
} from "../../../../api-static/release/layout.ts";
import { cutPages } from "../../../../pipeline/parts/pages/funderPages.ts";
import type { KnownPages } from "../../../../pipeline/parts/pages/knownPages.ts";
import { writeOffsets } from "../../../../pipeline/parts/records/records.ts";
import { useFolder } from "../../warehouse/warehouse.fixture.ts";

const folder = useFolder();

/** A funder table with these numbers of records; the EINs are the multiples of a number. */
function makeFunders(counts: readonly number[], step = 7): Buffer {
  const table = Buffer.alloc(counts.length * funderRowBytes);
  let first = 0;
  for (const [index, records] of counts.entries()) {
    writeFunderRow(table, index, { ein: step * (index + 1), first, records });
    first += records;
  }
  return table;
}

function listGroups(funders: Buffer) {
  return Array.from({ length: countBlocks(funders) }, (_, block) => [
    ...groupsOfBlock(funders, block),
  ]).flat();
}

/** Keys of all pages of the funders that `makeFunders` makes, in the words of the design. */
function expectedKeys(sizes: readonly number[]): string[] {
  return sizes.flatMap((total, funder) =>
    (total > 100 ? [100, 1_000] : [100]).flatMap((size) =>
      Array.from({ length: Math.ceil(total / size) }, (_, page) => {
        const ein = String(7 * (funder + 1)).padStart(9, "0");
        return `v1/funders/${ein}/history-${size}-${page * size}.json`;
      }),
    ),
  );
}

/** Mostly few records; page and block sizes, one less and one more; far more than a block. */
const count = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 300 }) },
  fc.constantFrom(99, 100, 101, 999, 1_000, 1_001, 1_100, 49_999, 50_000, 50_001, 123_456),
  fc.integer({ min: 1, max: 180_000 }),
);
const counts = fc.array(count, { minLength: 1, maxLength: 12 });

describe("the page groups of all blocks", () => {
  it("contain each funder's records in order, and every position once", () => {
    fc.assert(
      fc.property(counts, (sizes) => {
        let position = 0;
        const expected = sizes.flatMap((total, funder) =>
          Array.from({ length: Math.ceil(total / 1_000) }, (_, page) => {
            const [offset, first] = [page * 1_000, position];
            const records = Math.min(1_000, total - offset);
            position += records;
            return { funder, ein: 7 * (funder + 1), total, offset, first, records };
          }),
        );
        expect(listGroups(makeFunders(sizes))).toEqual(expected);
      }),
    );
  });

  it("are in the block of their first record", () => {
    const funders = makeFunders([49_500, 120_000, 3, 60_001]);
    for (let block = 0; block < countBlocks(funders); block += 1) {
      const firsts = [...groupsOfBlock(funders, block)].map(({ first }) => Math.floor(first / 50_000));
      expect(new Set(firsts)).toEqual(new Set([block]));
    }
  });
});

describe("the pages of all groups", () => {
  it("are every page of 100 of every funder, and every page of 1,000 of funders with more than 100 records", () => {
    fc.assert(
      fc.property(counts, (sizes) => {
        const keys = listGroups(makeFunders(sizes))
          .flatMap(pagesOfGroup)
          .map(({ key }) => key);
        const expected = expectedKeys(sizes);
        expect(keys.toSorted()).toEqual(expected.toSorted());
        expect(countPages(makeFunders(sizes))).toBe(expected.length);
      }),
      { numRuns: 40 },
    );
  });

  it("are the pages that a server looks for", () => {
    const window = fc.record({ limit: fc.constantFrom(1, 99, 100, 101, 1_000), page: fc.nat(12) });
    const shift = fc.constantFrom(0, 0, 1, 100);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2_500 }), window, shift, (total, { limit, page }, shift) => {
        const offset = page * limit + shift;
        const key = `v1/funders/000000007/history-${limit}-${offset}.json`;
        expect(hasFunderPage(total, { limit, offset })).toBe(expectedKeys([total]).includes(key));
      }),
      { numRuns: 500 },
    );
  });

  it("are counted up to any group", () => {
    fc.assert(
      fc.property(count, (total) => {
        let pages = 0;
        for (const group of listGroups(makeFunders([total]))) {
          expect(countFunderPages(total, group.offset)).toBe(pages);
          pages += pagesOfGroup(group).length;
        }
      }),
      { numRuns: 40 },
    );
  });
});

/** Writes the records of some funders into a folder. */
async function putRecords(release: string, funders: Buffer): Promise<void> {
  await mkdir(join(release, parts.public), { recursive: true });
  const lines = Array.from({ length: countRecords(funders) }, (_, position) => `{"id":${position}},\n`);
  await writeFile(join(release, parts.records), lines.join(""));
  await writeOffsets(release, countRecords(funders), () => {});
}

describe("cutPages", () => {
  it.each([1, 2, 3])(
    "cuts as many files as there are pages, each from its records, with %i workers",
    async (workers) => {
      const sizes = [1, 250, 51_001, 100, 1_000];
      const funders = makeFunders(sizes);
      await putRecords(folder.home, funders);
      const reached: number[] = [];
      const cut = await cutPages(folder.home, funders, undefined, workers, (pages) => reached.push(pages));
      const found = await readdir(join(folder.home, parts.public), { recursive: true });
      const files = found.filter((name) => name.endsWith(".gz"));
      expect(files.toSorted()).toEqual(
        expectedKeys(sizes)
          .map((key) => `${key}.gz`)
          .toSorted(),
      );
      expect(reached.at(-1)).toBe(files.length);
      expect(cut.linked).toBe(0);
      const path = join(folder.home, parts.public, "v1/funders/000000021/history-100-51000.json.gz");
      expect(gunzipSync(await readFile(path)).toString()).toBe(
        '{"success":true,"data":[\n{"id":51251}\n],"total":51001,"limit":100,"offset":51000}\n',
      );
    },
  );
});

describe("known pages", () => {
  /** Funders, some of them with pages of both sizes. */
  const sizes = [150, 150, 20, 20];
  const funders = makeFunders(sizes, 1);
  const files = listGroups(funders).flatMap((group) =>
    pagesOfGroup(group).map(({ key }) => join(parts.public, `${key}.gz`)),
  );

  async function cutFirst() {
    const earlier = join(folder.home, "earlier");
    await putRecords(earlier, funders);
    const { rows } = await cutPages(earlier, funders, undefined, 1, () => {});
    let page = 0;
    const starts = Int32Array.from(sizes, (records) => {
      page += countFunderPages(records);
      return page - countFunderPages(records);
    });
    return { folder: earlier, rows, starts, parts: 1, part: 0 };
  }

  async function linkFrom(known: KnownPages, name = "next") {
    const release = join(folder.home, name);
    await putRecords(release, funders);
    return cutPages(release, funders, known, 1, () => {});
  }

  it("are linked", async () => {
    const known = await cutFirst();
    expect(await linkFrom(known)).toEqual({ rows: known.rows, linked: files.length });
  });

  it.each([
    ["damaged", "has unexpected content", (path: string) => truncate(path, 10)],
    ["missing", "is missing", (path: string) => rm(path)],
  ])("are refused if they are %s", async (_, problem, damage) => {
    const known = await cutFirst();
    for (const path of files) await damage(join(known.folder, path));
    const problems = files.map((path) => `\n  ${path} ${problem}`);
    await expect(linkFrom(known)).rejects.toThrow(
      `page files of release ${known.folder} cannot be linked:${problems.join("")}`,
    );
  });

  it("are read again in turn", async () => {
    const known = { ...(await cutFirst()), parts: 2 };
    const [, second = ""] = files.filter((path) => path.includes("/history-100-0."));
    await truncate(join(known.folder, second), 10);
    await expect(linkFrom({ ...known, part: 0 })).resolves.toMatchObject({ linked: files.length });
    await expect(linkFrom({ ...known, part: 1 }, "later")).rejects.toThrow(
      `${second} has unexpected content`,
    );
  });
});
