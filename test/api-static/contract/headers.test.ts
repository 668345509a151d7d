// Tests the headers: caching, validators, encodings and links, each by its own rule.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Ein } from "../../../api-static/contract/ein.ts";
import { type ErrorCode, statuses } from "../../../api-static/contract/errors.ts";
import * as headers from "../../../api-static/contract/headers.ts";
import type { HistoryRequest } from "../../../api-static/contract/operations/searches.ts";
import { secondsToSyncEnd } from "../../../api-static/contract/schedule.ts";

const digest = "0123456789abcdef0123456789abcdef";

describe("cacheUntilSync", () => {
  it.each([
    ["2026-11-20T00:00:00Z", 16_200],
    ["2026-11-20T04:29:59.001Z", 1],
    ["2026-11-20T04:30:00Z", 86_400],
    ["2026-11-20T04:30:00.001Z", 86_400],
    ["2026-11-20T23:59:59Z", 16_201],
    ["2024-02-28T12:00:00Z", 59_400],
  ])("keeps responses at %s for %d seconds in shared caches", (moment, seconds) => {
    expect(headers.cacheUntilSync(new Date(moment))).toBe(
      `public, max-age=300, s-maxage=${seconds}, stale-while-revalidate=3600, stale-if-error=86400`,
    );
    expect(secondsToSyncEnd(new Date(moment))).toBe(seconds);
  });
});

describe("cacheOfError", () => {
  it("lets caches keep errors that depend on the URL alone for a minute, and no failure or error that depends on the client", () => {
    const kept = (Object.keys(statuses) as ErrorCode[]).filter((code) => {
      const value = headers.cacheOfError(code);
      if (value !== "no-store") expect(value, code).toBe("public, max-age=60");
      return value !== "no-store";
    });
    expect(kept).toStrictEqual([
      "invalid_parameter",
      "funder_not_found",
      "recipient_not_found",
      "organization_not_found",
      "grant_not_found",
      "not_found",
      "uri_too_long",
    ]);
    for (const code of kept) expect(statuses[code], code).toBeLessThan(500);
  });
});

describe("formatEtag and matchesEtag", () => {
  it("agree, for both forms of the content, weak or strong, alone or in a list", () => {
    for (const isGzipped of [false, true]) {
      const etag = headers.formatEtag(digest, isGzipped);
      expect(etag).toMatch(/^"[\x21\x23-\x7e]+"$/);
      for (const sent of [etag, `W/${etag}`, `"x", ${etag}`, `${etag},"x"`, ` ${etag} `, "*", " * "])
        expect(headers.matchesEtag(sent, digest), sent).toBe(true);
    }
    expect(headers.formatEtag(digest, true)).not.toBe(headers.formatEtag(digest, false));
  });

  it("do not match different content, a bare digest, or an empty header", () => {
    const others = [
      undefined,
      "",
      '"x"',
      digest,
      `"${digest}x"`,
      `w/"${digest}"`,
      `"${digest}`,
      `"${digest}"x`,
      '"*"',
      "*, *",
    ];
    for (const sent of others) expect(headers.matchesEtag(sent, digest), sent).toBe(false);
  });

  it("tell other content from this one, which weak tags do not name", () => {
    const names = (sent: string | undefined) => headers.namesOtherContent(sent, digest);
    const same = [undefined, "", "*", `"${digest}"`, `"${digest}-gzip"`, `W/"x", "y","${digest}"`];
    for (const sent of same) expect(names(sent), sent).toBe(false);
    for (const sent of ['"x"', `W/"${digest}"`, digest, `"x", W/"${digest}"`])
      expect(names(sent), sent).toBe(true);
  });

  it("read any header, however long, without backtracking", () => {
    fc.assert(fc.property(fc.string(), (sent) => !headers.matchesEtag(sent.replaceAll("*", ""), digest)));
    // Backtracking would take longer than a test may.
    for (const sent of [`${" ".repeat(500_000)}"${" ".repeat(500_000)}`, '"'.repeat(500_000)])
      expect(headers.matchesEtag(sent, digest)).toBe(false);
  });
});

describe("acceptsGzip", () => {
  it.each([
    [undefined, false],
    ["", false],
    ["identity", false],
    ["gzip", true],
    ["GZip", true],
    ["x-gzip", true],
    ["br, gzip;q=0.001", true],
    ["gzip;q=0", false],
    ["gzip ; q=0.000", false],
    ["gzip;q=0.", false],
    ["gzip;q=0.001", true],
    ["gzip;xq=0", true],
    ["gzip;level=9;q=0", false],
    ["x-gzip;q=0", false],
    ["gzip;q=0, x-gzip", false],
    ["br;q=0, *", true],
    ["*", true],
    ["*;q=0", false],
    ["gzip, *;q=0", true],
    ["*, gzip;q=0", false],
    ["gzip;q=0.5, identity;q=0.8", false],
    ["identity;q=0.5, gzip;q=0.8", true],
    ["gzip;q=0.5, identity;q=0.5", true],
    ["gzip;q=1.0,deflate;q=0.6,identity;q=0.3", true],
    ["gzip;q=0.5, *;q=0.8", false],
    ["gzip;q=0.5, *;q=0.8, identity;q=0.1", true],
    ["gzip;q=0.5", true],
    ["*;q=0.1", true],
    ["identity;q=0", false],
    ["*;q=0.2, identity;q=0.9", false],
    ["gzipped", false],
    ["not-gzip", false],
  ])("of %j is %j", (sent, accepts) => {
    expect(headers.acceptsGzip(sent)).toBe(accepts);
  });
});

describe("formatLinks", () => {
  const request: HistoryRequest = {
    kind: "history",
    scope: "search",
    filters: { purpose: 'a,b>;"c' },
    limit: 10,
    offset: 0,
  };

  it("never lets a filter's text end a target", () => {
    const { Link: link = "" } = headers.formatLinks(request, { total: 5, limit: 10, offset: 0 });
    expect(link).toBe(
      '</v1/history?purpose=a%2Cb%3E%3B%22c&limit=10&offset=0>; rel="first", ' +
        '</v1/history?purpose=a%2Cb%3E%3B%22c&limit=10&offset=0>; rel="last"',
    );
  });

  it("has no next page if the page ends with the last record", () => {
    const page = { total: 20, limit: 10, offset: 10 };
    const { Link: link = "" } = headers.formatLinks({ ...request, ...page }, page);
    expect([...link.matchAll(/rel="(\w+)"/g)].map(([, name]) => name)).toStrictEqual([
      "first",
      "prev",
      "last",
    ]);
  });

  it("leads to no page by amount past the maximum offset", () => {
    const byAmount: HistoryRequest = { ...request, sort: "amount" };
    const linksAt = (offset: number) => {
      const page = { total: 20_000_000, limit: 1000, offset };
      const { Link: link = "" } = headers.formatLinks({ ...byAmount, ...page }, page);
      return [...link.matchAll(/sort=amount&limit=1000&offset=(\d+)>; rel="(\w+)"/g)].map(
        ([, at, relation]) => `${relation} ${at}`,
      );
    };
    expect(linksAt(99_000)).toStrictEqual(["first 0", "prev 98000", "next 100000", "last 100000"]);
    expect(linksAt(100_000)).toStrictEqual(["first 0", "prev 99000", "last 100000"]);
    expect(linksAt(99_001)).toStrictEqual(["first 0", "prev 98001", "last 100000"]);
  });

  it("is omitted beyond 4,096 bytes, with the prefix of a pinned release", () => {
    const page = { total: 1_000, limit: 10, offset: 500 };
    const linkOf = (filters: HistoryRequest["filters"], prefix?: string) =>
      headers.formatLinks({ ...request, ...page, filters }, page, prefix);
    const long = "😀".repeat(200);
    expect(linkOf({ purpose: long, recipientName: long, type: long })).toStrictEqual({});
    const length = linkOf({ purpose: "" }).Link?.length ?? 0;
    const purpose = "a".repeat((4_096 - length) / 4); // in each of the four targets
    expect(linkOf({ purpose }).Link?.length).toBeGreaterThan(4_092);
    expect(linkOf({ purpose: `${purpose}a` })).toStrictEqual({});
    expect(linkOf({ purpose }, "/r/20261120T040000Z")).toStrictEqual({});
  });

  it("starts every target with the prefix of a pinned release", () => {
    const page = { total: 25, limit: 10, offset: 10 };
    const { Link: link = "" } = headers.formatLinks(
      { ...request, ...page, filters: {} },
      page,
      "/r/20261120T040000Z",
    );
    expect(link).toBe(
      ["first 0", "prev 0", "next 20", "last 20"]
        .map((text) => text.split(" "))
        .map(([name, at]) => `</r/20261120T040000Z/v1/history?limit=10&offset=${at}>; rel="${name}"`)
        .join(", "),
    );
  });

  it("has a next page exactly if records follow, and a prev page exactly if records come before", () => {
    const numbers = fc.tuple(fc.nat(3000), fc.integer({ min: 1, max: 1000 }), fc.nat(4000));
    fc.assert(
      fc.property(numbers, ([total, limit, offset]) => {
        const filters = { funderEin: "131635294" as Ein };
        const page = { total, limit, offset };
        const { Link: link = "" } = headers.formatLinks(
          { ...request, scope: "funder", filters, ...page },
          page,
        );
        const at = (relation: string) =>
          [...link.matchAll(/offset=(\d+)>; rel="(\w+)"/g)].find(([, , name]) => name === relation)?.[1];
        expect(at("first")).toBe("0");
        expect(at("next")).toBe(offset + limit < total ? String(offset + limit) : undefined);
        expect(at("prev") === undefined).toBe(offset === 0);
        const last = Number(at("last"));
        expect(last % limit).toBe(0);
        expect(last < total || last === 0).toBe(true);
        expect(last + limit).toBeGreaterThanOrEqual(total);
        if (offset > 0) expect(Number(at("prev"))).toBeLessThan(offset);
        if (offset > total && total > 0)
          expect(at("prev")).toBe(String(Math.max(0, Math.min(offset - limit, last))));
      }),
    );
  });
});
