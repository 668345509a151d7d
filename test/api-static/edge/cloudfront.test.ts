// Tests the CloudFront function: its language, and which requests it sends to the bucket.
import { describe, expect, it } from "vitest";
import { isInstalled } from "../../programs.ts";
import { loadFunction, runInNjs, type Viewed } from "./cloudfront.fixture.ts";

const isNjsInstalled = isInstalled("njs", "the CloudFront function in njs");
const ein = "131635294";
const gzip = "gzip, deflate, br";

/** Requests, and the path of the object that answers first; undefined if only the server answers. */
const cases: readonly (readonly [viewed: Viewed, object: string | undefined])[] = [
  ...(
    [
      [`/v1/funders/${ein}/history`, `/v1/funders/${ein}/history-100-0.json`],
      [`/v1/funders/${ein}/history?offset=100&limit=100`, `/v1/funders/${ein}/history-100-100.json`],
      ["/v1/history?transaction_year=2021", "/v1/history/transaction_year=2021/100-0.json"],
      ["/v1/history?purpose=Food%20Bank", "/v1/history/purpose=food%2Bbank/100-0.json"],
      ["/v1/history/summary?purpose=Food%20Bank", "/v1/history/purpose=food%2Bbank/summary.json"],
      ["/v1/history/all/summary.json", "/v1/history/all/summary.json"],
      [`/v1/funders/${ein}/history-100-0.json`, `/v1/funders/${ein}/history-100-0.json`],
      ["/v1/names/eins/1316.json", "/v1/names/eins/1316.json"],
      ["/", "/index.html"],
      [`/funder?ein=${ein}`, "/funder.html"],
      ["/assets/start-f5vwgowI.js", "/assets/start-f5vwgowI.js"],
      ["/openapi.json", "/openapi.json"],
      ["/v1/downloads/grants.csv.gz", "/v1/downloads/grants.csv.gz"],
      ["/v1/downloads/grants.csv.gz?a=1", undefined],
      ["/v1/history?limit=50", undefined],
      [`/v1/history?funder_ein=${ein}`, undefined],
      ["/v1/history?purpose=caf%C3%A9", undefined],
      ["/v1/history?limit=0", undefined],
      ["/v1/history/summary?min_year=2020", undefined],
      [`/v1/history?recipient_ein=${ein},530196605`, undefined],
      ["/v1/history/groups?by=year", undefined],
      ["/v1/history/groups.csv?by=year", undefined],
      ["/v1/status", undefined],
      ["/v1/organizations?name=harbor", undefined],
      ["/v1/reconcile", undefined],
      ["/v1/reconcile/suggest/entity?prefix=a", undefined],
      [`/v1/funders/${ein}/history.csv`, undefined],
      ["/v1/names/eins/1316.json?x=1", undefined],
      ["/r/20261120T040000Z/v1/history", undefined],
      ["/index.html", undefined],
      ["/..%2Fmanifest.json", undefined],
    ] as const
  ).map(([path, object]) => [{ method: "GET", path, acceptEncoding: gzip }, object] as const),
  [{ method: "HEAD", path: "/v1/history", acceptEncoding: gzip }, "/v1/history/all/100-0.json"],
  [{ method: "POST", path: "/v1/history", acceptEncoding: gzip }, undefined],
  [{ method: "GET", path: "/v1/history" }, undefined], // stored gzipped, and CloudFront does not decompress
  [{ method: "GET", path: "/v1/history", acceptEncoding: "gzip;q=0" }, undefined],
  [{ method: "GET", path: "/funder" }, "/funder.html"],
  [{ method: "GET", path: "/v1/downloads/grants.parquet" }, "/v1/downloads/grants.parquet"], // stored as it is
];

describe("the CloudFront function", () => {
  it("sends pages and the site to the bucket without a query, and everything else to the server unchanged", async () => {
    const view = await loadFunction();
    for (const [viewed, object] of cases) {
      const [uri = "", query] = viewed.path.split("?");
      expect(view(viewed), JSON.stringify(viewed)).toStrictEqual(
        object === undefined
          ? { origin: "server", uri, hasQuery: query !== undefined }
          : { origin: "pages", uri: object, hasQuery: false },
      );
    }
  });

  it.skipIf(!isNjsInstalled)(
    "does the same in njs, whose language is that of CloudFront's runtime",
    async () => {
      const view = await loadFunction();
      const viewed = cases.map(([one]) => one);
      expect(await runInNjs(viewed)).toStrictEqual(viewed.map(view));
    },
  );
});
