// Tests that the lines of records are read in one go if the offsets of groups of lines are held in memory.
import { closeSync, openSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { offsetBytes } from "../../../api-static/release/layout.ts";
import { type RecordFiles, Records } from "../../../api-static/release/records.ts";
import { useRelease } from "../server/release.fixture.ts";

const served = useRelease({ sampleRows: 1_000 });

let opened: Records[] = [];
afterEach(() => {
  for (const records of opened) records.close();
  opened = [];
});

async function hold(bytes: number): Promise<{ files: RecordFiles; taken: number }> {
  const records = Records.open(served().folder);
  opened.push(records);
  return { taken: await records.hold(bytes), files: records.files };
}

describe("lines whose groups are held in memory", () => {
  it("are the same, for every run of every length, from the first line to the last", async () => {
    const { lines, folder } = served();
    const plain = Records.open(folder);
    opened.push(plain);
    const records = new Records((await hold(Number.POSITIVE_INFINITY)).files);
    const text = (from: number, to: number) =>
      lines
        .slice(from, to)
        .map((line) => `${line},\n`)
        .join("");
    for (const start of [0, 1_234, lines.length - 40])
      for (let from = start; from < start + 40; from++)
        for (let to = from; to <= start + 40; to++)
          expect(records.readRange(from, to).toString()).toBe(text(from, to));
    const scattered = [lines.length - 1, 7, 8, 9, 0, 500, 64, 63];
    expect(records.readLines(scattered).toString()).toBe(scattered.map((at) => text(at, at + 1)).join(""));
    expect(await records.readLinesInTurns(scattered)).toStrictEqual(plain.readLines(scattered));
    expect(records.readRange(0, lines.length)).toStrictEqual(plain.readRange(0, lines.length));
  });

  it("that are cut off fail", async () => {
    const { files } = await hold(Number.POSITIVE_INFINITY);
    const empty = openSync("/dev/null", "r");
    expect(() => new Records({ ...files, records: empty }).readRange(5, 7)).toThrow("ends before");
    closeSync(empty);
  });

  it("are read without the file of offsets", async () => {
    const { files } = await hold(Number.POSITIVE_INFINITY);
    const empty = openSync("/dev/null", "r");
    try {
      const lines = new Records({ ...files, offsets: empty }).readLines([5, 6, 900]);
      expect(lines).toStrictEqual(new Records(files).readLines([5, 6, 900]));
      expect(() => new Records({ records: files.records, offsets: empty }).readLines([5])).toThrow(
        "ends before",
      );
    } finally {
      closeSync(empty);
    }
  });

  it("take an eighth of the memory of all offsets in 64 bits, and none if they do not fit", async () => {
    const bytes = (Math.ceil(served().lines.length / 8) + 1) * 8;
    expect(await hold(bytes)).toMatchObject({ taken: bytes, files: { groups: expect.anything() } });
    const { taken, files } = await hold(bytes - 1);
    expect([taken, files.groups]).toStrictEqual([0, undefined]);
    expect(bytes).toBeLessThan(served().lines.length * offsetBytes);
  });
});
