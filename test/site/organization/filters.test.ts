// Tests how the filters of a funder's grants are read and described.
import { describe, expect, it } from "vitest";
import { describeFilters, readForm } from "../../../site/src/organization/filters.ts";

describe("the filters' form", () => {
  const blank = { transaction_year: "", min_amount: "", purpose: "", recipient_name: "" };

  it("leaves blank fields out and reads amounts as people write them", () => {
    expect(readForm({ ...blank, min_amount: "$ 10,000", purpose: " food " })).toStrictEqual({
      purpose: "food",
      min_amount: "10000",
    });
    expect(readForm({ ...blank, min_amount: "10,50" })).toStrictEqual({ min_amount: "10,50" });
    expect(readForm(blank)).toStrictEqual({});
  });

  it("is described in words", () => {
    expect(describeFilters({ purpose: "Food", min_amount: "10000", transaction_year: "2016" })).toBe(
      "Year 2016, at least $10,000, purpose contains “Food”",
    );
    expect(describeFilters({ recipient_name: "USC" })).toBe("Recipient contains “USC”");
  });
});
