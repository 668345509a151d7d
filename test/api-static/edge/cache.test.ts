// Tests which responses the Worker caches, with a cache in memory.
import { describe, expect, it } from "vitest";
import { throughCache } from "../../../api-static/edge/cloudflare/cache.ts";
import type { Host } from "../../../api-static/edge/cloudflare/runtime.ts";

/** A host with nothing but a cache, and the responses that it keeps. */
function openCache() {
  const kept = new Map<string, Response>();
  const cache = {
    match: async (url: string) => kept.get(url)?.clone(),
    put: async (url: string, response: Response) => void kept.set(url, response),
  };
  return { kept, host: { cache, waitUntil: () => {} } as unknown as Host };
}

const origin = "https://grants.example.org";

describe("a response in the cache", () => {
  it.each([
    ["/v1/funders/131635294/history?limit=100&offset=0", "funder-131635294"],
    ["/v1/funders/131635294/summary", "summaries"],
    ["/v1/history?purpose=%2Fv1%2Fnames%2F&limit=100&offset=0", "searches"],
    ["/openapi.json", "site"],
    ["/r/20261120T040000Z/v1/history?limit=100&offset=0", null],
  ])("has the tag of its URL, %s, which clients do not get", async (url, tag) => {
    for (const status of [200, 404]) {
      const { kept, host } = openCache();
      const make = async () =>
        new Response("{}\n", { status, headers: { ETag: '"0"', "Cache-Control": "public, max-age=60" } });
      for (const _ of ["made", "cached"]) {
        const sent = await throughCache(url, new Request(`${origin}/other`), host, make);
        expect([sent.status, sent.headers.get("Cache-Tag")]).toEqual([status, null]);
        expect(kept.get(origin + url)?.headers.get("Cache-Tag")).toBe(tag);
      }
    }
  });
});
