// Tests how equal rows of filings are found.
import { describe, expect, it } from "vitest";
import { markEqual } from "../../../site/src/parts/equalRows.ts";
import { grantsOf } from "../publish/grants.fixture.ts";

describe("a row with equals", () => {
  it("is marked by where they stand: in its filing, in another one, or both", () => {
    const grants = grantsOf([
      { recipient_name: "Twice" },
      { recipient_name: "Twice" },
      { recipient_name: "Refiled" },
      { recipient_name: "Refiled", created_at: "2016-11-15T04:00:00Z" },
      { recipient_name: "Both" },
      { recipient_name: "Both" },
      { recipient_name: "Both", created_at: "2016-11-15T04:00:00Z" },
      { recipient_name: "Other purpose" },
      { recipient_name: "Other purpose", purpose: "Books" },
    ]);
    expect([...markEqual(grants)]).toEqual([
      [1, "2 equal rows in this filing"],
      [2, "2 equal rows in this filing"],
      [3, "In another filing, too"],
      [4, "In another filing, too"],
      [5, "2 equal rows in this filing; in another, too"],
      [6, "2 equal rows in this filing; in another, too"],
      [7, "In another filing, too"],
    ]);
  });
});
