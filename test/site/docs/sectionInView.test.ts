// Tests which section of the guide is in view.
import { describe, expect, it } from "vitest";
import { findInView } from "../../../site/src/docs/sectionInView.ts";

describe("the section in view", () => {
  it("is the last one that starts above the line, and the first at the top of the page", () => {
    expect(findInView([300, 900, 1500], 120, false, 900)).toBe(0);
    expect(findInView([-600, 120, 700], 120, false, 900)).toBe(1);
    expect(findInView([-600, 121, 700], 120, false, 900)).toBe(0);
  });

  it("is one in the upper half of the window at the end of the page", () => {
    expect(findInView([-900, 80, 400, 700], 120, true, 900)).toBe(2);
  });
});
