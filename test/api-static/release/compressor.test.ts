// Tests that runs compressed with one kept state have the same bytes as runs compressed alone.
import { createHash } from "node:crypto";
import { constants, deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { expect, it } from "vitest";
import { Compressor } from "../../../api-static/release/compressor.ts";

const alone = (run: Buffer) => deflateRawSync(run, { level: 1, finishFlush: constants.Z_SYNC_FLUSH });

/** Text that compresses, or bytes that do not, some of them longer than several chunks of output. */
const run = fc.oneof(
  fc.string({ maxLength: 3_000 }).map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 2_000 }).map((bytes) => Buffer.from(bytes)),
  fc
    .tuple(fc.integer({ min: 0, max: 90_000 }), fc.integer({ min: 1, max: 97 }))
    .map(([bytes, step]) =>
      Buffer.from(Uint8Array.from({ length: bytes }, (_, at) => (at * at * step) >> 3)),
    ),
);

it("keeps its state in this version of Node.js", () => {
  expect(new Compressor().isKeeping).toBe(true);
});

it("compresses any runs to the bytes of a new state, whatever was compressed before", () => {
  const compressor = new Compressor();
  fc.assert(
    fc.property(fc.array(run, { minLength: 1, maxLength: 5 }), (runs) => {
      for (const one of runs) expect(compressor.compress(one).equals(alone(one))).toBe(true);
    }),
  );
});

it("compresses runs whose output ends at, or within a few bytes of, the end of a chunk", () => {
  const compressor = new Compressor();
  const noise = createHash("shake256", { outputLength: 17_000 }).digest();
  const lengths = new Set<number>();
  for (let bytes = 16_330; bytes <= 16_400; bytes += 1) {
    const one = noise.subarray(0, bytes);
    const compressed = compressor.compress(one);
    lengths.add(compressed.length);
    expect(compressed.equals(alone(one))).toBe(true);
  }
  expect([...lengths].filter((length) => Math.abs(length - 16_384) < 8).length).toBeGreaterThan(9);
});
