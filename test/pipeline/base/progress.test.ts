// Tests what people see of a sync's steps, on a terminal and in a log.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { formatCount, formatSeconds, type OnProgress, Progress } from "../../../pipeline/base/progress.ts";

/** An output that records its text. `running` is what a terminal shows: the text after the last erasure. */
function record(isTTY: boolean) {
  let text = "";
  return {
    isTTY,
    columns: 120,
    write(more: string): void {
      text += more;
    },
    get text(): string {
      return text;
    },
    get lines(): string[] {
      return text.split("\n").slice(0, -1).map(shown);
    },
    get running(): string {
      return shown(text.split("\n").at(-1) ?? "");
    },
  };
}

function shown(line: string): string {
  return line.split("\r\u001B[K").at(-1) ?? "";
}

/** Starts a step that runs until the test ends it. */
function start(progress: Progress, name: string, total: number, unit: string) {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let onProgress: OnProgress = () => {};
  const run = progress.run(name, total, unit, (given) => {
    onProgress = given;
    return promise;
  });
  return {
    report: (done: number) => onProgress(done),
    async end(): Promise<string> {
      resolve("made");
      return run;
    },
    async fail(): Promise<void> {
      reject(new Error("no"));
      await expect(run).rejects.toThrow("no");
    },
  };
}

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

const now = () => Date.now();

describe("on a terminal", () => {
  it("redraws one line with the units done, the rate and the time left, and keeps a line at the end", async () => {
    const output = record(true);
    const progress = new Progress(output, now);
    const step = start(progress, "cut pages", 4_000, "pages");
    vi.advanceTimersByTime(100);
    expect(output.running).toBe("cut pages      4,000 pages, 0.1 s so far");
    step.report(1_000);
    vi.advanceTimersByTime(900);
    expect(output.running).toBe("cut pages      1,000 of 4,000 pages, 1,000/s, 3.0 s left");
    step.report(4_500);
    vi.advanceTimersByTime(500);
    expect(output.running).toBe("cut pages      4,500 of 4,000 pages, 1.5 s so far");
    expect(output.text).not.toContain("\n");
    expect(await step.end()).toBe("made");
    expect(output.lines).toEqual(["cut pages      4,000 pages in 1.5 s"]);
    expect(output.running).toBe("");
    expect(progress.steps).toEqual([{ name: "cut pages", unit: "pages", total: 4_000, seconds: 1.5 }]);
  });

  it("shows steps that run in parallel side by side, in a line that does not wrap", async () => {
    const output = record(true);
    const progress = new Progress(output, now);
    const [pages, index] = [start(progress, "pages", 10, "pages"), start(progress, "index", 20, "grants")];
    pages.report(5);
    vi.advanceTimersByTime(1_000);
    expect(output.running).toBe(
      "pages          5 of 10 pages, 5/s, 1.0 s left | index          20 grants, 1.0 s so far",
    );
    await pages.end();
    expect(output.lines).toEqual(["pages          10 pages in 1.0 s"]);
    vi.advanceTimersByTime(1_000);
    expect(output.running).toBe("index          20 grants, 2.0 s so far");
    const more = [start(progress, "third", 1, "x".repeat(80)), start(progress, "fourth", 1, "y".repeat(80))];
    vi.advanceTimersByTime(100);
    expect(output.running.length).toBe(119);
    output.columns = 40; // the terminal was resized
    vi.advanceTimersByTime(100);
    expect(output.running.length).toBe(39);
    for (const step of [index, ...more]) await step.end();
    expect(progress.steps.map(({ name, seconds }) => [name, seconds])).toEqual([
      ["pages", 1],
      ...[
        ["index", 2.2],
        ["third", 0.2],
        ["fourth", 0.2],
      ],
    ]);
  });

  it("leaves no line of a step that fails", async () => {
    const output = record(true);
    const progress = new Progress(output, now);
    const step = start(progress, "cut pages", 10, "pages");
    vi.advanceTimersByTime(500);
    expect(output.running).not.toBe("");
    await step.fail();
    expect(output.running).toBe("");
    expect(output.lines).toEqual([]);
    expect(progress.steps).toEqual([]);
  });

  it("keeps a note above the running step", () => {
    const output = record(true);
    const progress = new Progress(output, now);
    start(progress, "cut pages", 10, "pages");
    vi.advanceTimersByTime(100);
    progress.note("warning: a column is not known");
    vi.advanceTimersByTime(100);
    expect(output.lines).toEqual(["warning: a column is not known"]);
    expect(output.running).toBe("cut pages      10 pages, 0.2 s so far");
  });
});

describe("elsewhere", () => {
  it("writes plain lines: at the end of a step, and every ten seconds during a long one", async () => {
    const output = record(false);
    const progress = new Progress(output, now);
    const step = start(progress, "write records", 1_000_000, "grants");
    vi.advanceTimersByTime(9_900);
    expect(output.text).toBe("");
    step.report(250_000);
    vi.advanceTimersByTime(100);
    await step.end();
    expect(output.text).toBe(
      "write records  250,000 of 1,000,000 grants, 25,000/s, 30.0 s left\nwrite records  1,000,000 grants in 10.0 s\n",
    );
  });

  it("writes nothing of a step that fails", async () => {
    const output = record(false);
    await start(new Progress(output, now), "cut pages", 10, "pages").fail();
    expect(output.text).toBe("");
  });

  it("stops its timer once no step runs", async () => {
    const output = record(false);
    const progress = new Progress(output, now);
    const [first, second] = [start(progress, "a", 1, "x"), start(progress, "b", 1, "x")];
    await first.end();
    expect(vi.getTimerCount()).toBe(1);
    await second.fail();
    expect(vi.getTimerCount()).toBe(0);
  });
});

it("writes counts in thousands and times in seconds or minutes", () => {
  expect([0, 999, 1_000, 1_234_567.6].map(formatCount)).toEqual(["0", "999", "1,000", "1,234,568"]);
  expect([0, 4.21, 59.9, 60, 192, 3_599.6].map(formatSeconds)).toEqual([
    ...["0.0 s", "4.2 s", "59.9 s", "1:00 min", "3:12 min", "60:00 min"],
  ]);
});
