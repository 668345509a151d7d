// Tests that the site's calls are operations of the API, and that their answers have the types of its schemas.
import { afterEach, describe, expect, expectTypeOf, it, vi } from "vitest";
import { parseTarget } from "../../../api-static/contract/request.ts";
import { openapi } from "../../../api-static/openapi/document.ts";
import { describePinned } from "../../../site/src/api/callForms.ts";
import * as calls from "../../../site/src/api/calls.ts";
import { ask, type FunderSummary, type Grant, type Status } from "../../../site/src/api/client.ts";

const { signal } = new AbortController();
const query = { purpose: "food" };

/** Every call, with the schema of the answer that its type stands for. */
const table = [
  [calls.searchCall(query), "HistoryPage"],
  [calls.funderHistoryCall("131635294", { limit: "1000" }), "HistoryPage"],
  [calls.totalsCall(query), "Totals"],
  [calls.funderTotalsCall("131635294", query), "Totals"],
  [calls.groupsCall({ by: "funder" }), "Groups"],
  [calls.funderSummaryCall("131635294"), "FunderSummary"],
  [calls.recipientHistoryCall("530196605", { matched: "include", limit: "2" }), "RecipientHistoryPage"],
  [calls.recipientSummaryCall("530196605"), "RecipientSummary"],
  [calls.funderPeersCall("131635294"), "FunderPeers"],
  [calls.recipientPeersCall("530196605"), "RecipientPeers"],
  [calls.organizationsCall({ name: "pasadena" }), "Organizations"],
  [calls.sharedRecipientsCall(["131635294"], { min_year: 2018, limit: 500 }), "SharedRecipients"],
  [calls.grantCall(7), "GrantWithSource"],
  [calls.namesCall(["131635294", "530196605"]), "OrganizationNames"],
  [calls.statusCall, "Status"],
] as const;

type DocumentedPaths = Record<string, { get: { responses: Record<string, DocumentedAnswer> } }>;
type DocumentedAnswer = { content: { "application/json": { schema: { $ref: string } } } };

function stubFetch(answer: () => Promise<Response>): string[] {
  const fetched: string[] = [];
  vi.stubGlobal("fetch", (path: string) => {
    fetched.push(path);
    return answer();
  });
  return fetched;
}

afterEach(() => vi.unstubAllGlobals());

describe("a call", () => {
  it.each(table)("$href asks for an operation that answers with its schema", async (call, schema) => {
    const paths = openapi.paths as unknown as DocumentedPaths;
    const route = parseTarget(new URL(call.href, "https://any.host").pathname, "").operation?.path ?? "";
    const answer = paths[route]?.get.responses[200]?.content["application/json"].schema.$ref;
    expect(answer).toBe(`#/components/schemas/${schema}`);
    const fetched = stubFetch(async () => Response.json({ success: true }));
    expect((await call.ask(signal)).isFound).toBe(true);
    expect((await call.ask(signal, "20261120T040000Z")).isFound).toBe(true);
    expect(fetched).toEqual([call.href, `/r/20261120T040000Z${call.href}`]);
  });

  it("covers every function of the module", () => {
    const names = Object.keys(calls).filter((name) => name.endsWith("Call"));
    expect(table.length).toBe(names.length);
  });
});

describe("ask", () => {
  it("gives the code, the problems and the wait of an error", async () => {
    const details = [{ parameter: "limit", code: "out_of_range", message: "limit must be …" }];
    const body = { success: false, error: "limit must be …", code: "rate_limited", details };
    const headers = { "Retry-After": "7", "X-Request-Id": "abc" };
    stubFetch(async () => Response.json(body, { status: 429, headers }));
    expect(await ask("/v1/history")).toEqual({
      isFound: false,
      failure: {
        code: "rate_limited",
        message: body.error,
        problems: details,
        retryAfter: 7,
        requestId: "abc",
      },
    });
  });

  it.each([
    ["a page of HTML", 200, "static_host"],
    ["a static host's 404", 404, "static_host"],
    ["a proxy's 502", 502, "internal"],
  ])("takes %s for a failure", async (_what, status, code) => {
    stubFetch(async () => new Response("<!doctype html>", { status }));
    expect(await ask("/v1/history")).toMatchObject({ isFound: false, failure: { code } });
  });

  it("reports a network that does not answer, and passes an abort on", async () => {
    stubFetch(() => Promise.reject(new TypeError("fetch failed")));
    for (const [onLine, code] of [
      [false, "offline"],
      [true, "unreachable"],
    ] as const) {
      vi.stubGlobal("navigator", { onLine });
      expect(await ask("/v1/history")).toMatchObject({ isFound: false, failure: { code } });
    }
    stubFetch(() => Promise.reject(new DOMException("stopped", "AbortError")));
    await expect(ask("/v1/history")).rejects.toThrow("stopped");
  });
});

describe("a pinned URL", () => {
  const status = {
    release: "20261120T040000Z",
    releases_kept: 3,
    sync_scheduled: true,
    next_sync: "2026-11-29T04:00:00Z",
  } as Status;

  it.each([
    ["20261120T040000Z", status, "until 3 newer releases exist, with nightly syncs Dec 1, 2026 or later:"],
    ["20261119T040000Z", status, "until 3 newer releases exist:"],
    ["20261120T040000Z", { ...status, sync_scheduled: false }, "until 3 newer releases exist:"],
    [
      "20261120T040000Z",
      { ...status, sync_scheduled: false, releases_kept: 1 },
      "until 1 newer release exists:",
    ],
    ["20261120T040000Z", undefined, "as long as this release is kept:"],
  ])("of %s works, by the status, %s %s", (release, known, until) => {
    expect(describePinned(release, known)).toBe(`Works ${until} save what you cite.`);
  });
});

// The types of answers follow the schemas, which `make check` checks.
expectTypeOf<Grant["recipient_ein"]>().toEqualTypeOf<string | null>();
expectTypeOf<Grant["amount"]>().toEqualTypeOf<number>();
expectTypeOf<Status["nulls"]["purpose"]>().toEqualTypeOf<number>();
expectTypeOf<Status["success"]>().toEqualTypeOf<true>();
expectTypeOf<FunderSummary["sizes"][number]["from"]>().toEqualTypeOf<number | null>();
expectTypeOf<FunderSummary["largest_grant"]>().toEqualTypeOf<Grant>();
