// Tests which causes are found by their names.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { codeNames } from "../../../api-static/contract/text/causeCodes.ts";
import { causeNames } from "../../../api-static/contract/text/causes.ts";
import { findCause } from "../../../site/src/search/causes.ts";

describe("a cause", () => {
  it.each([
    ["music", "A68", "Music (A68)"],
    ["Music Schools", "A6E", "Performing Arts Schools (A6E)"],
    ["performing arts school", "A6E", "Performing Arts Schools (A6E)"],
    ["museum", "A50", "Museums (A50)"],
    ["food banks", "K31", "Food Banks & Pantries (K31)"],
    ["arts, culture and humanities", "A", "Arts, Culture & Humanities"],
    ["Education", "B", "Education"],
    ["religion", "X", "Religion-Related"],
  ])("is found by “%s”", (text, code, name) => {
    expect(findCause(text)).toStrictEqual({ code, name });
  });

  it("is found by its whole name alone", () => {
    for (const text of ["music for children", "the music", "unknown", "", "&"])
      expect(findCause(text), text).toBeUndefined();
  });

  it("is found by the name of every code, or a broader one of this name is", () => {
    const named = [...causeNames, ...codeNames].filter(([code]) => code !== "Z");
    fc.assert(
      fc.property(fc.constantFrom(...named), ([, name]) => {
        const { code = "" } = findCause(name.toUpperCase()) ?? {};
        const found = (causeNames.get(code) ?? codeNames.get(code) ?? "").toLowerCase();
        expect(found).toContain(name.toLowerCase());
      }),
    );
  });
});
