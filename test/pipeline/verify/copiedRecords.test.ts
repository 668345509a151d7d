// Tests that a night's records are proved by those of the previous release, unless anything differs from what the night says.
import { cp, open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { digestBytes, offsetBytes, parts } from "../../../api-static/release/layout.ts";
import { openDatabase } from "../../../pipeline/base/database.ts";
import { gateRules } from "../../../pipeline/releases/gate.ts";
import { isProvedByCopies } from "../../../pipeline/verify/copiedRecords.ts";
import { checkBuiltRelease } from "../../../pipeline/verify/verify.ts";
import { spread, syncHere } from "../trust.fixture.ts";
import { useFolder, useParquet } from "../warehouse/warehouse.fixture.ts";

const folder = useFolder();
const { put } = useParquet(folder);

/** Funder 100000009 is removed, 100000007 is added, and 100000003 has other purposes and one record more. */
const fresh = [100000003, 100000007];
const freshLine = '"funder_ein":"100000003"';

let before = "";
let after = "";

beforeAll(async () => {
  const data = join(folder.root, "data");
  const usual = spread(10);
  before = await syncHere(
    await put("../first.parquet", usual, "FROM range(300) t(i) WHERE i % 10 <> 7"),
    data,
  );
  const purpose = `CASE WHEN i % 10 = 3 THEN 'É "quoted"' || chr(10) ELSE ${usual.purpose} END`;
  const rows = "FROM range(310) t(i) WHERE i IN (303, 307) OR (i < 300 AND i % 10 NOT IN (7, 9))";
  const second = await put("../second.parquet", { ...usual, purpose }, rows);
  after = await syncHere(second, data, { ACCEPT: gateRules.join() });
});

const bounds = () => ({ memory: "512MB", threads: 1, spillFolder: join(folder.home, "spill") });

const isProved = (release: string, eins = fresh, previous = before) =>
  isProvedByCopies(release, { folder: previous, fresh: eins }, bounds());

/** A copy of a release, for one test. */
async function copyOf(release: string, name = "release"): Promise<string> {
  const copy = join(folder.home, name);
  await cp(release, copy, { recursive: true });
  return copy;
}

async function changeByte(path: string, offset: number): Promise<void> {
  const file = await open(path, "r+");
  const byte = Buffer.alloc(1);
  await file.read(byte, 0, 1, offset);
  byte.writeUInt8(byte.readUInt8() ^ 1);
  await file.write(byte, 0, 1, offset);
  await file.close();
}

/** Changes a digit of an amount in the first line of a funder. */
async function changeAmount(release: string, line: string): Promise<void> {
  const path = join(release, parts.records);
  const text = await readFile(path, "latin1");
  await changeByte(path, text.indexOf('"amount":', text.indexOf(line)) + 9);
}

async function changeIndex(release: string, statement: string): Promise<void> {
  const { instance, connection } = await openDatabase({ memory: "512MB", threads: 1, spillFolder: "" });
  await connection.run(`ATTACH '${join(release, parts.index)}' AS index`);
  await connection.run(`USE index; ${statement}; CHECKPOINT index`);
  connection.closeSync();
  instance.closeSync();
}

it("proves a night with an added, a changed and a removed funder", async () => {
  expect(await isProved(after)).toBe(true);
});

it("proves a release that is the previous one", async () => {
  expect(await isProved(before, [])).toBe(true);
});

describe("does not prove a night", () => {
  it("whose changed funder is said to be copied", async () => {
    expect(await isProved(after, [100000007])).toBe(false);
  });

  it("whose added funder is said to be copied", async () => {
    expect(await isProved(after, [100000003])).toBe(false);
  });

  it.each<[string, (release: string) => Promise<void>]>([
    [
      "with another length of copied lines",
      (release) => changeByte(join(release, parts.offsets), 90 * offsetBytes), // the lines of three funders end there
    ],
    ["with a wrong digit in a fresh line", (release) => changeAmount(release, freshLine)],
    [
      "with another digest of a copied funder",
      (release) => changeByte(join(release, parts.funderDigests), 5 * digestBytes),
    ],
    [
      "with another digest of a fresh funder",
      (release) => changeByte(join(release, parts.funderDigests), 3 * digestBytes),
    ],
    [
      "with another key of a copied record in the index",
      (release) =>
        changeIndex(release, "UPDATE by_funder SET id = -5 WHERE funder_ein = 100000005 AND id = 5"),
    ],
    [
      "with another key of a fresh record in the index",
      (release) =>
        changeIndex(release, "UPDATE by_funder SET id = -3 WHERE funder_ein = 100000003 AND id = 3"),
    ],
  ])("%s", async (_, damage) => {
    const copy = await copyOf(after);
    await damage(copy);
    expect(await isProved(copy)).toBe(false);
  });

  it("if an id of a fresh record is also that of a copied one", async () => {
    const copies = [await copyOf(before, "before"), await copyOf(after)] as const;
    // In both indexes, so that the sums of keys agree.
    for (const copy of copies)
      await changeIndex(copy, "UPDATE by_funder SET id = 3 WHERE funder_ein = 100000005 AND id = 5");
    expect(await isProved(copies[1], fresh, copies[0])).toBe(false);
  });

  it.each([parts.records, parts.funders, parts.index])("if the previous release lacks %s", async (part) => {
    const copy = await copyOf(before);
    await rm(join(copy, part));
    expect(await isProved(after, fresh, copy)).toBe(false);
  });
});

describe("a release that is not proved", () => {
  it("is verified by all of its records", async () => {
    const gone = { folder: join(folder.home, "gone"), fresh };
    await expect(checkBuiltRelease(after, bounds(), gone)).resolves.toBeUndefined();
    const copy = await copyOf(after);
    await changeAmount(copy, freshLine);
    const copied = { folder: before, fresh };
    await expect(checkBuiltRelease(copy, bounds(), copied)).rejects.toThrow("records has amount");
  });
});
