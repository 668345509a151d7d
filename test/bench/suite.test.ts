// Tests that the suite covers every filter, limit and offset, and that the API parses its requests as intended.
import { describe, expect, test } from "vitest";
import type { Ein } from "../../api-static/contract/ein.ts";
import type { Filters } from "../../api-static/contract/filters.ts";
import { href } from "../../api-static/contract/pageKeys.ts";
import { parseRequest } from "../../api-static/contract/request.ts";
import type { Picks, TextPicks } from "./picks.ts";
import { acrossWords, buildSuite, partOf } from "./suite.ts";

const ein = (digits: string) => digits as Ein;
const texts: TextPicks = {
  frequentText: "general support",
  rareText: 'for the smithville band; 50%_off "now"',
  frequentWord: "support",
  commonWord: "youth",
  uncommonWord: "astronomy",
  rareWord: "kesdeny",
  foreignWord: "québec",
};
const picks: Picks = {
  funders: { large: ein("131635294"), median: ein("200253310"), small: ein("010211513") },
  recipients: { large: ein("462353712"), median: ein("222222222"), small: ein("333333333") },
  years: { large: 2020, newest: 2024, oldest: 2010 },
  purposes: texts,
  names: { ...texts, frequentText: "the salvation army" },
  grant: {
    funderEin: ein("131635294"),
    recipientEin: ein("462353712"),
    transactionYear: 2019,
    minAmountCents: 500_000n,
    purpose: "general operating support",
    recipientName: "friends of the library",
  },
};
const suite = buildSuite(picks);

describe("the suite", () => {
  test("has at least 40 requests and no duplicate", () => {
    expect(suite.length).toBeGreaterThanOrEqual(40);
    expect(new Set(suite.map(({ request }) => href(request))).size).toBe(suite.length);
  });

  test("formats requests that the API parses back unchanged", () => {
    for (const { request } of suite) {
      const url = new URL(href(request), "http://localhost");
      expect(parseRequest(url.pathname, url.search)).toEqual(request);
    }
  });

  test("has each filter alone, many pairs, and all six together", () => {
    const combinations = suite.map(({ request }) => Object.keys(request.filters).sort().join("+"));
    for (const name of ["", ...Object.keys(filters)]) expect(combinations).toContain(name);
    expect(
      new Set(combinations.filter((names) => names.split("+").length === 2)).size,
    ).toBeGreaterThanOrEqual(10);
    expect(combinations).toContain(Object.keys(filters).sort().join("+"));
  });

  test("has limits of 1, 100 and 1000 at offsets 0, 1,000 and 1,000,000", () => {
    expect(new Set(suite.map(({ request }) => request.limit))).toEqual(new Set([1, 100, 1000]));
    const offsets = new Set(suite.map(({ request }) => request.offset));
    for (const offset of [0, 1_000, 1_000_000]) expect(offsets).toContain(offset);
  });
});

const filters: Record<keyof Filters, true> = {
  funderEin: true,
  recipientEin: true,
  transactionYear: true,
  purpose: true,
  recipientName: true,
  minAmountCents: true,
};

describe("texts that are not whole words", () => {
  test("a part of a word drops its first and last letter, surrogate pairs included", () => {
    expect(partOf("support")).toBe("uppor");
    expect(partOf("a😀b")).toBe("😀");
  });

  test("a text across words starts and ends inside words", () => {
    expect(acrossWords("general support")).toBe("eral supp");
    expect(acrossWords("education")).toBe("education");
  });
});
