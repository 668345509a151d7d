// Tests how places are written.
import { describe, expect, it } from "vitest";
import { formatPlace } from "../../../site/src/text/places.ts";

describe("a place", () => {
  it("is the city and the state, as far as they are known", () => {
    expect(formatPlace({ city: "Pasadena", state: "CA" })).toBe("Pasadena, CA");
    expect(formatPlace({ city: null, state: "CA" })).toBe("CA");
    expect(formatPlace({ city: null, state: null })).toBeUndefined();
  });
});
