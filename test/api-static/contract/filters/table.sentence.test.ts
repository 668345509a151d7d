// Tests the words for a search's filters.
import { describe, expect, it } from "vitest";
import { describeFilters, describeGrouped } from "../../../../api-static/contract/filters/table.ts";
import { filterSamples } from "../../filterSamples.ts";

describe("the words for a search", () => {
  it.each(filterSamples)("name the value of %s", (_, first, second) => {
    const texts = ["", describeFilters(first), describeFilters(second)];
    expect(new Set(texts).size, texts.join("|")).toBe(3);
  });

  it("name every filter of a search at once, apart from years in place of a year", () => {
    const all = Object.assign({}, ...filterSamples.map(([, first]) => first), { matched: "include" });
    expect(describeFilters(all, { funder: "FORD" })).toBe(
      " of $10,000 to $50,000 for “food bank” of type “Schedule I” from FORD from funders in New York from organizations for “Philanthropy, Voluntarism & Grantmaking Foundations” from funders that take applications to EIN 53-0196605 to recipients named “food bank” to recipients in Austin, California in ZIP code 787, organizations for “Arts, Culture & Humanities (A68)” in 2020, with likely ones",
    );
    expect(describeFilters({ matched: "only" })).toBe(", only likely ones");
  });

  it("keep what is no amount as it is, and say that nothing is filtered", () => {
    expect(describeFilters({ min_amount: "a lot", max_amount: "-0.5" })).toBe(" of a lot to −$0.50");
    expect(describeGrouped("Funder states", {})).toBe("Funder states of all grants");
  });
});
