// Tests how size bands are shown, and which one is usual.
import { describe, expect, it } from "vitest";
import { describeNoUsual, findUsualBand, shownBands } from "../../../site/src/text/sizes.ts";

const band = (from: number | null, below: number | null, records: number) => ({
  from,
  below,
  records,
  amount: records,
});

describe("size bands", () => {
  it("show negative amounts only where there are some", () => {
    expect(
      shownBands([
        band(null, 0, 0),
        band(0, 1_000, 202),
        band(1_000, 10_000, 777),
        band(10_000, null, 744),
      ]).map(({ text }) => text),
    ).toStrictEqual(["Under $1,000", "$1,000 to $9,999", "$10,000 and up"]);
    expect(shownBands([band(null, 0, 1), band(0, 1_000, 1)]).map(({ text }) => text)).toStrictEqual([
      "Under $0",
      "$0 to $999",
    ]);
  });

  it("have a usual one unless two are equal or the grants are few", () => {
    expect(findUsualBand([band(0, 1_000, 2), band(1_000, null, 1)])).toStrictEqual({
      text: "Under $1,000",
      share: 2 / 3,
    });
    expect(findUsualBand([band(0, 1_000, 2), band(1_000, null, 2)])).toBeUndefined();
    expect(findUsualBand([band(0, 1_000, 2)])).toBeUndefined();
  });

  it("explain why no size is usual", () => {
    expect(describeNoUsual([band(0, 1_000, 0)])).toBe("No grants");
    expect(describeNoUsual([band(0, 1_000, 2)])).toBe("Too few grants");
    expect(describeNoUsual([band(0, 1_000, 2), band(1_000, null, 2)])).toBe("Two sizes are equally common");
  });
});
