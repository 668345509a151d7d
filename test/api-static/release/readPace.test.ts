// Tests when files are read at once, and when in the thread pool.
import { expect, it } from "vitest";
import { ReadPace } from "../../../api-static/release/readPace.ts";

/** A pace, and a function that asks it `count` times; reads at once take `milliseconds`. Returns how many were at once. */
function start() {
  let now = 0;
  const pace = new ReadPace(() => now);
  const read = (count: number, milliseconds: number) => {
    let atOnce = 0;
    for (let asked = 0; asked < count; asked++) {
      if (!pace.isQuick()) continue;
      atOnce += 1;
      pace.time(() => (now += milliseconds));
    }
    return atOnce;
  };
  return { pace, read };
}

it("reads at once as long as the page cache has most files", () => {
  const { read } = start();
  expect(read(1_000, 0.01)).toBe(1_000);
  for (let round = 0; round < 100; round++) expect(read(1, 0.12) + read(9, 0.01)).toBe(10);
});

it("reads in the thread pool after a few slow reads, except for occasional trials", () => {
  const { read } = start();
  expect(read(10, 0.12)).toBeLessThan(10);
  const trials = read(3_200, 0.12);
  expect(trials).toBeGreaterThan(50);
  expect(trials).toBeLessThan(150);
});

it("reads at once again when the page cache has the files", () => {
  const { read } = start();
  read(10_000, 5);
  read(1_000, 0.01);
  expect(read(1_000, 0.01)).toBe(1_000);
});

it("ignores a single interruption, however long", () => {
  const { read } = start();
  read(100, 0.01);
  read(1, 10_000);
  expect(read(1_000, 0.01)).toBe(1_000);
});

it("returns the result of a read, and passes on its error", () => {
  const { pace } = start();
  expect(pace.time(() => "bytes")).toBe("bytes");
  const read = () => {
    throw new Error("absent");
  };
  expect(() => pace.time(read)).toThrow("absent");
});
