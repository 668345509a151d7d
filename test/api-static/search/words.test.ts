// Tests that finding words in a large dictionary yields to other work, and misses no word between two slices.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dictionaries } from "../../../api-static/release/layout.ts";
import { Sessions } from "../../../api-static/search/sessions.ts";
import { type Place, sliceBytes, Words } from "../../../api-static/search/words.ts";

const dictionary = dictionaries.purpose;
/** Each word takes seven bytes with its space, so slices end at every position in a word. */
const list = Array.from({ length: 100_000 }, (_, index) => `w${String(index).padStart(5, "0")}`);
const slices = Math.ceil((list.length * 7 + 1) / sliceBytes);

let folder = "";
let words: Words;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "words-"));
  const path = join(folder, "index.duckdb");
  const instance = await DuckDBInstance.create(path);
  const connection = await instance.connect();
  await connection.run(
    `CREATE TABLE ${dictionary.words} AS
    SELECT range AS id, printf('w%05d', range) AS word, 2 AS postings FROM range(${list.length})`,
  );
  connection.closeSync();
  instance.closeSync();
  const sessions = await Sessions.open(path);
  words = await sessions.use((session) => Words.read(session, dictionary));
  await sessions.close();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Counts the turns of the event loop while work runs. */
async function countLoopTurns(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let next = setImmediate(function count() {
    turns += 1;
    next = setImmediate(count);
  });
  await work();
  clearImmediate(next);
  return turns;
}

describe("Words.find", () => {
  it("yields to the event loop after every slice of the words", async () => {
    expect(slices).toBeGreaterThan(5);
    for (const place of ["anywhere", "at the end", "whole word", "at the start"] as const) {
      const turns = await countLoopTurns(() => words.find("absent", place, 1_000));
      expect(turns, place).toBeGreaterThanOrEqual(slices - 1);
    }
  });

  it.each<[Place, string, (word: string) => boolean]>([
    ["anywhere", "99", (word) => word.includes("99")],
    ["anywhere", "w", () => true],
    ["at the end", "7", (word) => word.endsWith("7")],
    ["at the start", "w01", (word) => word.startsWith("w01")],
    ["whole word", "w54321", (word) => word === "w54321"],
  ])("finds each word once that has a piece %s: %s", async (place, piece, isMatch) => {
    const expected = [...list.keys()].filter((index) => isMatch(list[index] ?? ""));
    expect(await words.find(piece, place, 1e9)).toStrictEqual({
      ids: expected,
      postings: 2 * expected.length,
    });
  });

  it("finds every whole word, also across two slices", async () => {
    const atEdges = Array.from({ length: slices - 1 }, (_, slice) =>
      Math.floor(((slice + 1) * sliceBytes) / 7),
    );
    for (const edge of atEdges)
      for (const id of [edge - 1, edge, edge + 1])
        expect(await words.find(list[id] ?? "", "whole word", 10)).toStrictEqual({ ids: [id], postings: 2 });
  });

  it("stops as soon as the words have too many postings", async () => {
    expect(await words.find("w", "anywhere", 100)).toBeUndefined();
    expect(await countLoopTurns(() => words.find("w", "anywhere", 100))).toBeLessThanOrEqual(1);
  });

  it("stops when its signal is aborted", async () => {
    const search = new AbortController();
    const found = words.find("absent", "anywhere", 10, search.signal);
    search.abort(new Error("given up"));
    await expect(found).rejects.toThrow("given up");
  });
});
