// Tests that the plan of a search reads the fewest rows.
import { describe, expect, it } from "vitest";
import { isPageScanned, type Known, maxGathered, planSearch } from "../../../api-static/search/plan.ts";

const all: Known = {
  order: "rank",
  rows: 20_000_000,
  isExact: true,
  isWhole: true,
  isWalk: false,
  texts: [],
};
const year: Known = { ...all, rows: 1_500_000, isWhole: false };
const ofFunder: Known = { ...all, order: "position", rows: 40_000, isWhole: false };

/** Found texts, one run for every ten records. */
const found = (records: number, filter: "purpose" | "recipientName" = "purpose") => ({
  filter,
  records,
  runs: records / 10,
});

describe("planSearch", () => {
  it.each<[string, Known, object]>([
    ["a window of all records", all, { way: "window", order: "rank" }],
    ["a window of a year", year, { way: "window", order: "rank" }],
    ["a window of a funder's records", ofFunder, { way: "window", order: "position" }],
    [
      "a scan of a recipient's records for those of a funder",
      { ...ofFunder, order: "recipient", isExact: false },
      { way: "scan", order: "recipient" },
    ],
    ["nothing without rows", { ...year, rows: 0, texts: [found(7)] }, { way: "none", total: 0 }],
    [
      "nothing without texts",
      { ...all, texts: [found(0, "recipientName"), found(9_000_000)] },
      { way: "none", total: 0 },
    ],
    [
      "a scan of a funder's records for a text",
      { ...ofFunder, texts: [found(5)] },
      { way: "scan", order: "position" },
    ],
    ["the rows of a rare text", { ...all, texts: [found(500)] }, { way: "gather", order: "purpose" }],
    [
      "a scan for a frequent text, whose total is known",
      { ...all, texts: [found(5_000_000)] },
      { way: "scan", order: "rank", total: 5_000_000 },
    ],
    [
      "a scan of a year for a text that is more frequent",
      { ...year, texts: [found(5_000_000)] },
      { way: "scan", order: "rank" },
    ],
    [
      "the rows of a text that is rarer than the year",
      { ...year, texts: [found(5_000)] },
      { way: "gather", order: "purpose" },
    ],
    [
      "the rows of the rarer of two texts",
      { ...all, texts: [found(5_000_000, "recipientName"), found(9_000_000)] },
      { way: "gather", order: "recipientName" },
    ],
    [
      "a scan for two texts in many runs",
      { ...all, texts: [found(14_000_000), found(15_000_000, "recipientName")] },
      { way: "scan", order: "rank" },
    ],
    [
      "a scan of a year for two texts, each with more records than can be gathered",
      { ...year, texts: [found(maxGathered + 1), found(15_000_000, "recipientName")] },
      { way: "scan", order: "rank" },
    ],
    [
      "a scan of a year for a text in so many runs that reading them takes longer",
      { ...year, texts: [{ ...found(5_000), runs: 5_000 }] },
      { way: "scan", order: "rank" },
    ],
    [
      "a scan for the next matches of a walk",
      { ...year, isWalk: true, texts: [found(100_000)] },
      { way: "scan", order: "rank" },
    ],
    [
      "the rows of a rare text for a walk",
      { ...year, isWalk: true, texts: [found(500)] },
      { way: "gather", order: "purpose" },
    ],
  ])("takes %s", (_, known, plan) => {
    expect(planSearch(known, 0, 100)).toEqual(plan);
  });

  it("reads nothing for a page after the last match, if the total is known", () => {
    const known = { ...all, texts: [found(5_000_000)] };
    expect(planSearch(known, 4_999_999, 100)).toMatchObject({ way: "scan", total: 5_000_000 });
    expect(planSearch(known, 5_000_000, 100)).toEqual({ way: "none", total: 5_000_000 });
    expect(planSearch({ ...known, isWhole: false }, 5_000_000, 100)).toMatchObject({ way: "scan" });
  });

  it.each([
    [0, "scan"],
    [maxGathered / 2, "gather"],
  ])("gathers a text's rows if the page at offset %i would take a longer scan", (offset, way) => {
    expect(planSearch({ ...all, texts: [found(maxGathered)] }, offset, 100).way).toBe(way);
    expect(planSearch({ ...all, texts: [found(maxGathered + 1)] }, offset, 100).way).toBe("scan");
  });
});

describe("isPageScanned", () => {
  it.each([
    ["few matches", 500, 0, false],
    ["some matches, whose ranks are far apart", 5_000, 0, true],
    ["many matches", 60_000, 0, true],
    ["a page deep in them", 60_000, 40_000, false],
    ["a page after the last of them", 60_000, 90_000, false],
    ["more than can be sorted, wherever the page is", maxGathered + 1, 60_000, true],
    ["no match", 0, 0, false],
  ])("decides for %s", (_, matches, offset, isScanned) => {
    expect(isPageScanned(20_000_000, matches, offset, 100)).toBe(isScanned);
  });
});
