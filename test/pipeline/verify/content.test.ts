// Tests that verification finds parts that contradict each other although each has the sealed digest.

import { copyFile, cp, mkdir, readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { nullableFields } from "../../../api-static/contract/answers/record.ts";
import { funderRowBytes, parts, readFunderRow, writeFunderRow } from "../../../api-static/release/layout.ts";
import { openDatabase } from "../../../pipeline/base/database.ts";
import { digestParts, readManifest, writeManifest } from "../../../pipeline/releases/manifest.ts";
import type { Totals } from "../../../pipeline/releases/totals.ts";
import { findProblems, sealAgain, spread, syncHere } from "../trust.fixture.ts";
import { useFolder, useParquet } from "../warehouse/warehouse.fixture.ts";

const folder = useFolder();
const { put } = useParquet(folder);

const fewOfEach = { SEARCH_LARGE_PAGES: "1", SEARCH_RECIPIENTS: "1", SEARCH_PURPOSES: "1" };

let whole = "";
let other = "";

beforeAll(async () => {
  await mkdir(join(folder.root, "none"));
  // Few years, so few searches, which take most of a verification.
  const twoYears = {
    ...spread(7),
    ...{ transaction_year: "2016 + i % 2", recipient_state: "['CA', 'NY', 'TX'][1 + i % 4]" },
  };
  const first = await put("../first.parquet", twoYears, "FROM range(300) t(i)");
  whole = await syncHere(first, join(folder.root, "whole"), { ...fewOfEach, SEARCH_PAGES: "1" });
  const second = await put("../second.parquet", { ...spread(7), amount: "i" }, "FROM range(300) t(i)");
  other = await syncHere(second, join(folder.root, "other"));
});

/** A copy of the whole release, for one test. */
async function copyWhole(): Promise<string> {
  const copy = join(folder.home, "release");
  await cp(whole, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}

/** Changes the index of a release. */
async function changeIndex(release: string, ...statements: string[]): Promise<void> {
  const { instance, connection } = await openDatabase({ memory: "512MB", threads: 1, spillFolder: "" });
  await connection.run(`ATTACH '${join(release, parts.index)}' AS index`);
  await connection.run("USE index");
  for (const statement of statements) await connection.run(statement);
  await connection.run("CHECKPOINT index");
  connection.closeSync();
  instance.closeSync();
}

/** Rewrites a table in another order. */
const reorder = (table: string, order: string) => [
  `CREATE TABLE sorted AS FROM ${table} ORDER BY ${order}`,
  `DROP TABLE ${table}`,
  `ALTER TABLE sorted RENAME TO ${table}`,
];

describe("a release that is sealed again", () => {
  it("passes if its parts agree", async () => {
    const copy = await copyWhole();
    await sealAgain(copy);
    expect(await readManifest(copy)).toEqual(await readManifest(whole));
    expect(await findProblems(copy)).toBe("");
  });
});

const changedIndexes: readonly (readonly [string, readonly string[]])[] = [
  ["difference between ids and by_funder", ["UPDATE ids SET position = position + 1 WHERE position = 299"]],
  [
    "rows of ids out of order",
    ["UPDATE by_funder SET id = 100 WHERE id = 101", "UPDATE ids SET id = 100 WHERE id = 101"],
  ],
  ["rows of ids out of order", reorder("ids", "id DESC")],
  ["records missing from by_funder", ["DELETE FROM by_funder WHERE position = 299"]],
  ["records missing from by_funder", reorder("by_funder", "position DESC")],
  ["difference between by_recipient and by_funder", ["DELETE FROM by_recipient WHERE rowid = 3"]],
  [
    "difference between by_recipient and by_funder",
    ["UPDATE by_recipient SET is_individuals = NOT is_individuals WHERE rowid = 3"],
  ],
  ["rows of by_recipient out of order", reorder("by_recipient", "position")],
  [
    "records out of order",
    ["UPDATE by_funder SET transaction_year = transaction_year - 20 WHERE position = 0"],
  ],
  ["differs from its record", ["UPDATE by_funder SET id = -5 WHERE position = 123"]],
  ["differs from its record", ["UPDATE purposes SET text = text || '!' WHERE id = 3"]],
  ["differs from its record", ["UPDATE recipient_names SET text = 'school' WHERE id = 3"]],
  ["differs from its record", ["UPDATE by_funder SET type = NULL WHERE position = 150"]],
  ["types out of order", ["INSERT INTO types VALUES (1, 'a')"]],
  ["ids of types out of order", ["INSERT INTO types VALUES (7, 'z')"]],
  ["ids of states out of order", ["UPDATE states SET id = 9 WHERE id = 1"]],
  ["states out of order", ["UPDATE states SET text = 'ZZ' WHERE id = 1"]],
  ["states that are not two letters", ["UPDATE states SET text = 'Ca' WHERE id = 0"]],
  [
    "grants with states that are not in states",
    ["UPDATE by_funder SET recipient_state = 3 WHERE position = 5"],
  ],
  ["states that no grant has", ["INSERT INTO states VALUES (3, 'WA')"]],
  ["causes that no grant has", ["INSERT INTO causes VALUES (0, 'A20')"]],
  ["causes out of order", ["INSERT INTO causes VALUES (0, 'B'), (1, 'A')"]],
  [
    "grants with causes that are not in causes",
    ["UPDATE by_funder SET recipient_cause = 1 WHERE position = 5"],
  ],
  ["grants without a funder_cause more", ["UPDATE by_funder SET funder_cause = 0 WHERE position = 5"]],
  [
    "EINs have another funder_cause than in the organizations",
    ["INSERT INTO causes VALUES (0, 'A20')", "UPDATE by_funder SET funder_cause = 0 WHERE position = 5"],
  ],
  ["grants without a funder_state more", ["UPDATE by_funder SET funder_state = 0 WHERE position = 5"]],
  [
    "grants without a recipient_state more",
    ["UPDATE by_funder SET recipient_state = NULL WHERE position < 5"],
  ],
  ["differs from its record", ["UPDATE by_funder SET recipient_ein = 200000001 WHERE position = 123"]],
  [
    "differs from its record",
    ["UPDATE by_funder SET is_individuals = NOT is_individuals WHERE position = 123"],
  ],
  [
    "differs from its record",
    ["by_funder", "by_recipient"].map(
      (table) => `UPDATE ${table} SET is_individuals = NOT is_individuals WHERE position IN (123, 124)`,
    ),
  ],
  [
    "differs from its record",
    ["by_funder", "by_recipient"].map(
      (table) => `UPDATE ${table} SET non_cash_cents = 1 WHERE position = 123`,
    ),
  ],
  [
    "grants that were passed on, or not, without being marked so",
    ["by_funder", "by_recipient"].map(
      (table) => `UPDATE ${table} SET is_passed_on = NOT is_passed_on WHERE position = 123`,
    ),
  ],
  [
    "grants to sponsors of donor-advised funds, or others, without being marked so",
    ["by_funder", "by_recipient"].map(
      (table) => `UPDATE ${table} SET is_donor_advised = NOT is_donor_advised WHERE position = 123`,
    ),
  ],
  [
    "difference between by_recipient and by_funder",
    ["UPDATE by_recipient SET is_donor_advised = NOT is_donor_advised WHERE rowid = 3"],
  ],
  [
    "funders take applications, or not, other than stated",
    ["INSERT INTO stated VALUES (100000002, 'yes', false)"],
  ],
  [
    "funders take applications, or not, other than stated",
    ["UPDATE by_funder SET accepts = NULL WHERE position = 5"],
  ],
  ["acceptances that no grant has", ["INSERT INTO acceptances VALUES (1, 'yes')"]],
  [
    "grants with acceptances that are not in acceptances",
    ["UPDATE by_funder SET accepts = 1 WHERE position = 5"],
  ],
  ["rows of stated out of order", ["INSERT INTO stated VALUES (2, NULL, true), (1, NULL, true)"]],
  ["ids of recipient_names out of order", reorder("recipient_names", "id DESC")],
  ["peers missing from funder_peers", ["DELETE FROM funder_peers WHERE rowid = 0"]],
  ["peers of funder_peers that", ["UPDATE funder_peers SET score = score + 1 WHERE rowid = 3"]],
  ["peers of recipient_peers that", ["UPDATE recipient_peers SET shared = shared + 1 WHERE rowid = 3"]],
  ["peers of recipient_peers that", ["INSERT INTO recipient_peers VALUES (999999999, 200000001, 2, 2, 1)"]],
  ["rows of recipient_peers out of order", reorder("recipient_peers", "peer_ein")],
  ["peers missing from funder_kin", ["DELETE FROM funder_kin WHERE rowid = 0"]],
  ["peers of funder_kin that", ["UPDATE funder_kin SET score = score + 1 WHERE rowid = 3"]],
  ["peers of funder_kin that", ["UPDATE funder_kin SET counterparts = counterparts + 1 WHERE rowid = 3"]],
  ["rows of funder_habits out of order", reorder("funder_habits", "funder_ein DESC")],
  ...[
    "recipients = recipients + 1",
    "recent = 0",
    "low = low - 1",
    "middle = middle + 1",
    "high = high + 1",
  ].map((change): readonly [string, readonly string[]] => [
    "rows of funder_habits that the grants contradict",
    [`UPDATE funder_habits SET ${change} WHERE rowid = 1`],
  ]),
  ["rows of funder_tastes out of order", reorder("funder_tastes", "taste DESC")],
  [
    "places in funder_tastes that its counts",
    ["UPDATE funder_tastes SET place = place + 9 WHERE rowid = (SELECT max(rowid) FROM funder_tastes)"],
  ],
  [
    "counts of funder_tastes that the grants",
    ["UPDATE funder_tastes SET recipients = recipients + 1 WHERE place = 1"],
  ],
  ["counts of funder_tastes that the grants", ["DELETE FROM funder_tastes WHERE rowid = 0"]],
  [
    "rows of repeated that the grants do not give",
    ["INSERT INTO repeated SELECT funder_ein, transaction_year, 2, 9999, 1 FROM by_funder LIMIT 1"],
  ],
  [
    "rows of repeated that the grants do not give",
    ["INSERT INTO repeated VALUES (999999999, 2020, 2, 1, 1)"],
  ],
  ["rows of returns out of order", ["INSERT INTO returns VALUES (262144, 'x'), (0, 'x')"]],
  [
    "rows of repeated out of order",
    ["INSERT INTO repeated SELECT funder_ein, transaction_year, 2, 1, 1 FROM by_funder LIMIT 2"],
  ],
  ["differs from its record", ["UPDATE by_funder SET amount_cents = amount_cents + 1 WHERE position = 299"]],
  ["differs from its record", ["UPDATE by_funder SET funder_ein = funder_ein + 1 WHERE position = 299"]],
  ["differs from its record", ["UPDATE by_funder SET transaction_year = 2000 WHERE position = 299"]],
];

describe("an index", () => {
  it.each(changedIndexes)("with %s is found: %j", async (problem, statements) => {
    const copy = await copyWhole();
    await changeIndex(copy, ...statements);
    await sealAgain(copy);
    expect(await findProblems(copy)).toMatch(new RegExp(`\\n {2}index\\.duckdb.* ${problem}`));
  });

  it("of another release is found", async () => {
    const copy = await copyWhole();
    await copyFile(join(other, parts.index), join(copy, parts.index));
    await sealAgain(copy);
    expect(await findProblems(copy)).toMatch(/index\.duckdb: position \d+ differs from its record/);
  });
});

describe("page files of searches", () => {
  it("that were swapped are found", async () => {
    const copy = await copyWhole();
    const page = (search: string) => join(copy, "public/v1/history", search, "100-0.json.gz");
    const years = ["transaction_year=2016", "transaction_year=2017"].map(page);
    const [one = "", two = ""] = years;
    await copyFile(one, join(folder.home, "aside"));
    await copyFile(two, one);
    await copyFile(join(folder.home, "aside"), two);
    await sealAgain(copy);
    const problems = await findProblems(copy);
    for (const year of [2016, 2017])
      expect(problems).toContain(`v1/history/transaction_year=${year}/100-0.json: file and answer differ`);
  });

  it("with totals of another search are found", async () => {
    const copy = await copyWhole();
    const totals = (search: string) => join(copy, "public/v1/history", search, "summary.json.gz");
    await copyFile(totals("transaction_year=2016"), totals("all"));
    await sealAgain(copy);
    expect(await findProblems(copy)).toContain("v1/history/all/summary.json: file and answer differ");
  });

  const lists: readonly (readonly [string, (list: string) => string, string])[] = [
    [
      "with a different total",
      (list) => list.replace('"total":300', '"total":301'),
      "file and answer differ",
    ],
    ["under a name that is not a key", (list) => list.replace("/all/", "/../"), "is missing"],
    ["that are not listed", (list) => list.replace(/.*\n$/, ""), "pages lists"],
  ];
  it.each(lists)("%s are found", async (_, change, problem) => {
    const copy = await copyWhole();
    const path = join(copy, parts.searches);
    await writeFile(path, change(await readFile(path, "utf8")));
    const sealed = await readManifest(copy);
    await writeManifest(copy, { ...sealed, parts: await digestParts(copy) });
    expect(await findProblems(copy)).toContain(problem);
  });
});

describe("a funder table", () => {
  it.each([1, -1])("that gives a funder %i more of its neighbor's records is found", async (more) => {
    const copy = await copyWhole();
    const path = join(copy, parts.funders);
    const table = await readFile(path);
    const [left, right] = [readFunderRow(table, 2), readFunderRow(table, 3)];
    writeFunderRow(table, 2, { ...left, records: left.records + more });
    writeFunderRow(table, 3, { ...right, first: right.first + more, records: right.records - more });
    await writeFile(path, table);
    await sealAgain(copy);
    const problems = await findProblems(copy);
    expect(problems).toContain("index.columns: position.rank: row ");
  });

  it("whose rows overlap is found", async () => {
    const copy = await copyWhole();
    const path = join(copy, parts.funders);
    const table = await readFile(path);
    writeFunderRow(table, 2, { ...readFunderRow(table, 2), first: 0 });
    await writeFile(path, table);
    await sealAgain(copy);
    expect(await findProblems(copy)).toContain("funders: row 2 is out of order");
  });

  it("with fewer funders than the manifest says is found", async () => {
    const copy = await copyWhole();
    const path = join(copy, parts.funders);
    const table = await readFile(path);
    await writeFile(path, table.subarray(0, -funderRowBytes));
    await sealAgain(copy);
    expect(await findProblems(copy)).toContain("public/v1/funders/100000006 is not part of the release");
  });
});

describe("a manifest", () => {
  const totals: readonly [Exclude<keyof Totals, "nulls">, number | string][] = [
    ["records", 301],
    ["funders", 6],
    ["recipients", 18],
    ["first_year", 2014],
    ["last_year", 2022],
    ["amount", "0.25"],
    ["non_cash_amount", "0.01"],
    ["newest_created_at", "2026-11-20T04:00:00.001Z"],
  ];
  it.each(totals)("whose total of %s is not that of the release is found", async (name, value) => {
    const copy = await copyWhole();
    const { totals } = await readManifest(copy);
    expect(totals[name]).not.toBe(value);
    await sealAgain(copy, { totals: { ...totals, [name]: value } });
    expect(await findProblems(copy)).toMatch(
      new RegExp(` has (${name} )?${totals[name]}( entries)?, the manifest says ${value}(\\n|$)`),
    );
  });

  it.each(nullableFields)("whose count of nulls of %s is not that of the release is found", async (field) => {
    const copy = await copyWhole();
    const { totals } = await readManifest(copy);
    const nulls = { ...totals.nulls, [field]: totals.nulls[field] + 1 };
    await sealAgain(copy, { totals: { ...totals, nulls } });
    expect(await findProblems(copy)).toContain(
      `records has nulls of ${field} ${totals.nulls[field]}, the manifest says ${nulls[field]}`,
    );
  });
});

describe("records and pages", () => {
  it("with two equal ids are found", async () => {
    const copy = await copyWhole();
    const path = join(copy, parts.records);
    const lines = (await readFile(path, "latin1")).split("\n");
    const ids = lines.map((line) => /"id":\d\d\d,/.exec(line)?.[0] ?? "");
    const [first = -1, second = -1] = ids.flatMap((id, position) => (id === "" ? [] : [position]));
    lines[second] = (lines[second] ?? "").replace(/"id":\d\d\d,/, ids[first] ?? "");
    await writeFile(path, lines.join("\n"), "latin1");
    await sealAgain(copy);
    expect(await findProblems(copy)).toContain(`index.duckdb: position ${second} differs from its record`);
  });

  it("that are not JSON are found", async () => {
    const copy = await copyWhole();
    const path = join(copy, parts.records);
    await writeFile(path, `{${(await readFile(path, "latin1")).slice(0, -1)}`, "latin1");
    await sealAgain(copy);
    expect(await findProblems(copy)).toMatch(/records: a line is not a record \(.*Malformed JSON/);
  });

  const unindexed = [
    ['"non_cash_description":null', '"non_cash_description":"xx"', "nulls of non_cash_description 299,"],
    ["04:00:00Z", "05:00:00Z", "newest_created_at "],
  ] as const;
  it.each(unindexed)("in which %s is %s are found by the totals", async (from, to, problem) => {
    const copy = await copyWhole();
    const path = join(copy, parts.records);
    const lines = (await readFile(path, "latin1")).split("\n");
    lines[150] = (lines[150] ?? "").replace(from, to);
    await writeFile(path, lines.join("\n"), "latin1");
    await sealAgain(copy);
    expect(await findProblems(copy)).toContain(`records has ${problem}`);
  });

  it("with one wrong digit in one amount are found", async () => {
    for (const position of [150, 0, 299]) {
      const copy = await copyWhole();
      const path = join(copy, parts.records);
      const lines = (await readFile(path, "latin1")).split("\n");
      lines[position] = (lines[position] ?? "").replace(/\.25,/, ".26,");
      await writeFile(path, lines.join("\n"), "latin1");
      await sealAgain(copy);
      expect(await findProblems(copy)).toContain(
        `index.duckdb: position ${position} differs from its record`,
      );
    }
  });

  it("with the pages of two funders swapped are found", async () => {
    const copy = await copyWhole();
    const page = (ein: string) => join(copy, "public/v1/funders", ein, "history-100-0.json.gz");
    const [one, two] = [page("100000001"), page("100000005")];
    await copyFile(one, join(folder.home, "aside"));
    await copyFile(two, one);
    await copyFile(join(folder.home, "aside"), two);
    await sealAgain(copy);
    const problems = await findProblems(copy);
    for (const ein of ["100000001", "100000005"])
      expect(problems).toContain(`v1/funders/${ein}/history-100-0.json: file and answer differ`);
  });

  it("whose offsets do not cover all bytes are found", async () => {
    const copy = await copyWhole();
    const path = join(copy, parts.records);
    const { length } = await readFile(path);
    await truncate(path, length - 10);
    await sealAgain(copy);
    expect(await findProblems(copy)).toContain(
      `records.offsets covers ${length} bytes of records, expected ${length - 10}`,
    );
  });

  it("whose offsets have another number of lines are found", async () => {
    const copy = await copyWhole();
    const path = join(copy, parts.offsets);
    await writeFile(path, Buffer.concat([await readFile(path), Buffer.alloc(6)]));
    await sealAgain(copy);
    expect(await findProblems(copy)).toContain("records.offsets has 301 entries, the manifest says 300");
  });
});
