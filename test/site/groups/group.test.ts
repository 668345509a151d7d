// Tests the headings of groups, and the addresses that lead from groups to their grants.
import { describe, expect, it } from "vitest";
import { describeGroups, grantsHref, groupsHref } from "../../../site/src/groups/group.ts";

const sum = { records: 3, amount: 100 };

describe("the heading of groups", () => {
  it("has their number and the search", () => {
    expect(describeGroups("funder", 412, { by: "funder", purpose: "music", min_year: "2018" })).toBe(
      "412 funders of grants for “music” since 2018",
    );
    expect(describeGroups("type", 1, { min_amount: "10000", max_amount: "50000" })).toBe(
      "1 type of grants of $10,000 to $50,000",
    );
    expect(describeGroups("recipient", undefined, {})).toBe("Recipients of all grants");
    expect(describeGroups("recipient_state", 52, { purpose: "music" })).toBe(
      "52 recipient states of grants for “music”",
    );
  });
});

describe("the address of groups", () => {
  it("has the filters of a search, not its page and order", () => {
    const query = { by: "year", purpose: "music", sort: "amount", limit: "5", offset: "100" };
    expect(groupsHref("recipient", query)).toBe("/groups?by=recipient&purpose=music");
  });
});

describe("the address of a group's grants", () => {
  const query = { by: "funder", purpose: "music", min_year: "2018", sort: "records", offset: "100" };

  it("limits the search to the group", () => {
    expect(grantsHref(query, { funder_ein: "131635294", ...sum })).toBe(
      "/?purpose=music&min_year=2018&funder_ein=131635294",
    );
    expect(grantsHref(query, { recipient_ein: "951642394", recipient_name: "USC", ...sum })).toBe(
      "/?purpose=music&min_year=2018&recipient_ein=951642394",
    );
    expect(grantsHref(query, { transaction_year: 2020, ...sum })).toBe(
      "/?purpose=music&transaction_year=2020",
    );
    expect(grantsHref({}, { type: "990-PF", ...sum })).toBe("/?type=990-PF");
    expect(grantsHref({ ...query, by: "recipient_state" }, { state: "CA", ...sum })).toBe(
      "/?purpose=music&min_year=2018&recipient_state=CA",
    );
  });

  it("finds a recipient without an EIN by its whole name", () => {
    const group = { recipient_ein: null, recipient_name: "A & B", ...sum };
    expect(grantsHref({ recipient_name: "b a", match: "words" }, group)).toBe("/?recipient_name=A+%26+B");
    expect(grantsHref({ purpose: "x y", match: "words" }, group)).toBe(
      "/?purpose=x+y&match=words&recipient_name=A+%26+B",
    );
    const long = grantsHref({}, { recipient_ein: null, recipient_name: "é".repeat(201), ...sum }) ?? "";
    expect(new URLSearchParams(long.slice(1)).get("recipient_name")).toBe("é".repeat(200));
  });

  it("is missing where no filter finds the grants", () => {
    expect(grantsHref(query, { type: null, ...sum })).toBeUndefined();
    expect(grantsHref({ by: "funder_state" }, { state: null, ...sum })).toBeUndefined();
  });
});
