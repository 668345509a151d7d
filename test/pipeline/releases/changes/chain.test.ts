// Tests that the index of changes follows the current release, whatever a kill or damage left of it.
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import {
  type ChangesEntry,
  type ChangesIndex,
  changesName,
} from "../../../../api-static/contract/answers/changes.ts";
import { readChain } from "../../../../api-static/release/chain.ts";
import { extendChain, writePending } from "../../../../pipeline/releases/changes/chain.ts";
import { activateRelease } from "../../../../pipeline/releases/current.ts";
import { releaseFolder, releaseMoment } from "../../../../pipeline/releases/folders.ts";
import { useFolder } from "../../warehouse/warehouse.fixture.ts";

const folder = useFolder();
const [first, second, third] = ["20261101T040000Z", "20261102T040000Z", "20261103T040000Z"] as const;

let data = "";

beforeEach(async () => {
  data = join(folder.home, "data");
  await mkdir(join(data, "changes"), { recursive: true });
});

const changesOf = () => readdir(join(data, "changes"));
const writeChange = (name: string, text: string) => writeFile(join(data, "changes", name), text);

/** The clock of a number of days after the first release. */
const afterDays = (days: number) => () => new Date(Date.parse(releaseMoment(first)) + days * 86_400_000);

const extend = (days = 3) => extendChain(data, afterDays(days));

async function readEnds(): Promise<(string | null)[][] | undefined> {
  return (await readChain(data))?.entries.map(({ from, to }) => [from, to]);
}

/** Writes the files and the pending entry of a release, as a sync does before the release becomes current. */
async function prepare(from: string | null, to: string): Promise<ChangesEntry> {
  const formats = from === null ? [] : (["ndjson.gz", "parquet"] as const);
  const files = formats.map((format) => ({
    ...{ format, url: `/v1/changes/${changesName({ from, to }, format)}`, bytes: 0, sha256: "" },
  }));
  for (const format of formats) await writeChange(changesName({ from, to }, format), "");
  const entry = {
    ...{ from, to, at: releaseMoment(to), added: 0, changed: 0, removed: 0 },
    ...{ files, records: 1, digest: "" },
  };
  await writePending(data, entry);
  return entry;
}

async function advance(from: string | null, to: string): Promise<ChangesEntry | undefined> {
  await prepare(from, to);
  await mkdir(releaseFolder(data, to), { recursive: true });
  await activateRelease(data, to);
  return extend();
}

it("has the entries in the order in which their releases became current", async () => {
  expect(await readChain(data)).toBeUndefined();
  for (const [from, to] of [
    [null, first],
    [first, second],
    [second, first],
    [first, second],
  ] as const)
    expect(await advance(from, to)).toMatchObject({ from, to });
  expect(await readEnds()).toEqual([
    [null, first],
    [first, second],
    [second, first],
    [first, second],
  ]);
  expect((await readChain(data))?.current).toBe(second);
  expect(await changesOf()).toHaveLength(5);
});

it("gets the entry of a release that became current before a kill", async () => {
  await advance(null, first);
  const entry = await prepare(first, second);
  await activateRelease(data, second);
  expect(await extend()).toEqual(entry);
  await writePending(data, entry); // killed before its removal
  expect(await extend()).toBeUndefined();
  expect(await readEnds()).toHaveLength(2);
  expect(await changesOf()).toHaveLength(3);
});

it("does not get the entry of a release that never became current, nor its files", async () => {
  await advance(null, first);
  await prepare(first, second);
  await writeChange("pending.json.next", "{");
  expect(await extend()).toBeUndefined();
  expect(await changesOf()).toEqual(["index.json"]);
  await writeChange("pending.json", "damaged");
  expect(await extend()).toBeUndefined();
  expect(await readEnds()).toEqual([[null, first]]);
});

it("keeps entries for 60 days, and the last one longer", async () => {
  await advance(null, first);
  await advance(first, second);
  await advance(second, third);
  await extend(60);
  expect(await readEnds()).toHaveLength(3);
  await extend(61.5);
  expect(await readEnds()).toEqual([[second, third]]);
  expect((await changesOf()).sort()).toEqual([
    `${second}..${third}.ndjson.gz`,
    `${second}..${third}.parquet`,
    "index.json",
  ]);
  await extend(1000);
  expect(await readEnds()).toEqual([[second, third]]);
});

it("starts anew if its end is not the release before, or if it is damaged", async () => {
  await advance(null, first);
  await advance(second, third);
  expect(await readEnds()).toEqual([[second, third]]);
  await writeChange("index.json", "damaged");
  await advance(third, first);
  const index = JSON.parse(await readFile(join(data, "changes/index.json"), "utf8")) as ChangesIndex;
  expect(index).toMatchObject({ current: first, entries: [{ from: third, to: first }] });
});
