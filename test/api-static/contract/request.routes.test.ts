// Tests which operation a path names.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseTarget, paths } from "../../../api-static/contract/request.ts";

const findPath = (path: string) => parseTarget(path, "").operation?.path;

describe("the operation of a path", () => {
  it.each([
    ["/v1/history", paths.searchGrants],
    ["/v1/funders/131635294/history", paths.listFunderGrants],
    ["/v1/funders/abc/history", paths.listFunderGrants],
    ["/v1/funders/131635294/history-100-0.json", paths.readFunderPage],
    ["/v1/history/all/100-0.json", paths.readSearchPage],
    ["/v1/history/purpose=caf%25C3%25A9&min_amount=1.00/1000-0.json", paths.readSearchPage],
    ["/v1/history/summary", paths.summarizeGrants],
    ["/v1/history/all/summary.json", paths.readSearchTotals],
    ["/v1/funders/131635294/history/summary", paths.summarizeFunderGrants],
    ["/v1/history/groups", paths.groupGrants],
    ["/v1/history/groups.csv", paths.exportGroups],
    ["/v1/history.atom", paths.followGrants],
    ["/v1/funders/131635294/history.feed.json", paths.followFunderJson],
    ["/v1/funders/131635294/peers", paths.listFunderPeers],
    ["/v1/recipients/131635294/peers", paths.listRecipientPeers],
    ["/v1/recipients/131635294/history", paths.listRecipientGrants],
    ["/v1/recipients/131635294/history.csv", paths.exportRecipientGrants],
    ["/v1/recipients/shared", paths.listSharedRecipients],
    ["/v1/grants/206158430208", paths.readGrant],
    ["/v1/organizations/131635294", paths.readOrganization],
    ["/v1/names", paths.listNames],
    ["/v1/names/eins/1316.json", paths.listNamesByEin],
    ["/v1/downloads/grants.parquet", paths.downloadFile],
    ["/v1/changes/index.json", paths.readChanges],
    ["/v1/status", paths.readStatus],
    ["/v1/report", paths.readReport],
    ["/healthz", paths.readHealth],
    ["/readyz", paths.readReadiness],
  ])("is found for %s", (path, expected) => {
    expect(findPath(path)).toBe(expected);
  });

  it.each([
    "/",
    "/site.css",
    "/metrics",
    "/v1/history/",
    "/v1/funders/1/2/history",
    "/V1/history",
    "/v1/names/words/har.json",
  ])("is not found for %s", (path) => {
    expect(findPath(path)).toBeUndefined();
  });

  it("returns one of the templates or undefined for any path", () => {
    const known: unknown[] = [...Object.values(paths), undefined];
    fc.assert(
      fc.property(fc.string(), (text) => {
        for (const path of [text, `/v1/funders/${text}/history`]) expect(known).toContain(findPath(path));
      }),
    );
  });
});
