// Tests the comparison of two releases' tables against a model that compares one funder at a time.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { formatEin } from "../../../api-static/contract/ein.ts";
import { countBlocks, groupsOfBlock, pagesOfGroup } from "../../../api-static/release/funderPages.ts";
import {
  digestBytes,
  funderRowBytes,
  pageRowBytes,
  writeFunderRow,
} from "../../../api-static/release/layout.ts";
import {
  compareFunders,
  findKnownPages,
  noTables,
  planKnownPages,
  type ReleaseTables,
  writeChanges,
} from "../../../pipeline/parts/changes.ts";

/** A funder: the content of its lines, as a number, and how many there are. */
type Funder = { readonly ein: number; readonly records: number; readonly lines: number };

const funder: fc.Arbitrary<Funder> = fc.record({
  ein: fc.integer({ min: 1, max: 15 }),
  records: fc.oneof(
    fc.integer({ min: 1, max: 5 }),
    fc.constantFrom(99, 100, 101, 999, 1000, 1001, 2100, 51_000),
  ),
  lines: fc.integer({ min: 0, max: 2 }),
});

const funders = fc
  .uniqueArray(funder, { selector: ({ ein }) => ein, maxLength: 15 })
  .map((list) => list.sort((a, b) => a.ein - b.ein));

/** Tables of a release with these funders. Each row of `pages` names the page and the content of the funder's lines. */
function formatTables(list: readonly Funder[], organizations = "none"): ReleaseTables {
  const table = Buffer.alloc(list.length * funderRowBytes);
  const digests = Buffer.alloc(list.length * digestBytes);
  let first = 0;
  for (const [index, { ein, records, lines }] of list.entries()) {
    writeFunderRow(table, index, { ein, first, records });
    // Different lines, or a different number of them, have a different digest.
    digests.writeUInt32LE(lines * 100_000 + records, index * digestBytes + digestBytes - 4);
    first += records;
  }
  const linesOf = new Map(list.map(({ ein, lines }) => [ein, lines]));
  const rows: Buffer[] = [];
  for (let block = 0; block < countBlocks(table); block += 1) {
    for (const group of groupsOfBlock(table, block)) {
      for (const { key } of pagesOfGroup(group)) rows.push(formatRow(key, linesOf.get(group.ein) ?? -1));
    }
  }
  return {
    funders: table,
    funderDigests: digests,
    organizations,
    names: new Map(),
    pages: Buffer.concat(rows),
    searches: new Map(),
  };
}

function formatRow(key: string, lines: number): Buffer {
  const [, ein, size, offset] = /funders\/(\d+)\/history-(\d+)-(\d+)/.exec(key) ?? [];
  const row = Buffer.alloc(pageRowBytes);
  for (const [index, value] of [ein, size, offset, lines].entries())
    row.writeUInt32LE(Number(value), index * 4);
  return row;
}

const isSame = (a: Funder | undefined, b: Funder | undefined) =>
  a !== undefined && b !== undefined && a.records === b.records && a.lines === b.lines;

function changeOf(a: Funder | undefined, b: Funder | undefined): string {
  if (a === undefined) return "added";
  if (b === undefined) return "removed";
  return isSame(a, b) ? "same" : "changed";
}

describe("two releases' funders", () => {
  it("are compared one by one, in order, each with its rows of both", () => {
    fc.assert(
      fc.property(funders, funders, (before, after) => {
        const find = (list: readonly Funder[], ein: number) => list.find((own) => own.ein === ein);
        const eins = [...new Set([...before, ...after].map(({ ein }) => ein))].sort((a, b) => a - b);
        const expected = eins.map((ein) => {
          const [a, b] = [find(before, ein), find(after, ein)];
          return { ein, change: changeOf(a, b), before: a?.records, after: b?.records };
        });
        const steps = [...compareFunders(formatTables(before), formatTables(after))];
        expect(
          steps.map((step) => ({
            ein: step.after?.ein ?? step.before?.ein,
            change: step.change,
            before: step.before?.records,
            after: step.after?.records,
          })),
        ).toEqual(expected);
      }),
    );
  });
});

describe("pages of an earlier release", () => {
  it("are known if the funder is the same, each with its own rows", () => {
    fc.assert(
      fc.property(funders, funders, (before, after) => {
        const [old, next] = [formatTables(before), formatTables(after)];
        const known = planKnownPages({ folder: "earlier", tables: old }, next);
        expect(known).toMatchObject({ folder: "earlier" });
        const blocks = Array.from({ length: countBlocks(next.funders) }, (_, block) => block);
        for (const group of blocks.flatMap((block) => [...groupsOfBlock(next.funders, block)])) {
          const mine = after[group.funder];
          const theirs = before.find(({ ein }) => ein === group.ein);
          const found = findKnownPages(known, group);
          if (!isSame(theirs, mine)) {
            expect(found).toBeUndefined();
            continue;
          }
          const rows = pagesOfGroup(group).map(({ key }) => formatRow(key, theirs?.lines ?? -1));
          expect(Buffer.from(found ?? []).equals(Buffer.concat(rows))).toBe(true);
        }
      }),
    );
  });
});

describe("changes.json", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "changes-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function write(before: ReleaseTables, after: ReleaseTables) {
    const counts = await writeChanges(join(folder, "changes.json"), before, after);
    return { counts, written: JSON.parse(await readFile(join(folder, "changes.json"), "utf8")) as unknown };
  }

  it("lists exactly the funders and URLs that differ", async () => {
    await fc.assert(
      fc.asyncProperty(funders, funders, async (before, after) => {
        const pairs = [...new Set([...before, ...after].map(({ ein }) => ein))]
          .sort((a, b) => a - b)
          .map((ein) => {
            const [a, b] = [before.find((own) => own.ein === ein), after.find((own) => own.ein === ein)];
            return { ein: formatEin(ein), a, b, change: changeOf(a, b) };
          });
        const einsOf = (change: string) =>
          pairs.filter((pair) => pair.change === change).map(({ ein }) => ein);
        const differing = pairs.filter(({ change }) => change !== "same");
        const { counts, written } = await write(formatTables(before), formatTables(after));
        expect(counts).toEqual({
          added: einsOf("added").length,
          changed: einsOf("changed").length,
          removed: einsOf("removed").length,
          same: einsOf("same").length,
        });
        const { purge, ...lists } = written as Record<string, string[]>;
        expect(lists).toEqual({
          added: einsOf("added"),
          changed: einsOf("changed"),
          removed: einsOf("removed"),
        });
        for (const { ein } of differing) expect(purge).toContain(`/v1/funders/${ein}/*`);
        for (const ein of einsOf("same")) expect((purge ?? []).join("\n")).not.toContain(ein);
        if (differing.length === 0) expect(purge).toEqual([]);
        else
          expect(purge).toEqual(
            expect.arrayContaining([
              "/v1/history*",
              "/v1/funders/*/summary",
              "/v1/funders/*/peers",
              "/v1/recipients/*",
              "/v1/status",
            ]),
          );
      }),
    );
  });

  it("lists the URLs of organizations if these differ, whether or not funders do", async () => {
    const list = [{ ein: 7, records: 101, lines: 0 }];
    const purgeOf = async (before: ReleaseTables, after: ReleaseTables) =>
      (await write(before, after)).written as { purge: string[] };
    const same = await purgeOf(formatTables(list, "a"), formatTables(list, "b"));
    expect(same.purge).toEqual(["/v1/organizations/*"]);
    const fewer = await purgeOf(formatTables(list, "a"), formatTables([], "b"));
    expect(fewer.purge).toEqual(expect.arrayContaining(["/v1/history*", "/v1/organizations/*"]));
    expect((await purgeOf(formatTables(list, "a"), formatTables([], "a"))).purge).not.toContain(
      "/v1/organizations/*",
    );
  });

  it("lists the files of names that changed, came or went", async () => {
    const tables = formatTables([{ ein: 7, records: 101, lines: 0 }]);
    const names = (files: Readonly<Record<string, string>>) =>
      new Map(Object.entries(files).map(([key, row]) => [`v1/names/words/${key}.json`, Buffer.from(row)]));
    const { written } = await write(
      { ...tables, names: names({ abc: "1", abd: "1", z: "1" }) },
      { ...tables, names: names({ abc: "2", abd: "1", abe: "1" }) },
    );
    expect((written as { purge: string[] }).purge).toEqual(
      ["abc", "abe", "z"].map((word) => `/v1/names/words/${word}.json`),
    );
  });

  it("lists every funder as added if there is no previous release", async () => {
    const after = formatTables([{ ein: 7, records: 101, lines: 0 }]);
    const { written } = await write(noTables, after);
    expect(written).toMatchObject({
      added: ["000000007"],
      changed: [],
      removed: [],
      purge: ["/v1/*"],
    });
  });
});
