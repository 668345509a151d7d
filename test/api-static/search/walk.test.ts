// Tests that a walk finds every match once and in order, and continues when a later search is refused.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Refusal } from "../../../api-static/contract/errors.ts";
import type { Search } from "../../../api-static/search/search.ts";
import { type MatchList, walkMatches } from "../../../api-static/search/walk.ts";
import { clientOf } from "./client.fixture.ts";

/** Rows that match or not; the position of row 5 is 1005. */
function searchOf(matches: readonly boolean[], answer: () => void = () => undefined) {
  const asked: { limit: number; after: number }[] = [];
  const search: Pick<Search, "walk"> = {
    walk: async (_, limit, place) => {
      const after = Number(place);
      asked.push({ limit, after });
      answer();
      const rows = [...matches.keys()].filter((row) => matches[row] && row >= after).slice(0, limit);
      const next = rows.length < limit ? undefined : (rows.at(-1) ?? 0) + 1;
      return { positions: rows.map((row) => 1_000 + row), next };
    },
  };
  return { search, asked };
}

async function collect(lists: AsyncIterable<MatchList>): Promise<(readonly number[])[]> {
  const collected: (readonly number[])[] = [];
  for await (const { positions } of lists) collected.push(positions);
  return collected;
}

const thirty = Array.from({ length: 30 }, () => true);
const boundsOf = (maxLength: number) => ({ maxLength, pause: 0 });
const never = new AbortController().signal;

const refusals = [
  new Refusal({ code: "overloaded", message: "too many searches" }),
  new Refusal({ code: "timeout", message: "too slow" }),
];

describe("a walk", () => {
  it("finds every match once, in order, in lists within the maximum length, each by a search of its own", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.boolean(), { maxLength: 200 }),
        fc.integer({ min: 1, max: 20 }),
        async (matches, maxLength) => {
          const { search, asked } = searchOf(matches);
          const lists = await collect(await walkMatches(search, {}, clientOf(never), boundsOf(maxLength)));
          const expected = [...matches.keys()].filter((row) => matches[row]).map((row) => 1_000 + row);
          expect(lists.flat()).toStrictEqual(expected);
          for (const list of lists) {
            expect(list.length).toBeGreaterThan(0);
            expect(list.length).toBeLessThanOrEqual(maxLength);
          }
          expect(asked.length).toBe(Math.floor(expected.length / maxLength) + 1);
        },
      ),
    );
  });

  it("reads ahead nothing: a list is searched when it is wanted", async () => {
    const { search, asked } = searchOf(thirty);
    const lists = await walkMatches(search, {}, clientOf(never), boundsOf(10));
    await lists.next();
    expect(asked).toStrictEqual([{ limit: 10, after: 0 }]);
    await lists.next();
    expect(asked[1]).toStrictEqual({ limit: 10, after: 10 });
  });

  it("is refused if its first search is", async () => {
    for (const refusal of refusals) {
      const { search } = searchOf(thirty, () => {
        throw refusal;
      });
      await expect(walkMatches(search, {}, clientOf(never), boundsOf(10))).rejects.toBe(refusal);
    }
  });

  it("searches again when a later search is refused", async () => {
    let asks = 0;
    const { search } = searchOf(thirty, () => {
      asks += 1;
      const refusal = refusals[asks % 2];
      if (asks > 1 && asks <= 100 && refusal !== undefined) throw refusal;
    });
    const lists = await collect(await walkMatches(search, {}, clientOf(never), boundsOf(10)));
    expect(lists.flat()).toStrictEqual(thirty.map((_, row) => 1_000 + row));
    expect(asks).toBe(103);
  });

  it("stops when its client disconnects", async () => {
    const client = new AbortController();
    let asks = 0;
    const { search } = searchOf(thirty, () => {
      asks += 1;
      if (asks === 5) client.abort();
      if (asks > 1) throw refusals[0];
    });
    const lists = await walkMatches(search, {}, clientOf(client.signal), boundsOf(10));
    await expect(collect(lists)).rejects.toThrow("aborted");
    expect(asks).toBe(5);
  });

  it("fails at once when the index does", async () => {
    let asks = 0;
    const { search } = searchOf(thirty, () => {
      asks += 1;
      if (asks === 2) throw new Error("the index is damaged");
    });
    const walked = walkMatches(search, {}, clientOf(never), boundsOf(10)).then(collect);
    await expect(walked).rejects.toThrow("the index is damaged");
    expect(asks).toBe(2);
  });
});
