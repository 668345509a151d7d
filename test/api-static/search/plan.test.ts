// Tests that the plan of a search reads the fewest rows.
import { describe, expect, it } from "vitest";
import { type Known, maxGathered, maxRead, planSearch } from "../../../api-static/search/plan.ts";

const all: Known = {
  ...{ rows: 20_000_000, all: 20_000_000, isByRank: true, isWalk: false, isRead: false },
  ...{ isFiltered: true, found: [] },
};
const year: Known = { ...all, rows: 1_500_000 };
const ofFunder: Known = { ...all, isByRank: false, rows: 40_000 };

/** Found texts, each with ten records. */
const found = (records: number, lists = records / 10) =>
  ({ field: "purpose", records, lists, isCounted: true }) as const;

/** Types, whose records are in no lists. */
const types = {
  field: "type",
  records: 20_000_000,
  lists: Number.POSITIVE_INFINITY,
  isCounted: false,
} as const;

/** A state of this many records, whose bytes are scanned. */
const state = (records: number) =>
  ({ field: "recipient_state", records, lists: Number.POSITIVE_INFINITY, isCounted: true }) as const;

const funders = { field: "funder", records: 300, lists: 3, isCounted: true } as const;

describe("planSearch", () => {
  it.each<[string, Known, object]>([
    ["a window without a filter on text", { ...all, isFiltered: false }, { way: "window" }],
    ["an empty window", { ...ofFunder, isFiltered: false, rows: 0 }, { way: "window" }],
    ["the records of few rows", { ...ofFunder, rows: maxRead, isRead: true }, { way: "read" }],
    ["no record without rows", { ...year, rows: 0, isRead: true }, { way: "read" }],
    ["nothing without texts", { ...all, found: [found(0), found(9_000_000)] }, { way: "none", total: 0 }],
    ["a scan of a funder's records for a text", { ...ofFunder, found: [found(5)] }, { way: "scan" }],
    ["the records of a rare text", { ...all, found: [found(500)] }, { way: "gather", by: 0 }],
    [
      "a scan for a frequent text, whose total is known",
      { ...all, found: [found(5_000_000)] },
      { way: "scan", total: 5_000_000 },
    ],
    [
      "a scan of a year for a text that is more frequent",
      { ...year, found: [found(5_000_000)] },
      { way: "scan" },
    ],
    [
      "the records of a text that is rarer than the year",
      { ...year, found: [found(5_000)] },
      { way: "gather", by: 0 },
    ],
    [
      "a scan of a year for a text in so many texts that reading their records takes longer",
      { ...year, found: [found(5_000, 5_000)] },
      { way: "scan" },
    ],
    [
      "a count of the records of the rarer of two texts",
      { ...all, found: [found(5_000_000), found(9_000_000)] },
      { way: "count", by: 0 },
    ],
    [
      "the records of the rarer of two texts, if it is rare",
      { ...all, found: [found(5_000), found(9_000_000)] },
      { way: "gather", by: 0 },
    ],
    [
      "a scan of a year for two texts, each with more records than can be gathered",
      { ...year, found: [found(maxGathered + 1), found(15_000_000)] },
      { way: "scan" },
    ],
    ["a scan that counts for a type", { ...all, found: [types] }, { way: "scan" }],
    ["a scan for a frequent text and a type", { ...all, found: [found(5_000_000), types] }, { way: "scan" }],
    [
      "the records of a rare text for a type",
      { ...all, found: [found(500), types] },
      { way: "gather", by: 0 },
    ],
    [
      "the records of funders, if they are fewer than those of a text",
      { ...all, found: [found(100_000), { ...funders, records: 300_000 }] },
      { way: "gather", by: 1 },
    ],
    [
      "a scan for funders with many records",
      { ...all, found: [{ ...funders, records: 300_000 }, types] },
      { way: "scan" },
    ],
    [
      "a scan for a state, whose total is known",
      { ...all, found: [state(500_000)] },
      { way: "scan", total: 500_000 },
    ],
    ["a scan of a year for a state", { ...year, found: [state(500_000)] }, { way: "scan" }],
    ["a scan for two states", { ...all, found: [state(500_000), state(2_000_000)] }, { way: "scan" }],
    [
      "a count of the records of a text for a state",
      { ...all, found: [state(500_000), found(700_000)] },
      { way: "count", by: 1 },
    ],
    [
      "a count of the records of the rarer of two texts for a state",
      { ...all, found: [found(300_000), state(500_000), found(700_000)] },
      { way: "count", by: 0 },
    ],
    [
      "a scan for a state and a text in so many texts that visiting them takes longer",
      { ...all, found: [state(500_000), found(5_000_000, 1_000_000)] },
      { way: "scan" },
    ],
    [
      "the records of a text in few texts for a state",
      { ...all, found: [found(50_000, 100), state(500_000)] },
      { way: "gather", by: 0 },
    ],
    ["a scan for a state and a type", { ...all, found: [state(500_000), types] }, { way: "scan" }],
    [
      "the records of funders for a state",
      { ...all, found: [funders, state(500_000)] },
      { way: "gather", by: 0 },
    ],
    [
      "the records of few rows for a state",
      { ...year, rows: 9, isRead: true, found: [state(5)] },
      { way: "read" },
    ],
    ["nothing for a state without records", { ...all, found: [state(0)] }, { way: "none", total: 0 }],
    [
      "a scan for the next matches of a walk",
      { ...year, isWalk: true, found: [found(100_000)] },
      { way: "scan" },
    ],
    [
      "a scan for the first matches of a walk with two texts",
      { ...all, isWalk: true, found: [found(5_000_000), found(9_000_000)] },
      { way: "scan" },
    ],
    [
      "the records of a rare text for a walk",
      { ...year, isWalk: true, found: [found(500)] },
      { way: "gather", by: 0 },
    ],
  ])("takes %s", (_, known, plan) => {
    expect(planSearch(known, 0, 100)).toEqual(plan);
  });

  it("reads nothing for a page after the last match, if the total is known", () => {
    const known = { ...all, found: [found(5_000_000)] };
    expect(planSearch(known, 4_999_999, 100)).toMatchObject({ way: "scan", total: 5_000_000 });
    expect(planSearch(known, 5_000_000, 100)).toEqual({ way: "none", total: 5_000_000 });
    expect(planSearch({ ...known, rows: 19_000_000 }, 5_000_000, 100)).toMatchObject({ way: "scan" });
  });

  it.each([
    [0, "scan"],
    [maxGathered / 2, "gather"],
  ])("gathers a text's records if the page at offset %i would take a longer scan", (offset, way) => {
    expect(planSearch({ ...all, found: [found(maxGathered)] }, offset, 100).way).toBe(way);
    expect(planSearch({ ...all, found: [found(maxGathered + 1)] }, offset, 100).way).toBe("scan");
  });
});
