// Tests that a fault in any part of a release is found: by its digest if bytes rot, by its structure or by searches if the builder wrote
// it.
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { attributes, columnOf, orders } from "../../../api-static/release/attributes.ts";
import { type ColumnPlace, Columns } from "../../../api-static/release/columns.ts";
import {
  funderRowBytes,
  offsetBytes,
  parts,
  readOffset,
  writeOffset,
} from "../../../api-static/release/layout.ts";
import { findColumnProblems } from "../../../pipeline/verify/columns.ts";
import { findProblems, sealAgain, spread, syncHere } from "../trust.fixture.ts";
import { useFolder, useParquet } from "../warehouse/warehouse.fixture.ts";
import { useMatchable } from "./matchable.fixture.ts";

const folder = useFolder();
const { put, connection } = useParquet(folder);

let whole = "";
let columns: Readonly<Record<string, ColumnPlace>> = {};

beforeAll(async () => {
  await mkdir(join(folder.root, "none")); // `put` writes beside the folder of a test, and none has started yet
  // A funder and a recipient have more records than a search reads one by one, and texts have several words.
  const varied = {
    ...spread(40),
    funder_ein: "100000000 + CASE WHEN i % 3 = 0 THEN 0 ELSE i % 40 END",
    recipient_ein:
      "CASE WHEN i % 13 = 5 THEN 100000000 + i % 40 WHEN i % 7 > 0 THEN 200000000 + CASE WHEN i % 2 = 0 THEN 0 ELSE i % 17 END END",
    recipient_name: "'Friends of School ' || i % 37",
    purpose: "'General support ' || i % 53 || ' of the arts ' || i % 11",
    type: "CASE WHEN i % 11 = 3 THEN 'Schedule I individuals' WHEN i % 5 > 0 THEN 'Type ' || i % 4 END",
    non_cash_amount: "CASE WHEN i % 9 = 2 THEN (i % 701)::DECIMAL(18,2) END",
    amount: "(i * 37 % 1500 + 0.25)::DECIMAL(18,2)",
    recipient_state: "['CA', 'NY', 'TX'][1 + i % 5]",
    recipient_city: "['Austin', 'AUSTIN', 'Waco'][1 + i % 7]",
    recipient_zip: "['00501', '78701'][1 + i % 3]",
  };
  await connection().run(
    `COPY (SELECT unnest([100000000, 200000000]) + i AS ein, 'Fund' AS name, 'A' AS city, ['NJ', 'NY', 'WA'][1 + i % 4] AS state,
        ['A20', 'B', 'T22', 'A68'][1 + i % 5] AS ntee_code FROM range(40) t(i))
      TO '${join(folder.root, "organizations.parquet")}' (FORMAT parquet)`,
  );
  const warehouse = await put("../first.parquet", varied, "FROM range(2000) t(i)");
  whole = await syncHere(warehouse, join(folder.root, "whole"), { SEARCH_PAGES: "1" });
  const open = Columns.open(join(whole, parts.columns));
  columns = open.header.columns;
  open.close();
});

async function copyWhole(): Promise<string> {
  const copy = join(folder.home, "release");
  await cp(whole, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}

/** Gives a changed copy new digests, and a fixed id: verification draws its searches by the id and the records. */
const sealFixed = (copy: string) => sealAgain(copy, { release: "20261120T040000Z" });

/** False for a column of one value, e.g., whether funders take applications if no return states it. */
function hasSeveralValues(file: Buffer, name: string): boolean {
  const { offset, length, width } = columns[name] as ColumnPlace;
  const values = file.subarray(offset, offset + length * width);
  return !values.subarray(width).equals(values.subarray(0, -width));
}

/** Moves every value of a column of `index.columns` by one place. */
async function rotate(release: string, name: string): Promise<void> {
  const path = join(release, parts.columns);
  const bytes = await readFile(path);
  const { offset, length, width } = columns[name] as ColumnPlace;
  const values = bytes.subarray(offset, offset + length * width);
  Buffer.concat([values.subarray(width), values.subarray(0, width)]).copy(values);
  await writeFile(path, bytes);
}

/** Changes the bytes of a file. */
async function change(release: string, file: string, edit: (bytes: Buffer) => Buffer): Promise<void> {
  const path = join(release, file);
  await writeFile(path, edit(await readFile(path)));
}

const editText = (from: RegExp, to: string) => (bytes: Buffer) =>
  Buffer.from(bytes.toString("latin1").replace(from, to), "latin1");

const firstPage = join(parts.public, "v1/funders/100000003/history-100-0.json.gz");

/** Faults of a builder, and the start of a problem that each causes. The faults of `index.duckdb` are in `content.test.ts`. */
const faults: readonly (readonly [string, (bytes: Buffer) => Buffer, string])[] = [
  [parts.records, editText(/\.25,/, ".26,"), "index.duckdb: position 0 differs from its record"],
  [parts.records, editText(/of the arts/, "of our arts"), "index.duckdb: position 0 differs from its record"],
  [
    parts.offsets,
    (bytes) => {
      for (let line = 1; line < bytes.length / offsetBytes - 1; line++)
        writeOffset(bytes, line, readOffset(bytes, line) - 2);
      return bytes;
    },
    "",
  ],
  [parts.funders, (bytes) => bytes.subarray(0, -funderRowBytes), "public/v1/funders/100000039 is not part"],
  [parts.searches, editText(/"total":2000/, '"total":2001'), "v1/history/all/"],
  [
    firstPage,
    (bytes) => gzipSync(editText(/arts/, "Arts")(gunzipSync(bytes))),
    "v1/funders/100000003/history-100-0.json: file and ",
  ],
];

describe("a fault of the builder", () => {
  it.each(faults)("in %s is found", async (file, edit, problem) => {
    const copy = await copyWhole();
    await change(copy, file, edit);
    await sealFixed(copy);
    expect(await findProblems(copy)).toContain(`  ${problem}`);
  });
});

/** What the check of columns alone finds in a release, without searches. */
async function findInColumns(release: string): Promise<string[]> {
  await connection().run(`ATTACH '${join(release, parts.index)}' AS index (READ_ONLY)`);
  try {
    await connection().run("USE index");
    const funders = await readFile(join(release, parts.funders));
    return await findColumnProblems(connection(), { folder: release, funders });
  } finally {
    await connection().run("USE memory; DETACH index");
  }
}

describe("a wrong value in a column", () => {
  const matchable = useMatchable(folder);

  it("of any order, list, text or word is found by the check of columns", async () => {
    const missed: string[] = [];
    const names = new Set<string>();
    for (const origin of [whole, matchable.whole]) {
      const copy = join(folder.home, basename(join(origin, "../..")));
      await cp(origin, copy, { recursive: true, verbatimSymlinks: true });
      const path = join(copy, parts.columns);
      const bytes = await readFile(path);
      const open = Columns.open(path);
      const found = Object.entries(open.header.columns).filter(([, { length }]) => length > 0);
      open.close();
      for (const [name, { offset, length, width }] of found) {
        const changed = Buffer.from(bytes);
        const at = offset + Math.floor(length / 2) * width;
        changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
        await writeFile(path, changed);
        if ((await findInColumns(copy)).length === 0) missed.push(name);
        names.add(name);
      }
      await writeFile(path, bytes);
      expect(await findInColumns(copy)).toEqual([]);
    }
    expect(missed).toEqual([]);
    const listed = orders.flatMap((order) =>
      attributes.filter((each) => each.orders.includes(order)).map(({ name }) => columnOf(order, name)),
    );
    expect([...names]).toEqual(expect.arrayContaining(listed));
  });

  it("that another value of the column replaces is found", async () => {
    const copy = await copyWhole();
    const before = await readFile(join(copy, parts.columns));
    const moved = Object.keys(columns).filter(
      (name) =>
        /^[a-z_]+\.[a-z_]+$/.test(name) && !name.startsWith("likely") && hasSeveralValues(before, name),
    );
    expect(moved.length).toBeGreaterThan(30);
    const missed: string[] = [];
    for (const name of moved) {
      await rotate(copy, name);
      if ((await findInColumns(copy)).length === 0) missed.push(name);
      await writeFile(join(copy, parts.columns), before);
    }
    expect(missed).toEqual([]);
  });
});

describe("bytes that rot", () => {
  const rotten = [parts.records, parts.offsets, parts.funders, parts.columns, parts.index, firstPage];
  it.each(rotten)("in %s are found by the digest", async (file) => {
    const copy = await copyWhole();
    await change(copy, file, (bytes) => {
      const at = Math.floor(bytes.length / 2);
      bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
      return bytes;
    });
    expect(await findProblems(copy)).toContain(`${file} has unexpected content`);
  });
});
