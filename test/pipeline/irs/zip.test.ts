// Tests that zips are read whole: every kind of member, against yauzl, `unzip` and 7-Zip, and damaged in every place.
import { execFileSync } from "node:child_process";
import { closeSync, fstatSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as yauzl from "yauzl";
import { inflate64 } from "../../../pipeline/irs/inflate64.ts";
import { readDirectory, ZipError } from "../../../pipeline/irs/zipDirectory.ts";
import { findObstacle, MemberError, memberBytesMax, readMember } from "../../../pipeline/irs/zipMember.ts";
import { isInstalled } from "../../programs.ts";
import { isWhole, proofs } from "../../proofs.ts";
import { useFolder } from "../warehouse/warehouse.fixture.ts";
import { deflate64 } from "./deflate64.fixture.ts";
import { formatZip, type ZipEntry } from "./zips.fixture.ts";

const folder = useFolder();

/** Text with matches of all lengths and distances. */
function makeText(seed: number, length: number): Buffer {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return state >>> 8;
  };
  const pieces: Buffer[] = [];
  let bytes = 0;
  while (bytes < length) {
    const choice = next() % 4;
    const earlier = pieces[next() % Math.max(1, pieces.length)];
    const piece =
      choice === 0 || earlier === undefined
        ? Buffer.from(Array.from({ length: 1 + (next() % 50) }, () => next() % 256))
        : choice === 1
          ? Buffer.alloc(1 + (next() % 3000), next() % 256)
          : earlier;
    pieces.push(piece);
    bytes += piece.length;
  }
  return Buffer.concat(pieces).subarray(0, length);
}

const far = Buffer.concat([
  Buffer.from("START of the window"),
  makeText(5, 65_000),
  Buffer.from("START of the window"),
]);

const entries: ZipEntry[] = [
  { name: "flat_public.xml", content: Buffer.from("<Return/>") },
  { name: "folder/nested_public.xml", content: makeText(1, 5_000) },
  { name: "stored.xml", content: makeText(2, 700), method: 0 },
  { name: "deflate64.xml", content: makeText(3, 30_000), method: 9 },
  { name: "far.xml", content: far, method: 9 },
  { name: "empty.xml", content: Buffer.alloc(0) },
  { name: "empty64.xml", content: Buffer.alloc(0), method: 9 },
  { name: "long.xml", content: Buffer.alloc(140_000, "ab"), method: 9 },
  { name: "flat_public.xml", content: Buffer.from("<Return>again</Return>") },
  { name: "é.xml", content: Buffer.from("é") },
];

function put(zip: Buffer, name = "a.zip"): string {
  const path = join(folder.home, name);
  writeFileSync(path, zip);
  return path;
}

type Read = { name: string; content: Buffer | string };

/** Every member with its content, or the message of its error. */
function readAll(path: string): Read[] {
  const file = openSync(path, "r");
  try {
    const { members } = readDirectory(file, fstatSync(file).size);
    const bytes = readFileSync(path);
    return members.map((member) => ({
      name: member.name,
      content: findObstacle(member) ?? attempt(() => readMember(member, bytes.subarray(member.offset))),
    }));
  } finally {
    closeSync(file);
  }
}

function attempt(read: () => Buffer): Buffer | string {
  try {
    return read();
  } catch (error) {
    if (error instanceof MemberError) return error.message;
    throw error;
  }
}

const expected = entries.map(({ name, content }) => ({ name, content }));

describe("a zip", () => {
  it.each([{}, { isZip64: true }, { comment: "a comment" }, { isZip64: true, comment: "PK\x05\x06" }])(
    "gives back its members: %j",
    (options) => {
      expect(readAll(put(formatZip(entries, options)))).toEqual(expected);
    },
  );

  it.each([{}, { isZip64: true }, { comment: "a comment" }])(
    "is read with bytes before it: %j",
    (options) => {
      const zip = formatZip(entries, options);
      for (const before of [Buffer.from("PK\x03\x04"), Buffer.from("HTTP/1.1 200 OK\r\n\r\n"), zip])
        expect(readAll(put(Buffer.concat([before, zip])))).toEqual(expected);
    },
  );

  it("is read with bytes between its directory and its end", () => {
    const zip = formatZip(entries);
    const end = zip.length - 22;
    expect(readAll(put(Buffer.concat([zip.subarray(0, end), Buffer.from("x"), zip.subarray(end)])))).toEqual(
      expected,
    );
  });

  it.each([{}, { isZip64: true }])("has the directory that yauzl reads: %j", async (options) => {
    const path = put(formatZip(entries, options));
    const file = openSync(path, "r");
    const { members } = readDirectory(file, fstatSync(file).size);
    closeSync(file);
    const found = await listWithYauzl(path);
    expect(
      members.map(({ name, method, crc32, compressedSize, size, offset }) => ({
        name,
        method,
        crc32,
        compressedSize,
        size,
        offset,
      })),
    ).toEqual(found);
    expect(found.length).toBe(entries.length);
  });

  it("of no members has none", () => {
    expect(readAll(put(formatZip([])))).toEqual([]);
  });

  it.each(["", "PK", "<html>not found</html>"])('says that "%s" is not a zip', (text) => {
    expect(() => readAll(put(Buffer.from(text)))).toThrow(ZipError);
  });

  it("reports that it is cut off, wherever that is", () => {
    const zip = formatZip(entries.slice(0, 3));
    for (let length = 0; length < zip.length; length += 97)
      expect(() => readAll(put(zip.subarray(0, length))), `${length} bytes`).toThrow(ZipError);
  });

  it.each([
    [
      "encrypted",
      { isEncrypted: true },
      "it is encrypted; unpack the zip with its password, and import the files",
    ],
    [
      "of an unknown method",
      { method: 12 },
      "compression method 12 is not supported; unpack the zip, and import the files",
    ],
  ])("names what it cannot read: a member that is %s", (_, options, problem) => {
    const [first] = readAll(put(formatZip([{ name: "a.xml", content: Buffer.from("x"), ...options }])));
    expect(first?.content).toBe(problem);
  });

  it("names a member beyond the limit, compressed or not", () => {
    const member = { name: "a.xml", method: 0, isEncrypted: false, crc32: 0, offset: 0 };
    const [most, more] = [memberBytesMax, memberBytesMax + 1];
    expect(findObstacle({ ...member, size: most, compressedSize: most })).toBeUndefined();
    for (const [size, compressedSize] of [
      [more, more],
      [1, more],
    ] as const)
      expect(findObstacle({ ...member, size, compressedSize })).toBe(
        `it has ${more} bytes; the limit is ${most}`,
      );
  });
});

function listWithYauzl(path: string): Promise<unknown[]> {
  return new Promise((resolve, reject) => {
    yauzl.open(path, { validateEntrySizes: false }, (error, zip) => {
      if (error) return reject(error);
      const found: unknown[] = [];
      zip.on("entry", (entry: yauzl.Entry) => {
        found.push({
          name: entry.fileName,
          method: entry.compressionMethod,
          crc32: entry.crc32,
          compressedSize: entry.compressedSize,
          size: entry.uncompressedSize,
          offset: entry.relativeOffsetOfLocalHeader,
        });
      });
      zip.on("end", () => resolve(found));
      zip.on("error", reject);
    });
  });
}

describe("a damaged zip", () => {
  it(`loses at most one member to a flipped byte among the members (${proofs.anyFlips} flips)`, () => {
    const zip = formatZip(entries);
    const start = zip.indexOf(Buffer.from("PK\x01\x02", "latin1"));
    fc.assert(
      fc.property(fc.integer({ min: 0, max: start - 1 }), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const damaged = Buffer.from(zip);
        damaged[at] = (damaged[at] ?? 0) ^ flip;
        const found = readAll(put(damaged));
        expect(found.map(({ name }) => name)).toEqual(expected.map(({ name }) => name));
        const lost = found.filter(({ content }, index) => !isSame(content, expected[index]?.content));
        expect(lost.length).toBeLessThanOrEqual(1);
        for (const { content } of lost) expect(content).toBeTypeOf("string");
      }),
      { numRuns: proofs.anyFlips },
    );
  });

  it(`never gives a wrong content, wherever a byte is flipped (${proofs.anyFlips} flips)`, () => {
    const zip = formatZip(entries, { isZip64: true });
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: zip.length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        (at, flip) => {
          const damaged = Buffer.from(zip);
          damaged[at] = (damaged[at] ?? 0) ^ flip;
          for (const { content } of readUnlessZipError(put(damaged)))
            if (typeof content !== "string")
              expect(expected.some((other) => isSame(content, other.content))).toBe(true);
        },
      ),
      { numRuns: proofs.anyFlips },
    );
  });

  it("counts the entries of its directory that are damaged, and reads the others", () => {
    const zip = formatZip(entries.slice(0, 3));
    const second = zip.indexOf(
      Buffer.from("PK\x01\x02", "latin1"),
      zip.indexOf(Buffer.from("PK\x01\x02", "latin1")) + 1,
    );
    zip[second] = 0;
    const path = put(zip);
    const file = openSync(path, "r");
    const { members, damagedEntries } = readDirectory(file, zip.length);
    closeSync(file);
    expect(members.length + damagedEntries).toBe(3);
    expect(damagedEntries).toBeGreaterThan(0);
  });

  it("reads the entry after one whose length is wrong, even if that ends one byte before the directory", () => {
    const zip = formatZip(entries.slice(0, 2));
    const first = zip.indexOf(Buffer.from("PK\x01\x02", "latin1"));
    const second = zip.indexOf(Buffer.from("PK\x01\x02", "latin1"), first + 1);
    const end = zip.indexOf(Buffer.from("PK\x05\x06", "latin1"));
    zip.writeUInt16LE(end - second - 1, first + 32); // the length of the first entry's comment
    const file = openSync(put(zip), "r");
    const { members, damagedEntries } = readDirectory(file, zip.length);
    closeSync(file);
    expect([members.map(({ name }) => name), damagedEntries]).toEqual([[entries[1]?.name], 1]);
  });
});

function isSame(content: Buffer | string, other: Buffer | undefined): boolean {
  return Buffer.isBuffer(content) && other !== undefined && content.equals(other);
}

function readUnlessZipError(path: string): Read[] {
  try {
    return readAll(path);
  } catch (error) {
    if (error instanceof ZipError) return [];
    throw error;
  }
}

describe("Deflate64", () => {
  it(`restores the content (${proofs.anyInflations} contents)`, () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 0, max: 5_000 }), (seed, length) => {
        const content = makeText(seed, length);
        expect(inflate64(deflate64(content), length).equals(content)).toBe(true);
      }),
      { numRuns: proofs.anyInflations },
    );
  });

  it("refuses another size, a cut-off end and no data", () => {
    const data = deflate64(makeText(9, 3_000));
    expect(() => inflate64(data, 2_999)).toThrow();
    expect(() => inflate64(data, 3_001)).toThrow();
    for (let length = 0; length < data.length - 1; length += 7)
      expect(() => inflate64(data.subarray(0, length), 3_000)).toThrow();
  });

  it.runIf(isInstalled("unzip", "the comparison of Deflate64 with unzip"))("is what unzip reads", () => {
    const path = put(
      formatZip(entries.filter(({ name, content }) => name !== "flat_public.xml" && content.length > 0)),
    );
    expect(execFileSync("unzip", ["-t", path], { encoding: "utf8" })).toContain("No errors detected");
  });

  it.runIf(isInstalled("7z", "the comparison with the zips of 7-Zip"))(
    "is read from the zips that 7-Zip writes",
    async () => {
      await mkdir(join(folder.home, "files"), { recursive: true });
      const names = ["text.xml", "far.xml", "long.xml", "random.xml"];
      const contents = [makeText(3, 200_000), far, Buffer.alloc(300_000, "abc"), makeText(4, 500)];
      for (const [index, name] of names.entries())
        writeFileSync(join(folder.home, "files", name), contents[index] ?? "");
      for (const level of isWhole ? ["-mx=1", "-mx=9"] : ["-mx=1"]) {
        const path = join(folder.home, `seven${level}.zip`);
        execFileSync("7z", ["a", "-tzip", "-mm=Deflate64", level, path, ...names], {
          cwd: join(folder.home, "files"),
        });
        const found = readAll(path);
        expect(found.map(({ name }) => name).sort()).toEqual([...names].sort());
        for (const { name, content } of found)
          expect(isSame(content, contents[names.indexOf(name)]), name).toBe(true);
      }
    },
  );
});
