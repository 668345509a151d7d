// Tests which bytes a Range header asks for.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatContentRange, readRange } from "../../../api-static/contract/headers.ts";
import { noise } from "./arbitraries.ts";

const etag = '"abc"';
const read = (range: string | undefined, size = 1_000, ifRange?: string) =>
  readRange({ range, ifRange }, size, etag);
const size = fc.integer({ min: 0, max: 5_000 });
const position = fc.integer({ min: 0, max: 6_000 });

describe("a single range", () => {
  it("has the bytes that both ends name, cut at the end of the file", () => {
    fc.assert(
      fc.property(size, position, position, (size, first, last) => {
        const bytes = Array.from({ length: size }, (_, index) => index).slice(first, last + 1);
        const found = read(`bytes=${first}-${last}`, size);
        expect(found).toStrictEqual(
          bytes.length === 0 || last < first ? "unsatisfiable" : { offset: bytes[0], length: bytes.length },
        );
      }),
    );
  });

  it("without an end goes to the end of the file, and without a start has the last bytes, at most all", () => {
    fc.assert(
      fc.property(size, position, (size, number) => {
        const rest = size - number;
        expect(read(`bytes=${number}-`, size)).toStrictEqual(
          rest > 0 ? { offset: number, length: rest } : "unsatisfiable",
        );
        const length = Math.min(number, size);
        expect(read(`bytes=-${number}`, size)).toStrictEqual(
          length > 0 ? { offset: size - length, length } : "unsatisfiable",
        );
      }),
    );
  });

  it.each([
    ["bytes=0-0", { offset: 0, length: 1 }],
    ["Bytes = 0-9 ", { offset: 0, length: 10 }],
    ["bytes=-262144", { offset: 0, length: 1_000 }],
    ["bytes=999-99999999999999999999999999", { offset: 999, length: 1 }],
    ["bytes=99999999999999999999999999-", "unsatisfiable"],
    ["bytes=1000-", "unsatisfiable"],
    ["bytes=-0", "unsatisfiable"],
  ])("%s", (range, found) => {
    expect(read(range)).toStrictEqual(found);
  });

  it.each(["bytes=", "bytes=-", "bytes=a-b", "bytes=9-0", "bytes=0-1-2", "bytes=+1-2", "bytes=1.5-2"])(
    "that is malformed has no bytes: %s",
    (range) => expect(read(range)).toBe("unsatisfiable"),
  );
});

describe("the whole file", () => {
  it.each([undefined, "", "items=0-5", "0-5", "bytes 0-5", "bytes=0-1,5-6", "bytes=5000-,-1"])(
    "is sent without a range, or for one that is ignored: %s",
    (range) => expect(read(range)).toBeUndefined(),
  );

  it("is refused if several ranges have no byte of it", () => {
    expect(read("bytes=5000-,x")).toBe("unsatisfiable");
  });

  it("is sent if the client has a part of another file, whatever the range", () => {
    for (const range of ["bytes=0-5", "bytes=5000-", "bytes=x"])
      for (const ifRange of ['"other"', `W/${etag}`, "Thu, 26 Nov 2026 04:00:00 GMT", "abc", ""])
        expect(read(range, 1_000, ifRange), `${range} ${ifRange}`).toBeUndefined();
    expect(read("bytes=0-5", 1_000, etag)).toStrictEqual({ offset: 0, length: 6 });
  });
});

it("any text gives bytes of the file, or none", () => {
  fc.assert(
    fc.property(noise, size, (text, size) => {
      for (const range of [text, `bytes=${text}`]) {
        const found = read(range, size);
        const { offset, length } = typeof found === "object" ? found : { offset: 0, length: 0 };
        expect(offset).toBeGreaterThanOrEqual(0);
        expect(length).toBeGreaterThanOrEqual(typeof found === "object" ? 1 : 0);
        expect(offset + length).toBeLessThanOrEqual(size);
      }
    }),
  );
});

it("Content-Range names the part and the size", () => {
  expect(formatContentRange({ offset: 5, length: 5 }, 20)).toBe("bytes 5-9/20");
  expect(formatContentRange(undefined, 20)).toBe("bytes */20");
});
