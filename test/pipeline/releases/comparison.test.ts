// Tests the comparison of releases against a model that compares one funder at a time.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatEin } from "../../../api-static/contract/ein.ts";
import { cacheTag } from "../../../api-static/contract/sitePaths.ts";
import {
  compareFunders,
  compareReleases,
  findChange,
  formatDifference,
} from "../../../pipeline/releases/comparison.ts";
import type { ReleaseTables } from "../../../pipeline/releases/tables.ts";
import { files, formatTables, funders, type TestFunder } from "./tables.fixture.ts";

const findIn = (list: readonly TestFunder[], ein: number) => list.find((own) => own.ein === ein);

/** The change of a funder between two releases, and its number of records in each. */
function expectStep(ein: number, after: readonly TestFunder[], before: readonly TestFunder[]) {
  const own = findIn(after, ein);
  const other = findIn(before, ein);
  const isSame = other?.records === own?.records && other?.lines === own?.lines;
  const isAdded = other === undefined;
  const change = own === undefined ? "removed" : isAdded ? "added" : isSame ? "same" : "changed";
  return { ein, change, after: own?.records, before: other?.records };
}

function expectSteps(after: readonly TestFunder[], before: readonly TestFunder[] = []) {
  const eins = [...new Set([...after, ...before].map(({ ein }) => ein))].sort((a, b) => a - b);
  return eins.map((ein) => expectStep(ein, after, before));
}

describe("the funders of releases", () => {
  it("are compared one by one, in order, each with its rows of both releases", () => {
    fc.assert(
      fc.property(funders, fc.option(funders, { nil: undefined }), (after, before) => {
        const steps = compareFunders(formatTables(after), before && formatTables(before));
        const found = [...steps].map((step) => ({
          ein: step.ein,
          change: findChange(step),
          after: step.after?.records,
          before: step.before?.records,
        }));
        expect(found).toEqual(expectSteps(after, before));
      }),
    );
  });
});

describe("the comparison of releases", () => {
  it("lists exactly the funders that differ, and counts all", () => {
    fc.assert(
      fc.property(funders, fc.option(funders, { nil: undefined }), (after, before) => {
        const steps = expectSteps(after, before);
        const einsOf = (change: string) =>
          steps.filter((step) => step.change === change).map(({ ein }) => ein);
        const { purge, counts, ...lists } = compareReleases(
          formatTables(after),
          before && formatTables(before),
        );
        const [added, changed, removed] = ["added", "changed", "removed"].map(einsOf);
        expect(lists).toEqual({ added, changed, removed });
        expect(counts).toEqual({
          added: added?.length,
          changed: changed?.length,
          removed: removed?.length,
          same: einsOf("same").length,
        });
        const differing = [...(added ?? []), ...(changed ?? []), ...(removed ?? [])];
        if (before === undefined) expect(purge).toEqual(["/*"]);
        else if (differing.length === 0) expect(purge).toEqual([]);
        else
          expect(purge).toEqual([
            ...shared,
            ...differing.map((ein) => `/v1/funders/${formatEin(ein)}/*`).sort(),
          ]);
      }),
    );
  });

  it("is written with all entries, one per line", () => {
    const difference = compareReleases(formatTables([{ ein: 7, records: 101, lines: 0 }]), undefined);
    const text = [...formatDifference(difference)].join("");
    const lists = { added: ["000000007"], changed: [], removed: [], purge: ["/*"] };
    expect(text).toBe(`${JSON.stringify(lists, null, 1)}\n`);
    expect(text.split("\n")).toContain('  "000000007"');
  });
});

/** The paths that a change of any funder purges. */
const shared = [
  "/v1/history*",
  "/v1/funders/*/summary",
  "/v1/funders/*/peers",
  "/v1/recipients/*",
  "/v1/grants/*",
  "/v1/organizations*",
];

describe("the purge list", () => {
  const list = [{ ein: 7, records: 101, lines: 0 }];

  it("does not grow with the funders that did not change", () => {
    const many = Array.from({ length: 2_000 }, (_, index) => ({ ein: index + 1, records: 3, lines: 0 }));
    const changed = many.map((one) => (one.ein === 7 ? { ...one, lines: 1 } : one));
    const { purge } = compareReleases(formatTables(changed), formatTables(many));
    expect(purge).toEqual([...shared, "/v1/funders/000000007/*"]);
  });

  it("has the pages and files of the site that changed, came or went, and the OpenAPI document", () => {
    const site = {
      "assets/start-abc.js": "1",
      "icon.svg": "1",
      "openapi.json": "1",
      ...{ "docs/api.html": "1", "funder.html": "1", "index.html": "1", "same.html": "1" },
    };
    const { "docs/api.html": _, "assets/start-abc.js": __, ...rest } = site;
    const next = {
      ...rest,
      ...{ "openapi.json": "2", "funder.html": "2", "index.html": "2", "icon.svg": "2", "new.html": "1" },
      "assets/start-def.js": "1",
    };
    const { purge } = compareReleases(formatTables(list, next), formatTables(list, site));
    expect(purge).toEqual([
      ...["/docs/api.html", "/docs/api", "/funder.html", "/funder", "/icon.svg"],
      ...["/index.html", "/", "/new.html", "/new", "/openapi.json"],
    ]);
  });

  it("has all names if the names of one prefix changed, and no page file of a search", () => {
    const before = { "v1/history/all/100-0.json": "1", "v1/names/eins/1316.json": "1" };
    const after = { "v1/names/eins/1316.json": "2" };
    const { purge } = compareReleases(formatTables(list, after), formatTables(list, before));
    expect(purge).toEqual(["/v1/names*"]);
  });

  it("has all organizations if these differ", () => {
    const after = formatTables(list, {}, "a");
    expect(compareReleases(after, formatTables(list, {}, "b")).purge).toEqual([
      "/v1/organizations*",
      "/v1/names*",
    ]);
    expect(compareReleases(after, after).purge).toEqual([]);
  });

  it("has what states decide if these come from elsewhere, or from another list", () => {
    const [before, after] = ["organizations organizations a", "organizations warehouse a"].map((places) =>
      formatTables(list, {}, "a", places),
    ) as [ReleaseTables, ReleaseTables];
    const purge = ["/v1/history*", "/v1/funders/*", "/v1/recipients/*"];
    expect(compareReleases(after, before).purge).toEqual(purge);
    expect(compareReleases(after, after).purge).toEqual([]);
  });

  it("has what recipients' responses depend on if matches changed while no grant did", () => {
    const [before, after] = ["a", "b"].map((matches) => ({ ...formatTables(list), matches })) as [
      ReleaseTables,
      ReleaseTables,
    ];
    expect(compareReleases(after, before).purge).toEqual(["/v1/history*", "/v1/recipients/*"]);
  });

  it("covers every file that differs, by pattern and by tag", () => {
    const release = fc.tuple(funders, files);
    fc.assert(
      fc.property(release, release, (own, other) => {
        const after = formatTables(...own);
        const before = formatTables(...other);
        const { purge } = compareReleases(after, before);
        const tags = new Set(purge.map(cacheTag));
        for (const key of [...after.files.keys(), ...before.files.keys()]) {
          const text = (tables: typeof after) => tables.files.get(key)?.toString();
          if (key.startsWith("v1/history") || key.startsWith("assets/")) continue;
          if (text(before) === text(after)) continue;
          expect(
            purge.some((path) => matches(path, `/${key}`)),
            key,
          ).toBe(true);
          expect(tags).toContain(cacheTag(`/${key}`));
        }
      }),
    );
  });
});

/** True if a path of the purge list stands for this one. */
function matches(pattern: string, path: string): boolean {
  const [start = "", ...rest] = pattern.split("*");
  return rest.length === 0 ? path === pattern : path.startsWith(start) && path.endsWith(rest.at(-1) ?? "");
}
