// Owns the tests of stored pages: any gzip reader gives the body back, and the header tells the body's digest.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { digestBody, formatStoredPage, readStoredDigest } from "../../api-static/storedPage.ts";

const body = fc
  .oneof(fc.uint8Array({ maxLength: 2000 }), fc.string({ unit: "grapheme" }))
  .map((content) => Buffer.from(content));
const sha256 = (content: Buffer) => createHash("sha256").update(content).digest("hex");
const headerBytes = 32;
const gzipMissing = spawnSync("gzip", ["--version"]).status !== 0;

/** Bodies that the tests over the system's gzip, which starts a process each time, look at. */
const bodies: readonly [string, Buffer][] = [
  ["an empty body", Buffer.alloc(0)],
  ["a page", Buffer.from('{"success":true,"data":[],"total":0,"limit":100,"offset":0}\n')],
  ["a body of 3 MB", Buffer.from("a record of a grant, é, 🌱\n".repeat(100_000))],
];

describe("formatStoredPage", () => {
  it("gives the body back through gunzip", () => {
    fc.assert(
      fc.property(body, (content) => {
        expect(gunzipSync(formatStoredPage(content)).equals(content)).toBe(true);
      }),
    );
  });

  it.skipIf(gzipMissing).each(bodies)("passes the system's gzip with %s", (_what, content) => {
    const stored = formatStoredPage(content);
    const tested = spawnSync("gzip", ["-t"], { input: stored });
    expect([tested.status, tested.stderr.toString()]).toStrictEqual([0, ""]);
    const unpacked = spawnSync("gzip", ["-dc"], { input: stored, maxBuffer: 2 * content.length + 1000 });
    expect(unpacked.stdout.equals(content)).toBe(true);
  });

  it.each(bodies)("makes the same bytes of the same body with %s", (_what, content) => {
    expect(formatStoredPage(Buffer.from(content)).equals(formatStoredPage(content))).toBe(true);
  });

  it("carries no time and no system in its header", () => {
    const stored = formatStoredPage(Buffer.from("page"));
    expect(stored.subarray(0, 10).toString("hex")).toBe("1f8b08040000000000ff");
  });

  it("packs a page of repeated keys to less than a third", () => {
    const content = Buffer.from('{"id":1,"funder_ein":"131635294","purpose":null},\n'.repeat(100));
    expect(formatStoredPage(content).length).toBeLessThan(content.length / 3);
  });

  it("takes a digest that is known already", () => {
    const content = Buffer.from("page");
    expect(formatStoredPage(content, digestBody(content)).equals(formatStoredPage(content))).toBe(true);
    expect(readStoredDigest(formatStoredPage(content, "0".repeat(32)))).toBe("0".repeat(32));
  });
});

describe("readStoredDigest", () => {
  it("gives the first 128 bits of the body's SHA-256", () => {
    fc.assert(
      fc.property(body, (content) => {
        expect(readStoredDigest(formatStoredPage(content))).toBe(sha256(content).slice(0, 32));
      }),
    );
  });

  it("needs the header alone", () => {
    const stored = formatStoredPage(Buffer.from("page"));
    expect(readStoredDigest(stored.subarray(0, headerBytes))).toBe(sha256(Buffer.from("page")).slice(0, 32));
  });

  it("refuses a header that is cut short, wherever", () => {
    const stored = formatStoredPage(Buffer.from("page"));
    const cuts = Array.from({ length: headerBytes }, (_none, end) =>
      readStoredDigest(stored.subarray(0, end)),
    );
    expect(cuts).toStrictEqual(Array(headerBytes).fill(undefined));
  });

  it("refuses a header that differs in any byte before the digest", () => {
    const stored = formatStoredPage(Buffer.from("page"));
    const answers = Array.from({ length: headerBytes - 16 }, (_none, index) => {
      const changed = Buffer.from(stored);
      changed.writeUInt8(stored.readUInt8(index) ^ 1, index);
      return readStoredDigest(changed);
    });
    expect(answers).toStrictEqual(Array(headerBytes - 16).fill(undefined));
  });

  it("refuses what another program has gzipped, and what is not gzipped", () => {
    expect(readStoredDigest(gzipSync("page".repeat(100)))).toBeUndefined();
    expect(
      readStoredDigest(Buffer.from('{"success":true,"data":[],"total":0,"limit":100,"offset":0}\n')),
    ).toBeUndefined();
  });

  it("refuses noise", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        expect(readStoredDigest(Buffer.from(bytes))).toBeUndefined();
      }),
    );
  });
});

describe("digestBody", () => {
  it("is 32 hexadecimal digits, the start of SHA-256", () => {
    expect(digestBody(Buffer.from("abc"))).toBe("ba7816bf8f01cfea414140de5dae2223");
  });
});
