// Tests which searches verification draws, and that it finds an index that answers them differently from SQL.
import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { groupKeys } from "../../../api-static/contract/filters.ts";
import { Columns } from "../../../api-static/release/columns.ts";
import { parts } from "../../../api-static/release/layout.ts";
import { Release } from "../../../api-static/search/release.ts";
import { duckdbEngine } from "../../../api-static/search/sql/open.ts";
import { openDatabase } from "../../../pipeline/base/database.ts";
import { readManifest } from "../../../pipeline/releases/manifest.ts";
import { findAnswerProblems } from "../../../pipeline/verify/answers.ts";
import { type DrawnSearch, drawSearches } from "../../../pipeline/verify/draws.ts";
import { spreadOf } from "../../proofs.ts";
import { useFolder } from "../warehouse/warehouse.fixture.ts";
import { useMatchable } from "./matchable.fixture.ts";

const folder = useFolder();
const matchable = useMatchable(folder);

/** Draws many searches. */
async function draw(): Promise<DrawnSearch[]> {
  const release = await Release.open(matchable.whole);
  const { instance, connection } = await openDatabase({ memory: "1GB", threads: 1, spillFolder: "" });
  await connection.run(`ATTACH '${join(matchable.whole, parts.index)}' AS index (READ_ONLY); USE index`);
  const engine = duckdbEngine(
    { query: (_, work) => work(async (...sql) => (await connection.runAndReadAll(...sql)).getRows()) },
    release.records,
  );
  const drawn = await drawSearches(connection, engine, 1_400, "seed", 400);
  connection.closeSync();
  instance.closeSync();
  release.leave();
  await release.closed;
  return drawn;
}

/** What the drawn searches find in a release. */
async function findProblems(path: string): Promise<string[]> {
  const release = await Release.open(path);
  const { instance, connection } = await openDatabase({ memory: "1GB", threads: 1, spillFolder: "" });
  try {
    await connection.run(`ATTACH '${join(path, parts.index)}' AS index (READ_ONLY); USE index`);
    const manifest = { ...(await readManifest(path)), release: "20261120T040000Z" };
    return await findAnswerProblems(connection, release, manifest);
  } finally {
    connection.closeSync();
    instance.closeSync();
    release.leave();
    await release.closed;
  }
}

describe("drawn searches", () => {
  it("have every filter and ask for pages, totals and groups", async () => {
    const drawn = await draw();
    const requests = drawn.map(({ request }) => request);
    const names = new Set(requests.flatMap(({ filters }) => Object.keys(filters)));
    expect([...names].sort()).toEqual([
      ...[
        "accepts",
        "funderEin",
        "funderEins",
        "isByWords",
        "matched",
        "maxAmountCents",
        "maxYear",
        "minAmountCents",
      ],
      ...["minYear", "purpose", "recipientCause", "recipientCity", "recipientEin", "recipientEins"],
      ...["recipientName", "recipientState", "recipientZip", "transactionYear", "type"],
    ]);
    expect(new Set(requests.map(({ kind }) => kind)).size).toBe(3);
    const byAmount = requests.filter((request) => request.kind === "history" && request.sort === "amount");
    expect(byAmount.length).toBeGreaterThan(20);
    const grouped = new Set(requests.flatMap((request) => (request.kind === "groups" ? [request.by] : [])));
    expect(grouped).toEqual(new Set(groupKeys));
    for (const { filters } of requests)
      for (const eins of [filters.funderEins, filters.recipientEins].filter((list) => list !== undefined)) {
        expect(eins.length).toBeGreaterThan(1);
        expect(eins).toEqual([...new Set(eins)].sort());
      }
  });

  it("are the same for the same seed", async () => {
    expect(await draw()).toEqual(await draw());
  });

  it("have the answers of SQL", async () => {
    expect(await findProblems(matchable.whole)).toEqual([]);
  });

  const columns = ["rank.position", "rank.amount", "recipient.position"];
  it.each(spreadOf("moved columns that searches read", columns, 2))(
    "find that the values of %s have other places",
    async (name) => {
      const copy = join(folder.home, "release");
      await cp(matchable.whole, copy, { recursive: true, verbatimSymlinks: true });
      const path = join(copy, parts.columns);
      const open = Columns.open(path);
      const { offset, length, width } = open.placeOf(name);
      open.close();
      const bytes = await readFile(path);
      const values = bytes.subarray(offset, offset + length * width);
      Buffer.concat([values.subarray(width), values.subarray(0, width)]).copy(values);
      await writeFile(path, bytes);
      expect((await findProblems(copy)).join("\n")).toMatch(
        /^\/v1\/(history|recipients).*: index and SQL differ/,
      );
    },
  );
});
