// Tests the format of page files: any gzip reader can unpack them, and the header has the body's digest.
import { spawnSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatEnvelope, lineEnd, type Page } from "../../../api-static/contract/answers/envelope.ts";
import { readPageFileDigest } from "../../../api-static/contract/answers/storedPage.ts";
import {
  compressLines,
  digestBody,
  formatPageFile,
  gzipBody,
} from "../../../api-static/release/pageFileFormat.ts";
import { text } from "../contract/arbitraries.ts";

const page: Page = { total: 3, limit: 100, offset: 0 };
const headerBytes = 32;
const gzipMissing = spawnSync("gzip", ["--version"]).status !== 0;

/** The bytes of record lines, each with its line end. */
const linesOf = (records: readonly string[]) =>
  Buffer.from(records.map((record) => record + lineEnd).join(""));

/** The page file of records, compressed in runs of `runLength`. */
function store(page: Page, records: readonly string[], runLength = records.length) {
  const packed: Buffer[] = [];
  for (let from = 0; from < records.length; from += runLength) {
    const run = linesOf(records.slice(from, from + runLength));
    packed.push(compressLines(run));
  }
  const body = formatEnvelope(page, linesOf(records));
  const { pieces, ...described } = formatPageFile(page, linesOf(records), packed);
  return { body, stored: Buffer.concat(pieces), ...described };
}

const storedPage = () => store(page, ['{"id":1}', '{"id":2}', '{"id":3}']).stored;
const recordsOf = (length: number) =>
  Array.from({ length }, (_none, id) =>
    JSON.stringify({ id, purpose: `A grant, é, 🌱, for reason ${id * 7919}` }),
  );

const someRecords = fc
  .array(text, { minLength: 1, maxLength: 30 })
  .map((purposes) => purposes.map((purpose, id) => JSON.stringify({ id, purpose })));
const number = fc.integer({ min: 0, max: 1_000_000_000 });
const somePage = fc.record({ total: number, limit: number, offset: number });

/** Pages for the system's gzip, which needs a process each: records, and the length of a run. */
const pages: readonly [string, string[], number][] = [
  ["one record", ['{"id":1}'], 1],
  ["1000 records in runs of 100", recordsOf(1000), 100],
  ["1000 records in one run", recordsOf(1000), 1000],
  ["3 records of 2 MB", [1, 2, 3].map((id) => `{"id":${id},"purpose":"${"long ".repeat(400_000)}"}`), 2],
];

describe("formatPageFile", () => {
  it("unpacks to the envelope's body, however the lines are grouped", () => {
    fc.assert(
      fc.property(somePage, someRecords, fc.integer({ min: 1, max: 31 }), (page, records, runLength) => {
        const { body, stored } = store(page, records, runLength);
        expect(gunzipSync(stored).toString()).toBe(body.toString());
      }),
    );
  });

  it.skipIf(gzipMissing).each(pages)("is accepted by the system's gzip: %s", (_what, records, runLength) => {
    const { body, stored } = store(page, records, runLength);
    const tested = spawnSync("gzip", ["-t"], { input: stored });
    expect([tested.status, tested.stderr.toString()]).toStrictEqual([0, ""]);
    const unpacked = spawnSync("gzip", ["-dc"], { input: stored, maxBuffer: 2 * body.length });
    expect(unpacked.stdout.equals(body)).toBe(true);
  });

  it.each(pages)("makes the same bytes from the same lines: %s", (_what, records, runLength) => {
    const again = store({ ...page }, [...records], runLength);
    expect(again.stored.equals(store(page, records, runLength).stored)).toBe(true);
  });

  it("returns the digest and the length of the body", () => {
    fc.assert(
      fc.property(somePage, someRecords, fc.integer({ min: 1, max: 31 }), (page, records, runLength) => {
        const { body, digest, bodyBytes } = store(page, records, runLength);
        expect(digest).toBe(digestBody(body));
        expect(bodyBytes).toBe(body.length);
      }),
    );
  });

  it("has no time and no system in its header", () => {
    expect(storedPage().subarray(0, 10).toString("hex")).toBe("1f8b08040000000000ff");
  });

  it("compresses repeated keys to less than a third, in several runs too", () => {
    for (const runLength of [100, 1000]) {
      const { body, stored } = store(page, recordsOf(1000), runLength);
      expect(stored.length).toBeLessThan(body.length / 3);
    }
  });
});

describe("compressLines", () => {
  it("does not change the lines it is given", () => {
    const lines = linesOf(['{"id":1}']);
    compressLines(lines);
    expect(lines).toStrictEqual(linesOf(['{"id":1}']));
  });
});

describe("readPageFileDigest", () => {
  it("returns the first 128 bits of the body's SHA-256", () => {
    fc.assert(
      fc.property(somePage, someRecords, (page, records) => {
        const { stored } = store(page, records);
        const sha256 = createHash("sha256").update(gunzipSync(stored)).digest("hex");
        expect(readPageFileDigest(stored)).toBe(sha256.slice(0, 32));
      }),
    );
  });

  it("needs only the header", () => {
    const stored = storedPage();
    expect(readPageFileDigest(stored.subarray(0, headerBytes))).toBe(digestBody(gunzipSync(stored)));
  });

  it("refuses a header that is cut short anywhere", () => {
    const stored = storedPage();
    const cuts = Array.from({ length: headerBytes }, (_none, end) =>
      readPageFileDigest(stored.subarray(0, end)),
    );
    expect(cuts).toStrictEqual(Array(headerBytes).fill(undefined));
  });

  it("refuses a header that differs in any byte before the digest", () => {
    const stored = storedPage();
    const answers = Array.from({ length: headerBytes - 16 }, (_none, index) => {
      const changed = Buffer.from(stored);
      changed.writeUInt8(stored.readUInt8(index) ^ 1, index);
      return readPageFileDigest(changed);
    });
    expect(answers).toStrictEqual(Array(headerBytes - 16).fill(undefined));
  });

  it("refuses the gzip files of other programs, and files without gzip", () => {
    expect(readPageFileDigest(gzipSync("page".repeat(100)))).toBeUndefined();
    expect(readPageFileDigest(formatEnvelope(page, linesOf(['{"id":1}'])))).toBeUndefined();
  });

  it("refuses random bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        expect(readPageFileDigest(Buffer.from(bytes))).toBeUndefined();
      }),
    );
  });
});

describe("digestBody", () => {
  it("is 32 hexadecimal digits, the start of SHA-256", () => {
    expect(digestBody(Buffer.from("abc"))).toBe("ba7816bf8f01cfea414140de5dae2223");
  });
});

describe("gzipBody", () => {
  it("restores any body when it is decompressed, one after the other", () => {
    const sizes = [0, 1, 500, 16_384, 40_000, 1_000_000];
    const bodies = sizes.flatMap((size) => [Buffer.alloc(size, "a record "), randomBytes(size)]);
    for (const body of bodies)
      expect(gunzipSync(gzipBody(body)).equals(body), String(body.length)).toBe(true);
  });

  it("compresses as much as a page file does", () => {
    const body = Buffer.from("a record of a grant, ".repeat(1_000));
    expect(gzipBody(body).length).toBeLessThan(body.length / 20);
  });
});
