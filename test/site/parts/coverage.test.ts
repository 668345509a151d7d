// Tests the sentence about grants whose state is not known.
import { describe, expect, it } from "vitest";
import { describeCoverage } from "../../../site/src/parts/coverage.tsx";

const of = (records: number, amount: number) => ({
  known: { records: 5, amount: 5 },
  unknown: { records, amount },
});

describe("the grants whose state is not known", () => {
  it("are counted, for each state that is filtered by", () => {
    expect(describeCoverage({ coverage: { recipient_state: of(1234, 5_600_000) } })).toBe(
      "1,234 more grants ($5.6 million) have no known recipient’s state and are not counted.",
    );
    expect(describeCoverage({ coverage: { funder_state: of(1, 50), recipient_state: of(0, 0) } })).toBe(
      "1 more grant ($50) has no known funder’s state and is not counted. The recipient’s state of all these grants is known.",
    );
  });

  it("are not mentioned without a filter by state", () => {
    expect(describeCoverage({})).toBe("");
  });
});
