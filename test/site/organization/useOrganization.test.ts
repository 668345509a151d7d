// Tests which name an organization's page shows where no list has it.
import { describe, expect, it } from "vitest";
import { nameWithoutList } from "../../../site/src/organization/useOrganization.ts";

describe("a name that no list has", () => {
  const summary = (recipient_name: string | null) =>
    ({ found: { body: { data: { recipient_name } } }, failure: undefined }) as unknown as Parameters<
      typeof nameWithoutList
    >[2];
  const awaited = { found: undefined, failure: undefined };

  it("is the one of a recipient's grants", () => {
    expect(nameWithoutList("recipient", false, summary("USC"))).toBe("USC");
    expect(nameWithoutList("recipient", true, awaited)).toBeUndefined();
  });

  it("is missing if the grants have none either, so that the page is drawn without it", () => {
    expect(nameWithoutList("recipient", true, summary(null))).toBeNull();
    expect(nameWithoutList("recipient", false, summary(null))).toBeUndefined();
  });

  it("is missing for a funder, whose summary has no name", () => {
    expect(nameWithoutList("funder", true, awaited)).toBeNull();
    expect(nameWithoutList("funder", false, awaited)).toBeUndefined();
  });
});
