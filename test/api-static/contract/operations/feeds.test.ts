// Tests the texts of feeds: valid in both formats whatever names and purposes are, with the same entries.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Feed,
  type FeedEntry,
  feedHref,
  formatFeed,
} from "../../../../api-static/contract/operations/feeds.ts";
import { parseTarget } from "../../../../api-static/contract/request.ts";
import { readAtom, readJsonFeed } from "../../readFeed.ts";

const uuid = (digit: number) => `urn:uuid:00000000-0000-5000-8000-${String(digit).padStart(12, "0")}`;

const feedOf = (entries: readonly Partial<FeedEntry>[], title = "Grants"): Feed => ({
  ...{ id: uuid(0), title, url: "/v1/history.atom?purpose=%26&type=a", page: "/?purpose=%26&type=a" },
  madeAt: "2026-11-19T04:00:00Z",
  entries: entries.map((entry, index) => ({
    ...{ id: uuid(index), page: "/funder?ein=131635294", at: "2026-11-20T04:00:00Z" },
    ...{ funder: "FORD", recipient: "FOOD BANK", year: 2021, cents: 2_500_000n, nonCashCents: null },
    purpose: null,
    ...entry,
  })),
});

const readBoth = (feed: Feed) => {
  const { updated, ...atom } = readAtom(formatFeed(feed, "atom"));
  return { updated, atom, json: readJsonFeed(formatFeed(feed, "json")) };
};

describe("a feed", () => {
  it("has amounts, names, the year, non-cash support and the purpose", () => {
    const { atom } = readBoth(
      feedOf([
        { purpose: "MUSIC" },
        { cents: -50n, nonCashCents: 123_456_789n },
        { cents: 99_999_999_999_999_999_99n, purpose: "a" },
      ]),
    );
    expect(atom.entries.map(({ title, summary }) => [title, summary])).toEqual([
      ["$25,000 from FORD to FOOD BANK (2021)", "MUSIC"],
      [
        "-$0.50 from FORD to FOOD BANK (2021)",
        "With $1,234,567.89 of non-cash support. No purpose is given.",
      ],
      ["$99,999,999,999,999,999.99 from FORD to FOOD BANK (2021)", "a"],
    ]);
    expect([atom.url, atom.page]).toEqual(["/v1/history.atom?purpose=%26&type=a", "/?purpose=%26&type=a"]);
  });

  it("has the time of the release without entries", () => {
    const { updated, atom, json } = readBoth(feedOf([]));
    expect(updated).toBe("2026-11-19T04:00:00Z");
    expect(atom).toEqual(json);
  });

  it("has the same entries in both formats, whatever characters are in them", () => {
    const units = fc.oneof(
      fc.nat(0xffff).map((unit) => String.fromCharCode(unit)),
      fc.constantFrom(
        "]]>",
        "<script>",
        "&amp;",
        "\0",
        "\u0001",
        "\ud83d",
        "😀",
        "\r\n",
        "\t",
        '"',
        "\uffff",
      ),
    );
    const texts = fc.array(units, { maxLength: 12 }).map((all) => all.join(""));
    fc.assert(
      fc.property(texts, texts, texts, texts, (title, funder, recipient, purpose) => {
        const { atom, json } = readBoth(feedOf([{ funder, recipient, purpose }], title));
        expect(atom).toEqual(json);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: XML forbids them
        const shown = recipient.toWellFormed().replace(/[\0-\x08\v\f\x0E-\x1F\uFFFE\uFFFF]/g, "\uFFFD");
        expect(atom.entries[0]?.title).toContain(` to ${shown} (2021)`);
      }),
    );
  });
});

describe("the URL of a feed", () => {
  it.each([
    ["/v1/history.atom", ""],
    ["/v1/history.feed.json", "?recipient_ein=200000001&purpose=a+%26+b&match=words&min_amount=1.00"],
    ["/v1/funders/131635294/history.atom", "?min_year=2020&type=x"],
  ])("%s%s gives a request with this URL, but not below a pinned release", (path, query) => {
    const { request } = parseTarget(path, query);
    expect(request.kind === "feed" && feedHref(request)).toBe(path + query);
    expect(parseTarget(`/r/20261120T040000Z${path}`, query).request).toEqual({ kind: "unknown" });
  });

  it.each(["limit=1", "sort=amount", "funder_state=New", "purpose="])("does not accept %s", (query) => {
    const { request } = parseTarget("/v1/history.atom", `?${query}`);
    expect(request.kind === "refused" && request.problems.map(({ parameter }) => parameter)).toEqual([
      query.replace(/=.*/, ""),
    ]);
  });
});
