// Tests how the address of a funder's page becomes calls.
import { describe, expect, it } from "vitest";
import {
  csvHref,
  describeFilters,
  funderHref,
  grantsCall,
  readForm,
  readFunderQuery,
} from "../../../site/src/funder/filters.ts";

describe("the address of a funder's page", () => {
  it("is read as EIN, filters and first row", () => {
    expect(readFunderQuery("?ein=20-0253310&transaction_year=2016&offset=100")).toMatchObject({
      ein: "200253310",
      filters: { transaction_year: "2016" },
      offset: 100,
      problems: [],
    });
  });

  it("keeps a wrong EIN apart from other problems", () => {
    const { ein, query, problems } = readFunderQuery("?ein=20-02533&min_amount=much&color=red");
    expect(ein).toBeUndefined();
    expect(query.ein).toBe("20-02533");
    expect(problems.map(({ parameter }) => parameter)).toStrictEqual(["min_amount", "color"]);
  });

  it("leads to the funder's pages, and once filtered to a search", () => {
    expect(grantsCall("200253310", {}, 0).href).toBe("/v1/funders/200253310/history");
    expect(grantsCall("200253310", {}, 100).href).toBe("/v1/funders/200253310/history?offset=100");
    expect(grantsCall("200253310", { purpose: "food" }, 0).href).toBe(
      "/v1/history?funder_ein=200253310&purpose=food",
    );
    expect(csvHref("200253310", { purpose: "food" })).toBe(
      "/v1/funders/200253310/history.csv?purpose=food&formulas=escape",
    );
    expect(funderHref("200253310", { purpose: undefined, transaction_year: "2016" })).toBe(
      "/funder?ein=200253310&transaction_year=2016",
    );
  });
});

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
