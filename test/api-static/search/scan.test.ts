// Tests that a scan counts and collects the matching rows, alone or shared by several threads.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Column, maxBlock } from "../../../api-static/release/columns.ts";
import { countSpans, cutSpans, hasBit, newBits, readSpans } from "../../../api-static/search/bits.ts";
import { failJob, newJob, Scan } from "../../../api-static/search/scan.ts";
import { addRange } from "./bits.fixture.ts";

const rows = 3 * maxBlock + 7;
const values = 100;

/** Columns in memory, whose blocks are what a scan asks for, as if they were read from a file. */
function columnOf(content: Int32Array) {
  return {
    ...{ length: rows, block: content, from: 0, to: 0 },
    at: (row: number) => content[row],
    seek(from: number, to: number) {
      this.block = content.slice(from, to);
      [this.from, this.to] = [from, to];
      return to;
    },
  };
}

const contents: Readonly<Record<string, Int32Array>> = {
  one: Int32Array.from({ length: rows }, (_, row) => (row * 7919) % values),
  other: Int32Array.from({ length: rows }, (_, row) => (row * row * 31) % values),
};

/** Texts with one to many rows, as in an order by text. */
const textStarts: number[] = [0];
for (let text = 0; (textStarts[text] ?? 0) < rows; text++)
  textStarts.push(Math.min((textStarts[text] ?? 0) + ((text * 7919) % 3_001) + 1, rows));
const texts = textStarts.length - 1;

function openStarts(): Column {
  const memory = new SharedArrayBuffer(4 * textStarts.length);
  new Int32Array(memory).set(textStarts);
  return new Column(-1, { offset: 0, length: textStarts.length, width: 4 }, memory);
}

const open = (name: string) =>
  name === "starts" ? openStarts() : (columnOf(contents[name] ?? new Int32Array()) as never);
const unlimited = () => undefined;

function below(end: number) {
  const bits = newBits(values);
  addRange(bits, 0, end);
  return bits;
}

const spans = fc
  .uniqueArray(fc.integer({ min: 0, max: rows }), { minLength: 2, maxLength: 8 })
  .map((edges) => Int32Array.from(edges.slice(edges.length % 2)).sort());

describe("a scan", () => {
  it("counts all matches and collects a page of them, however its chunks are dealt to threads", () => {
    fc.assert(
      fc.property(
        spans,
        fc.array(fc.integer({ min: 0, max: values }), { minLength: 1, maxLength: 2 }),
        fc.nat(3_000),
        fc.integer({ min: 1, max: 2 }),
        (found, ends, offset, threads) => {
          const conditions = ends.map((end, at) => ({
            column: at === 1 ? "other" : "one",
            bits: below(end),
          }));
          const isMatch = (row: number) =>
            conditions.every(({ column, bits }) => hasBit(bits, contents[column]?.[row] ?? 0));
          const expected = readSpans(found, 0, rows).filter(isMatch);
          const job = newJob(found, { conditions, wanted: Number.POSITIVE_INFINITY });
          const scans = Array.from({ length: threads }, () => new Scan(job, open, unlimited));
          for (const scan of scans) scan.countChunks();
          expect(scans[0]?.endCounting()).toBe(expected.length);
          expect(scans[0]?.collect(offset, 50)).toStrictEqual(expected.slice(offset, offset + 50));
        },
      ),
      { numRuns: 25 },
    );
  });

  it("counts and collects only the rows of some texts", () => {
    const text = fc.nat(texts - 1);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(text, text), { maxLength: 40 }),
        fc.integer({ min: 0, max: values }),
        (ranges, end) => {
          const [bits, conditions] = [newBits(texts), [{ column: "one", bits: below(end) }]];
          for (const [first, last] of ranges) addRange(bits, first, last + 1);
          const all = [...Array(texts).keys()].filter((one) => hasBit(bits, one));
          const expected = all
            .flatMap((one) =>
              readSpans(Int32Array.of(textStarts[one] ?? 0, textStarts[one + 1] ?? 0), 0, rows),
            )
            .filter((row) => (contents.one?.[row] ?? 0) < end);
          const work = { texts: { column: "starts", bits }, conditions, wanted: Number.POSITIVE_INFINITY };
          const scan = new Scan(newJob(Int32Array.of(0, rows), work), open, unlimited);
          scan.countChunks();
          expect(scan.endCounting()).toBe(expected.length);
          expect(scan.collect(100, 50)).toStrictEqual(expected.slice(100, 150));
        },
      ),
      { numRuns: 25 },
    );
  });

  it("deals every chunk to one thread only, while both count", () => {
    const job = newJob(Int32Array.of(0, rows), {
      conditions: [{ column: "one", bits: below(50) }],
      wanted: Number.POSITIVE_INFINITY,
    });
    const helper = new Scan(job, open, unlimited);
    let calls = 0;
    const scan = new Scan(job, open, () => {
      if (++calls === 2) helper.countChunks(); // takes all chunks but the first
    });
    scan.countChunks();
    expect(scan.endCounting()).toBe(
      readSpans(Int32Array.of(0, rows), 0, rows).filter((row) => (contents.one?.[row] ?? 0) < 50).length,
    );
    expect(calls).toBe(2);
  });

  it("ends when enough matches are known", () => {
    const job = newJob(Int32Array.of(0, rows), {
      conditions: [{ column: "one", bits: below(values) }],
      wanted: maxBlock + 1,
    });
    const scan = new Scan(job, open, unlimited);
    scan.countChunks();
    expect(scan.endCounting()).toBe(2 * maxBlock);
    expect(scan.collect(maxBlock - 1, 3)).toStrictEqual([maxBlock - 1, maxBlock, maxBlock + 1]);
  });

  it("fails if another thread failed, and makes the others stop", () => {
    const job = newJob(Int32Array.of(0, rows), {
      conditions: [{ column: "one", bits: below(50) }],
      wanted: Number.POSITIVE_INFINITY,
    });
    const damaged = new Scan(
      job,
      () =>
        ({
          seek: () => {
            throw new Error("damaged");
          },
        }) as never,
      unlimited,
    );
    expect(() => damaged.countChunks()).toThrow("damaged");
    let calls = 0;
    const scan = new Scan(job, open, () => {
      calls += 1;
    });
    scan.countChunks();
    expect(calls).toBe(1); // it finds no chunk to count
    expect(() => scan.endCounting()).toThrow("a thread failed");
  });

  it("is given up while it waits for another thread", () => {
    const job = newJob(Int32Array.of(0, rows), {
      conditions: [{ column: "one", bits: below(50) }],
      wanted: Number.POSITIVE_INFINITY,
    });
    Atomics.add(job.progress, 0, 1); // another thread has taken the first chunk, and does not count it
    let calls = 0;
    const scan = new Scan(job, open, () => {
      if (++calls > 5) throw new Error("given up");
    });
    scan.countChunks();
    expect(() => scan.endCounting()).toThrow("given up");
    failJob(job);
    expect(() => scan.endCounting()).toThrow("a thread failed");
  });
});

describe("cutSpans", () => {
  it("keeps the rows, in spans that are not longer than wanted", () => {
    fc.assert(
      fc.property(spans, fc.integer({ min: 1_000, max: maxBlock }), (found, length) => {
        const cut = cutSpans(found, length);
        expect(countSpans(cut)).toBe(countSpans(found));
        expect(readSpans(cut, 0, rows)).toStrictEqual(readSpans(found, 0, rows));
        for (let span = 0; span < cut.length; span += 2)
          expect((cut[span + 1] ?? 0) - (cut[span] ?? 0)).toSatisfy(
            (taken: number) => taken > 0 && taken <= length,
          );
      }),
      { numRuns: 25 },
    );
  });
});
