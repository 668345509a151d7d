// Tests properties of requests: any URL parses, canonical URLs round-trip, and every spelling has the same canonical URL.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Ein, formatEin, parseEin } from "../../../api-static/contract/ein.ts";
import type { Filters } from "../../../api-static/contract/filters.ts";
import {
  einsMax,
  offsetByAmountMax,
  offsetMax,
  pageSizeMax,
  textLengthMax,
  urlLengthMax,
} from "../../../api-static/contract/limits.ts";
import type { HistoryRequest } from "../../../api-static/contract/operations/searches.ts";
import { href, totalsHref } from "../../../api-static/contract/operations/searches.ts";
import { parameterNames } from "../../../api-static/contract/parameters.ts";
import { parseRequest } from "../../../api-static/contract/request.ts";
import { canonicalText } from "../../../api-static/contract/text/text.ts";
import { ein, historyRequest, noise, totalsRequest } from "./arbitraries.ts";

/** Path and query of a URL's text. */
function split(url: string): [string, string] {
  const at = url.indexOf("?");
  return at < 0 ? [url, ""] : [url.slice(0, at), url.slice(at)];
}

const path = fc.oneof(
  noise,
  fc.constantFrom("/v1/history", "/v1/funders/131635294/history", "/v1/funders/13-1635294/history"),
  fc.constantFrom("/v1/history/summary", "/v1/funders/131635294/history/summary", "/v1/history/groups"),
  noise.map((segment) => `/v1/funders/${segment}/history`),
);
const value = fc.oneof(
  noise,
  fc.constantFrom("5", "131635294", "13-1635294", "2023", "-1", "1.50", "support"),
  fc.constantFrom("131635294,010211513", "131635294,13-1635294", "amount", "records", "year", "100001"),
);
const pair = fc
  .tuple(fc.oneof(fc.constantFrom(...parameterNames), noise), value)
  .map(([name, value]) => `${name}=${value}`);
const query = fc.oneof(
  noise,
  fc
    .array(fc.oneof({ weight: 4, arbitrary: pair }, fc.constant("by=funder")), { maxLength: 4 })
    .map((pairs) => pairs.join("&")),
  fc.array(noise, { maxLength: 60 }).map((names) => `?${names.join("&")}`),
);

describe("parseRequest", () => {
  it("accepts any path and query, and its requests are within every limit", () => {
    const kinds = new Set<string>();
    fc.assert(
      fc.property(path, query, (path, query) => {
        const parsed = parseRequest(path, query);
        kinds.add(parsed.kind);
        if (parsed.kind === "refused") {
          expect(parsed.problems.length).toBeGreaterThan(0);
          for (const { message } of parsed.problems) expect(message).not.toBe("");
        }
        if (parsed.kind === "history") checkBounds(parsed);
        if (parsed.kind === "totals" || parsed.kind === "groups") checkFilters(parsed.filters);
      }),
      { numRuns: 3000 },
    );
    expect([...kinds].toSorted()).toStrictEqual([
      ...["groups", "history", "redirect", "refused", "totals", "unknown"],
    ]);
  });

  it("parses a request's canonical URL to the same request", () => {
    fc.assert(
      fc.property(path, query, (path, query) => {
        const parsed = parseRequest(path, query);
        if (parsed.kind === "history") expect(parseRequest(...split(href(parsed)))).toStrictEqual(parsed);
        if (parsed.kind === "totals")
          expect(parseRequest(...split(totalsHref(parsed)))).toStrictEqual(parsed);
      }),
      { numRuns: 3000 },
    );
  });

  it("redirects to a path that it parses to the same request or problems", () => {
    fc.assert(
      fc.property(ein, query, (ein, query) => {
        const parsed = parseRequest(`/v1/funders/${ein.slice(0, 2)}-${ein.slice(2)}/history`, query);
        const path = `/v1/funders/${ein}/history`;
        const mark = query === "" || query.startsWith("?") ? "" : "?";
        expect(parsed).toStrictEqual({ kind: "redirect", location: path + mark + query });
        expect(parseRequest(path, mark + query)).toStrictEqual(parseRequest(path, query));
      }),
    );
  });
});

function checkBounds({ filters, sort, limit, offset }: HistoryRequest): void {
  expect(Number.isInteger(limit) && limit >= 1 && limit <= pageSizeMax).toBe(true);
  expect(Number.isInteger(offset) && offset >= 0 && offset <= offsetMax).toBe(true);
  if (sort === "amount") expect(offset).toBeLessThanOrEqual(offsetByAmountMax);
  checkFilters(filters);
}

function checkFilters(filters: Filters): void {
  for (const eins of [filters.funderEins, filters.recipientEins]) {
    if (eins === undefined) continue;
    expect(eins.length).toBeGreaterThan(1);
    expect(eins.length).toBeLessThanOrEqual(einsMax);
    expect(eins).toStrictEqual([...new Set(eins)].sort());
  }
  const { transactionYear, minYear, maxYear, minAmountCents, maxAmountCents } = filters;
  if (transactionYear !== undefined) expect([minYear, maxYear]).toStrictEqual([undefined, undefined]);
  if (minYear !== undefined && maxYear !== undefined) expect(minYear).toBeLessThanOrEqual(maxYear);
  if (minAmountCents !== undefined && maxAmountCents !== undefined)
    expect(minAmountCents <= maxAmountCents).toBe(true);
  for (const text of [filters.purpose, filters.recipientName, filters.type]) {
    if (text === undefined) continue;
    expect(text).toBe(canonicalText(text));
    expect([...text].length).toBeGreaterThan(0);
    expect([...text].length).toBeLessThanOrEqual(textLengthMax);
  }
}

describe("href", () => {
  it("is a URL that parses to the request, whatever its filters", () => {
    fc.assert(
      fc.property(historyRequest, (request) => {
        expect(parseRequest(...split(href(request)))).toStrictEqual(request);
      }),
      { numRuns: 1000 },
    );
    fc.assert(
      fc.property(totalsRequest, (request) => {
        expect(parseRequest(...split(totalsHref(request)))).toStrictEqual(request);
      }),
    );
  });

  it("is a normalized URL: parsing it as a URL does not change it", () => {
    fc.assert(
      fc.property(historyRequest, (request) => {
        const url = new URL(href(request), "http://127.0.0.1");
        expect(url.pathname + url.search).toBe(href(request));
      }),
    );
  });

  it("is within the length limit, even with three of the longest texts, or two and lists of EINs", () => {
    const text = "\u{10FFFD}".repeat(textLengthMax);
    const funderEin = parseEin("131635294") as Ein;
    const eins = Array.from({ length: einsMax }, (_none, index) => formatEin(index));
    const range = { minYear: 2020, maxYear: 2023, minAmountCents: -(10n ** 18n), maxAmountCents: 10n ** 18n };
    const texts = { purpose: text, recipientName: text };
    for (const filters of [
      { funderEin, recipientEin: funderEin, ...range, ...texts, type: text },
      { funderEins: eins, recipientEins: eins, ...range, ...texts },
    ]) {
      const window = { limit: pageSizeMax, offset: offsetMax };
      const longest: HistoryRequest = { kind: "history", scope: "search", filters, ...window };
      expect(parseRequest(...split(href(longest)))).toStrictEqual(longest);
      expect(href(longest).length).toBeLessThanOrEqual(urlLengthMax);
    }
  });

  it("is the same for every order and spelling of a request", () => {
    fc.assert(
      fc.property(spelled, ({ request, path, query }) => {
        const parsed = parseRequest(path, query);
        expect(parsed).toStrictEqual(request);
        expect(parsed.kind === "history" && href(parsed)).toBe(href(request));
      }),
      { numRuns: 1000 },
    );
  });
});

/** Text whose capitals and decomposed forms have the same canonical form. */
const plainText = fc
  .string({ unit: fc.constantFrom(..."abcxyz 019%_&=+#éüñçΐ가각日🌱"), minLength: 1, maxLength: 20 })
  .map(canonicalText)
  .filter((text) => text !== "");

/** A request and one of its URLs, in any order and spelling. */
const spelled = fc
  .tuple(historyRequest, plainText, plainText, plainText)
  .map(([request, purpose, recipientName, type]) => ({
    ...request,
    filters: {
      ...request.filters,
      ...(request.filters.purpose === undefined ? {} : { purpose }),
      ...(request.filters.recipientName === undefined ? {} : { recipientName }),
      ...(request.filters.type === undefined ? {} : { type }),
    },
  }))
  .chain((request) => {
    const [path, query] = split(href(request));
    const pairs = [...new URLSearchParams(query)];
    return fc
      .tuple(
        fc.shuffledSubarray(pairs, { minLength: pairs.length }),
        fc.array(fc.nat(5), { minLength: 15, maxLength: 15 }),
      )
      .map(([shuffled, styles]) => {
        const parts = shuffled.flatMap(([name, value], index) => spell(name, value, styles[index] ?? 0));
        return { request, path, query: parts.join("&") };
      });
  });

/** One way to write a parameter; it may be omitted if its value is the default. */
function spell(name: string, value: string, style: number): string[] {
  const form = new URLSearchParams([[name, respell(name, value, style)]]).toString();
  const isDefault = (name === "limit" && value === "100") || (name === "offset" && value === "0");
  if (isDefault && style === 1) return [];
  return [style % 2 === 0 ? form : form.replaceAll("+", "%20").replace(/[a-z](?=[^=]*$)/g, percent)];
}

function respell(name: string, value: string, style: number): string {
  if (name.endsWith("_ein") && style >= 3) {
    const eins = value.split(",").map((ein) => `${ein.slice(0, 2)}-${ein.slice(2)}`);
    return (style === 3 || eins.length === einsMax ? eins : [...eins, ...eins]).toReversed().join();
  }
  if (name.endsWith("_ein") || name.endsWith("_year") || name === "sort") return value;
  if (name === "limit" || name === "offset") return "0".repeat(style) + value;
  if (name.endsWith("_amount")) return style < 3 ? value : value.replace(/\.00$|0$/, "");
  if (name.endsWith("_state")) return style < 3 ? value : value.toLowerCase();
  const ways = [
    value,
    value.toUpperCase(),
    value.normalize("NFD"),
    ` ${value}\u3000`,
    value.toUpperCase().normalize("NFD"),
    value,
  ];
  return ways[style] ?? value;
}

/** A letter, percent-encoded unless it is part of an escape. */
function percent(letter: string, at: number, all: string): string {
  const inside = /%[0-9A-F]?$/.test(all.slice(0, at));
  return inside ? letter : `%${letter.charCodeAt(0).toString(16)}`;
}
