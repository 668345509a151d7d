// Tests that bytes stay the same in every form in which they are sent.
import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { compactBytes, copyBytes, joinBytes, toBuffer } from "../../../api-static/release/bytes.ts";

const most = 64 * 1024;
const sizes = [0, 1, 255, most - 1, most, most + 1, 300_000];

it("joins pieces to the same bytes, a string up to 64 KB, also after others were joined", () => {
  const joined = sizes.map((size) => {
    const bytes = randomBytes(size);
    const cut = Math.floor(size / 3);
    return { bytes, parts: joinBytes([bytes.subarray(0, cut), Buffer.alloc(0), bytes.subarray(cut)]) };
  });
  for (const { bytes, parts } of joined) {
    expect(typeof parts === "string", String(bytes.length)).toBe(bytes.length <= most);
    expect(parts.length).toBe(bytes.length);
    expect(toBuffer(parts).equals(bytes), String(bytes.length)).toBe(true);
  }
});

it("copies bytes, so that their memory can be used again", () => {
  for (const size of sizes) {
    const [bytes, memory] = [randomBytes(size), Buffer.alloc(size)];
    bytes.copy(memory);
    const copy = copyBytes(memory);
    memory.fill("x");
    expect(toBuffer(copy).equals(bytes), String(size)).toBe(true);
  }
});

it("makes short buffers strings, and changes nothing else", () => {
  for (const size of sizes) {
    const bytes = randomBytes(size);
    const compact = compactBytes(bytes);
    expect(typeof compact === "string", String(size)).toBe(size <= most);
    expect(toBuffer(compact).equals(bytes), String(size)).toBe(true);
    expect(compactBytes(compact)).toBe(compact);
  }
});
