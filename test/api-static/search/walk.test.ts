// Tests that a walk finds every match once and in order, and continues when a later search is refused.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Refusal } from "../../../api-static/contract/errors.ts";
import type { SearchTurn, Span } from "../../../api-static/search/turn.ts";
import { type WalkedSearch, walkMatches } from "../../../api-static/search/walk.ts";

type Window = { readonly span: Span; readonly limit: number };

/** A projection whose rows match or not; the position of row 5 is 1005. */
function searchOf(matches: readonly boolean[], first: number, answer: () => void = () => undefined) {
  const windows: Window[] = [];
  const turn: Pick<SearchTurn, "findSpan" | "findWithin"> = {
    findSpan: async () => ({ from: first, to: first + matches.length }),
    findWithin: async (_, span, limit) => {
      windows.push({ span, limit });
      answer();
      const rows = [...matches.keys()]
        .filter((row) => matches[row])
        .map((row) => first + row)
        .filter((row) => row >= span.from && row < span.to)
        .slice(0, limit);
      return { rows, positions: rows.map((row) => 1_000 + row) };
    },
  };
  const turns: Promise<unknown>[] = [];
  const search: WalkedSearch = {
    takeTurn(work) {
      const ended = work(turn);
      turns.push(ended);
      return ended;
    },
  };
  return { search, windows, turns };
}

async function collect(lists: AsyncIterable<readonly number[]>): Promise<(readonly number[])[]> {
  const collected: (readonly number[])[] = [];
  for await (const list of lists) collected.push(list);
  return collected;
}

const boundsOf = (maxLength: number) => ({ maxLength, pause: 0 });
const never = new AbortController().signal;

const overloaded = () => new Refusal({ code: "overloaded", message: "too many searches" });
const timeout = () => new Refusal({ code: "timeout", message: "too slow" });

describe("a walk", () => {
  it("finds every match once, in order, in lists within the maximum length", async () => {
    const rows = fc.oneof(
      fc.array(fc.boolean(), { maxLength: 200 }),
      fc.array(
        fc.integer({ min: 0, max: 30 }).map((draw) => draw === 0),
        { maxLength: 400 },
      ),
      fc.nat({ max: 100 }).map((length) => Array.from({ length }, () => true)),
    );
    await fc.assert(
      fc.asyncProperty(
        rows,
        fc.nat({ max: 50 }),
        fc.integer({ min: 1, max: 20 }),
        async (matches, first, maxLength) => {
          const { search, windows } = searchOf(matches, first);
          const lists = await collect(await walkMatches(search, {}, never, boundsOf(maxLength)));
          const expected = [...matches.keys()]
            .filter((row) => matches[row])
            .map((row) => 1_000 + first + row);
          expect(lists.flat()).toStrictEqual(expected);
          for (const list of lists) expect(list.length).toBeLessThanOrEqual(maxLength);
          for (const { limit } of windows) expect(limit).toBe(maxLength);
        },
      ),
    );
  });

  it("needs few searches if matches are rare, because each window is twice as wide as the last one", async () => {
    const { search, windows } = searchOf(
      Array.from({ length: 100_000 }, (_, row) => row === 99_999),
      0,
    );
    expect(await collect(await walkMatches(search, {}, never, boundsOf(10)))).toStrictEqual([[100_999]]);
    expect(windows.length).toBe(14);
  });

  it("finds the first list in one turn, so under one time limit, and each later list in a separate turn", async () => {
    const { search, windows, turns } = searchOf(
      Array.from({ length: 10_000 }, (_, row) => row >= 9_970),
      0,
    );
    const lists = await walkMatches(search, {}, never, boundsOf(10));
    await lists.next();
    expect([windows.length, turns.length]).toStrictEqual([10, 1]);
    expect((await collect(lists)).length).toBe(2);
    expect(turns.length).toBe(1 + windows.length - 10);
  });

  it("does not search for a list before the previous one is taken", async () => {
    const { search, windows } = searchOf(
      Array.from({ length: 100 }, () => true),
      0,
    );
    const lists = await walkMatches(search, {}, never, boundsOf(10));
    expect(windows.length).toBe(1);
    await lists.next();
    expect(windows.length).toBe(1);
    await lists.next();
    expect(windows.length).toBe(2);
  });

  it.each([overloaded, timeout])("is refused before its first list for any reason: %s", async (refusal) => {
    const { search, windows } = searchOf([true], 0, () => {
      throw refusal();
    });
    await expect(walkMatches(search, {}, never)).rejects.toThrow(refusal().message);
    expect(windows.length).toBe(1);
  });

  it("searches a window again if it was refused because of other searches", async () => {
    let asks = 0;
    const { search, windows } = searchOf(
      Array.from({ length: 30 }, () => true),
      0,
      () => {
        asks += 1;
        if (asks > 1 && asks <= 100) throw overloaded();
      },
    );
    const lists = await collect(await walkMatches(search, {}, never, boundsOf(10)));
    expect(lists.flat()).toStrictEqual(Array.from({ length: 30 }, (_, row) => 1_000 + row));
    expect(new Set(windows.slice(1, 101).map(({ span }) => span.to - span.from))).toStrictEqual(
      new Set([20]),
    );
  });

  it("halves a window that took too long, until it is one row, and widens it again", async () => {
    const { search, windows } = searchOf(
      Array.from({ length: 200 }, (_, row) => row % 10 === 0),
      0,
      () => {
        const { from, to } = windows.at(-1)?.span ?? { from: 0, to: 0 };
        const limit = from === 0 ? 100 : from < 60 ? 1 : 30;
        if (to - from > limit) throw timeout();
      },
    );
    const lists = await collect(await walkMatches(search, {}, never, boundsOf(50)));
    expect(lists.flat()).toStrictEqual(Array.from({ length: 20 }, (_, index) => 1_000 + 10 * index));
    const widths = windows.map(({ span }) => span.to - span.from);
    expect(widths.slice(0, 9)).toStrictEqual([50, 100, 50, 25, 12, 6, 3, 1, 2]);
    expect(Math.max(...widths.slice(-3))).toBeGreaterThan(1);
  });

  it("stops when its client disconnects", async () => {
    const client = new AbortController();
    let asks = 0;
    const { search } = searchOf(
      Array.from({ length: 30 }, () => true),
      0,
      () => {
        asks += 1;
        if (asks === 5) client.abort();
        if (asks > 1) throw timeout();
      },
    );
    const lists = await walkMatches(search, {}, client.signal, boundsOf(10));
    await expect(collect(lists)).rejects.toThrow("aborted");
    expect(asks).toBe(5);
  });

  it("fails at once when the index does", async () => {
    let asks = 0;
    const { search } = searchOf(
      Array.from({ length: 30 }, () => true),
      0,
      () => {
        asks += 1;
        if (asks === 2) throw new Error("the index is damaged");
      },
    );
    await expect(walkMatches(search, {}, never, boundsOf(10)).then(collect)).rejects.toThrow(
      "the index is damaged",
    );
    expect(asks).toBe(2);
  });
});
