// Tests that totals and groups are compared with SQL: a release passes, and wrong columns are found.
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { Filters } from "../../../api-static/contract/filters.ts";
import { Columns } from "../../../api-static/release/columns.ts";
import { parts } from "../../../api-static/release/layout.ts";
import { Release } from "../../../api-static/search/release.ts";
import { openDatabase } from "../../../pipeline/base/database.ts";
import { findTotalsProblems } from "../../../pipeline/verify/groups.ts";
import { spread, syncHere } from "../trust.fixture.ts";
import { useFolder, useParquet } from "../warehouse/warehouse.fixture.ts";

const folder = useFolder();
const { put } = useParquet(folder);

let whole = "";

beforeAll(async () => {
  await mkdir(join(folder.root, "none")); // `put` writes beside the folder of a test, and none has started yet
  // Recipients with and without an EIN, and with neither; amounts from negative ones to trillions; texts with a byte order mark.
  const varied = {
    ...spread(40),
    recipient_ein: "CASE WHEN i % 7 > 3 THEN 200000000 + i % 19 END",
    recipient_name: "CASE WHEN i % 5 > 0 THEN '\uFEFFFriends of School ' || i % 37 END",
    purpose: "CASE WHEN i % 11 > 0 THEN 'General support ' || i % 53 END",
    recipient_state: "CASE WHEN i % 6 > 0 THEN 'N' || chr((65 + i % 4)::INTEGER) END",
    type: "CASE WHEN i % 5 > 0 THEN '\uFEFFType ' || i % 4 END",
    amount: "((i * 37 % 1500 - 100) * CASE WHEN i % 13 = 0 THEN 1000000000 ELSE 1 END + 0.25)::DECIMAL(18,2)",
  };
  const warehouse = await put("../first.parquet", varied, "FROM range(2000) t(i)");
  whole = await syncHere(warehouse, join(folder.root, "whole"));
});

async function findProblems(release: string, ...searches: Filters[]): Promise<string[]> {
  const { instance, connection } = await openDatabase({ memory: "1GB", threads: 1, spillFolder: "" });
  const opened = await Release.open(release);
  try {
    await connection.run(`ATTACH '${join(release, parts.index)}' AS index (READ_ONLY); USE index`);
    return await findTotalsProblems(connection, opened.search, searches);
  } finally {
    opened.leave();
    await opened.closed;
    connection.closeSync();
    instance.closeSync();
  }
}

const all: Filters[] = [
  ...[{}, {}, {}, {}, {}, {}],
  ...[{ recipientState: "NA" }, { recipientState: "NB", purpose: "support 1" }, { funderState: "NA" }],
  ...[{ transactionYear: 2016 }, { purpose: "support 1" }, { purpose: "nothing" }, { minAmountCents: 100n }],
];

describe("totals and groups", () => {
  it("are those of SQL", async () => {
    expect(await findProblems(whole, ...all)).toEqual([]);
  });

  const columns = ["rank.funder", "rank.recipient", "rank.type", "rank.amount", "rank.recipient_state"];
  it.each(columns)("are found to differ if the values of %s have other places", async (name) => {
    const copy = join(folder.home, "release");
    await cp(whole, copy, { recursive: true, verbatimSymlinks: true });
    const path = join(copy, parts.columns);
    const open = Columns.open(path);
    const { offset, length, width } = open.placeOf(name);
    open.close();
    const bytes = await readFile(path);
    const values = bytes.subarray(offset, offset + length * width);
    Buffer.concat([values.subarray(width), values.subarray(0, width)]).copy(values);
    await writeFile(path, bytes);
    const problems = await findProblems(copy, ...all);
    expect(problems.join("\n")).toMatch(/^\/v1\/history\/summary\S*: SQL gives other /m);
  });
});
