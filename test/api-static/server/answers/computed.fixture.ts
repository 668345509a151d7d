// Checks what summaries and peers have in common: their headers, and which of them take a place in the queue.
import { gunzipSync } from "node:zlib";
import { expect, vi } from "vitest";
import { type Ein, formatEin } from "../../../../api-static/contract/ein.ts";
import type { AdmitSearch } from "../../../../api-static/search/answer.ts";
import type { Release } from "../../../../api-static/search/release.ts";
import type { Served } from "../release.fixture.ts";

/** Expects that the answers of these paths have the headers of a page, a 304 for their ETag, and gzip with the same body. */
export async function expectSentLikePages(served: Served, paths: readonly string[]): Promise<void> {
  const { ask, askText, release } = served;
  for (const path of paths) {
    const { headers } = await ask(path);
    expect(Object.fromEntries(headers)).toMatchObject({
      "cache-control":
        "public, max-age=300, s-maxage=19800, stale-while-revalidate=3600, stale-if-error=86400",
      "content-type": "application/json; charset=utf-8",
      vary: "Accept-Encoding",
      "x-release": release.facts.release,
    });
    expect(headers.get("ETag")).toMatch(/^"[0-9a-f]{32}"$/);
    expect((await ask(path, { "If-None-Match": String(headers.get("ETag")) })).status).toBe(304);
    const packed = await ask(path, { "Accept-Encoding": "gzip" });
    const bytes = await packed.bytes();
    const isGzipped = packed.headers.get("Content-Encoding") === "gzip";
    expect((isGzipped ? gunzipSync(bytes) : Buffer.from(bytes)).toString()).toBe(await askText(path));
  }
}

type Unknown = { readonly of: "funder" | "recipient"; readonly ein: Ein };

/** Expects that an unknown funder is found to be unknown without a search, and an unknown recipient by one. */
export async function expectNoSearchForFunder(
  release: Release,
  answer: (unknown: Unknown, admit: AdmitSearch) => Promise<unknown>,
): Promise<void> {
  const admit = vi.fn();
  const ein = formatEin(555_555_555);
  const turn = vi.spyOn(release.search, "query");
  try {
    expect(await answer({ of: "funder", ein }, admit)).toBeUndefined();
    expect([turn, admit].map(({ mock }) => mock.calls.length)).toStrictEqual([0, 0]);
    expect(await answer({ of: "recipient", ein }, admit)).toBeUndefined();
    expect([turn, admit].map(({ mock }) => mock.calls.length)).toStrictEqual([1, 1]);
  } finally {
    turn.mockRestore();
  }
}
