// Tests properties of requests: any URL parses, canonical URLs round-trip, and every spelling has the same canonical URL.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Ein, parseEin } from "../../../api-static/contract/ein.ts";
import { offsetMax, pageSizeMax, textLengthMax, urlLengthMax } from "../../../api-static/contract/limits.ts";
import { href } from "../../../api-static/contract/pageKeys.ts";
import { parameterNames } from "../../../api-static/contract/parameters.ts";
import { type HistoryRequest, parseRequest } from "../../../api-static/contract/request.ts";
import { canonicalText } from "../../../api-static/contract/text.ts";
import { ein, historyRequest, noise } from "./arbitraries.ts";

/** Path and query of a URL's text. */
function split(url: string): [string, string] {
  const at = url.indexOf("?");
  return [url.slice(0, at), url.slice(at)];
}

const path = fc.oneof(
  noise,
  fc.constantFrom("/v1/history", "/v1/funders/131635294/history", "/v1/funders/13-1635294/history"),
  noise.map((segment) => `/v1/funders/${segment}/history`),
);
const value = fc.oneof(
  noise,
  fc.constantFrom("5", "131635294", "13-1635294", "2023", "-1", "1.50", "support"),
);
const pair = fc
  .tuple(fc.oneof(fc.constantFrom(...parameterNames), noise), value)
  .map(([name, value]) => `${name}=${value}`);
const query = fc.oneof(
  noise,
  fc.array(pair, { maxLength: 4 }).map((pairs) => pairs.join("&")),
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
      }),
      { numRuns: 3000 },
    );
    expect([...kinds].toSorted()).toStrictEqual(["history", "redirect", "refused", "unknown"]);
  });

  it("parses a request's canonical URL to the same request", () => {
    fc.assert(
      fc.property(path, query, (path, query) => {
        const parsed = parseRequest(path, query);
        if (parsed.kind === "history") expect(parseRequest(...split(href(parsed)))).toStrictEqual(parsed);
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

function checkBounds({ filters, limit, offset }: HistoryRequest): void {
  expect(Number.isInteger(limit) && limit >= 1 && limit <= pageSizeMax).toBe(true);
  expect(Number.isInteger(offset) && offset >= 0 && offset <= offsetMax).toBe(true);
  for (const text of [filters.purpose, filters.recipientName]) {
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
  });

  it("is a normalized URL: parsing it as a URL does not change it", () => {
    fc.assert(
      fc.property(historyRequest, (request) => {
        const url = new URL(href(request), "http://127.0.0.1");
        expect(url.pathname + url.search).toBe(href(request));
      }),
    );
  });

  it("is within the length limit, even with the longest filters", () => {
    const text = "\u{10FFFD}".repeat(textLengthMax);
    const longest: HistoryRequest = {
      kind: "history",
      scope: "search",
      filters: {
        funderEin: parseEin("131635294") as Ein,
        recipientEin: parseEin("530196605") as Ein,
        transactionYear: 2023,
        purpose: text,
        recipientName: text,
        minAmountCents: -(10n ** 18n),
      },
      limit: pageSizeMax,
      offset: offsetMax,
    };
    expect(parseRequest(...split(href(longest)))).toStrictEqual(longest);
    expect(href(longest).length).toBeLessThanOrEqual(urlLengthMax);
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
  .tuple(historyRequest, plainText, plainText)
  .map(([request, purpose, recipientName]) => ({
    ...request,
    filters: {
      ...request.filters,
      ...(request.filters.purpose === undefined ? {} : { purpose }),
      ...(request.filters.recipientName === undefined ? {} : { recipientName }),
    },
  }))
  .chain((request) => {
    const [path, query] = split(href(request));
    const pairs = [...new URLSearchParams(query)];
    return fc
      .tuple(
        fc.shuffledSubarray(pairs, { minLength: pairs.length }),
        fc.array(fc.nat(5), { minLength: 8, maxLength: 8 }),
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
  if (name.endsWith("_ein")) return style < 3 ? value : `${value.slice(0, 2)}-${value.slice(2)}`;
  if (name === "limit" || name === "offset") return "0".repeat(style) + value;
  if (name === "min_amount") return style < 3 ? value : value.replace(/\.00$|0$/, "");
  if (name === "transaction_year") return value;
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
