// Tests how the address of an organization's page becomes calls.
import { describe, expect, it } from "vitest";
import type { Query } from "../../../site/src/address/query.ts";
import {
  csvHref,
  grantsCall,
  organizationHref,
  readOrganization,
} from "../../../site/src/organization/side.ts";

describe("the address of an organization's page", () => {
  it("is read as EIN, filters and first row", () => {
    expect(readOrganization("funder", "?ein=20-0253310&transaction_year=2016&offset=100")).toMatchObject({
      ein: "200253310",
      filters: { transaction_year: "2016" },
      offset: 100,
      problems: [],
    });
  });

  it("keeps a wrong EIN apart from other problems", () => {
    const { ein, query, problems } = readOrganization("funder", "?ein=20-02533&min_amount=much&color=red");
    expect(ein).toBeUndefined();
    expect(query.ein).toBe("20-02533");
    expect(problems.map(({ parameter }) => parameter)).toStrictEqual(["min_amount"]);
  });

  it("has no filters by what the funder is on its own page", () => {
    const all = "type=A&funder_state=NY&funder_cause=T&accepts=yes&recipient_cause=A";
    const { filters } = readOrganization("funder", `?ein=200253310&${all}`);
    expect(filters).toStrictEqual({ type: "A", recipient_cause: "A" });
  });

  it("has no filters on a recipient's page", () => {
    const { filters, problems } = readOrganization("recipient", "?ein=951642394&transaction_year=2016&ref=x");
    expect({ filters, problems }).toStrictEqual({ filters: {}, problems: [] });
  });

  it("leads to the funder's pages, and once filtered to a search", () => {
    const select = (filters: Query, offset = 0) =>
      ({ side: "funder", ein: "200253310", filters, offset }) as const;
    expect(grantsCall(select({})).href).toBe("/v1/funders/200253310/history");
    expect(grantsCall(select({}, 100)).href).toBe("/v1/funders/200253310/history?offset=100");
    expect(grantsCall(select({ purpose: "food" })).href).toBe(
      "/v1/history?funder_ein=200253310&purpose=food",
    );
    expect(csvHref(select({ purpose: "food" }), { formulas: "escape" })).toBe(
      "/v1/funders/200253310/history.csv?purpose=food&formulas=escape",
    );
    expect(organizationHref("funder", "200253310", { purpose: undefined, transaction_year: "2016" })).toBe(
      "/funder?ein=200253310&transaction_year=2016",
    );
  });

  it("leads to a recipient's history if likely grants are asked for, whose CSV has columns for them", () => {
    const { filters, problems } = readOrganization("recipient", "?ein=951642394&matched=include");
    expect(problems).toStrictEqual([]);
    const selection = { side: "recipient", ein: "951642394", filters, offset: 1_000 } as const;
    expect(grantsCall(selection).href).toBe(
      "/v1/recipients/951642394/history?matched=include&limit=1000&offset=1000",
    );
    expect(csvHref(selection, { excel: "1" })).toBe(
      "/v1/recipients/951642394/history.csv?matched=include&excel=1",
    );
    const asFiled = readOrganization("recipient", "?ein=951642394&matched=exclude").filters;
    expect(grantsCall({ ...selection, filters: asFiled, offset: 0 }).href).toBe(
      "/v1/history?recipient_ein=951642394&limit=1000",
    );
    expect(readOrganization("recipient", "?ein=951642394&matched=all").problems).toHaveLength(1);
  });

  it("leads to a search for a recipient's grants", () => {
    const selection = { side: "recipient", ein: "951642394", filters: {}, offset: 1_000 } as const;
    expect(grantsCall(selection).href).toBe("/v1/history?recipient_ein=951642394&limit=1000&offset=1000");
    expect(csvHref(selection, { excel: "1", names: "1" })).toBe(
      "/v1/history.csv?recipient_ein=951642394&excel=1&names=1",
    );
  });
});
