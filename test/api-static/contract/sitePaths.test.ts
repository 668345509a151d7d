// Tests which responses a CDN purges together.
import { describe, expect, it } from "vitest";
import { cacheTag } from "../../../api-static/contract/sitePaths.ts";

describe("the cache tag of a path", () => {
  it.each([
    ["funder-131635294", ["/v1/funders/131635294/history", "/v1/funders/131635294/history-100-0.json"]],
    ["funder-131635294", ["/v1/funders/131635294/history.csv", "/v1/funders/131635294/*"]],
    ["funder-131635294", ["/v1/funders/131635294/history/summary"]],
    ["searches", ["/v1/history/summary", "/v1/history/all/summary.json"]],
    ["searches", ["/v1/history/groups", "/v1/history/groups.csv"]],
    ["searches", ["/v1/history", "/v1/history.csv", "/v1/history/all/100-0.json", "/v1/history*"]],
    ["summaries", ["/v1/funders/131635294/summary", "/v1/funders/131635294/peers", "/v1/funders/*/summary"]],
    [
      "summaries",
      [
        "/v1/recipients/530196605/summary",
        "/v1/recipients/530196605/peers",
        "/v1/recipients/530196605/history",
        "/v1/recipients/530196605/history.csv",
        "/v1/recipients/shared",
        "/v1/recipients/*",
        "/v1/grants/7",
        "/v1/grants/*",
      ],
    ],
    ["names", ["/v1/names/eins/131.json", "/v1/names", "/v1/names*"]],
    ["organizations", ["/v1/organizations/131635294", "/v1/organizations"]],
    ["site", ["/", "/funder", "/funder.html", "/openapi.json", "/icon.svg", "/robots.txt"]],
  ])("is %s for %j", (tag, paths) => {
    for (const path of paths) expect(cacheTag(path), path).toBe(tag);
  });

  it("is undefined if no release changes the response, or caches keep it for seconds", () => {
    for (const path of [
      "/assets/start-f5vwgowI.js",
      "/r/20261120T040000Z/v1/funders/131635294/summary",
      "/v1/status",
      "/v1/report",
    ])
      expect(cacheTag(path), path).toBeUndefined();
  });
});
