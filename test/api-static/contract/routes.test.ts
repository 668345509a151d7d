// Tests routes: which template a path matches.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findRoute, routes } from "../../../api-static/contract/routes.ts";

describe("findRoute", () => {
  it.each([
    ["/v1/history", routes.history],
    ["/v1/funders/131635294/history", routes.funderHistory],
    ["/v1/funders/abc/history", routes.funderHistory],
    ["/v1/funders/131635294/history-100-0.json", routes.funderPage],
    ["/v1/history/all/100-0.json", routes.searchPage],
    ["/v1/history/purpose=caf%25C3%25A9&min_amount=1.00/1000-0.json", routes.searchPage],
    ["/v1/history/summary", routes.totals],
    ["/v1/history/all/summary.json", routes.totalsPage],
    ["/v1/funders/131635294/history/summary", routes.funderTotals],
    ["/v1/history/groups", routes.groups],
    ["/v1/history/groups.csv", routes.groupsExport],
    ["/v1/history.atom", routes.feed],
    ["/v1/funders/131635294/history.feed.json", routes.funderJsonFeed],
    ["/v1/funders/131635294/peers", routes.funderPeers],
    ["/v1/recipients/131635294/peers", routes.recipientPeers],
    ["/v1/recipients/131635294/history", routes.recipientHistory],
    ["/v1/recipients/131635294/history.csv", routes.recipientExport],
    ["/v1/recipients/shared", routes.sharedRecipients],
    ["/v1/grants/206158430208", routes.grant],
    ["/v1/organizations/131635294", routes.organization],
    ["/v1/names", routes.names],
    ["/v1/names/eins/1316.json", routes.namesByEin],
    ["/v1/downloads/grants.parquet", routes.download],
    ["/v1/changes/index.json", routes.changes],
    ["/v1/status", routes.status],
    ["/v1/report", routes.report],
    ["/healthz", routes.health],
    ["/readyz", routes.ready],
  ])("finds the route of %s", (path, route) => {
    expect(findRoute(path)).toBe(route);
  });

  it.each([
    "/",
    "/site.css",
    "/metrics",
    "/v1/history/",
    "/v1/funders//history",
    "/v1/funders/1/2/history",
    "/V1/history",
    "/v1/names/words/har.json",
  ])("finds no route for %s", (path) => {
    expect(findRoute(path)).toBeUndefined();
  });

  it("returns one of the templates or undefined for any path", () => {
    const known: unknown[] = [...Object.values(routes), undefined];
    fc.assert(
      fc.property(fc.string(), (text) => {
        for (const path of [text, `/v1/funders/${text}/history`]) expect(known).toContain(findRoute(path));
      }),
    );
  });
});
