// Tests the pages that answer where the API answers with an error: at addresses without a page, and before the first release.
import { beforeAll, describe, expect, it } from "vitest";
import { readSite, type SiteFile } from "../../../../api-static/release/siteFiles.ts";
import { builtSite } from "../../../pipeline/release.fixture.ts";
import { siteTable } from "../../requestTable.ts";
import { createTestApp, useRelease } from "../release.fixture.ts";

const served = useRelease({ sampleRows: 0 });
const missing = siteTable([]).filter(({ status, code }) => status === 404 && code === undefined);

describe("an address without a page", () => {
  it("is answered with the missing page, whatever type the client accepts", async () => {
    expect(missing.length).toBeGreaterThan(5);
    for (const { path } of missing) {
      const page = await served().ask(path, { Accept: "application/json" });
      expect([page.status, page.headers.get("Content-Type")], path).toEqual([
        404,
        "text/html; charset=utf-8",
      ]);
      expect(await page.text()).toContain("<h1>There is no page at this address</h1>");
      expect(page.headers.get("Content-Security-Policy")).toContain("default-src 'none'");
      expect(page.headers.get("Cache-Control")).toBe("public, max-age=60");
      expect([page.headers.get("Vary"), page.headers.get("ETag")]).toEqual(["Accept-Encoding", null]);
    }
  });

  it("is the API's error if the path is the API's or malformed", async () => {
    for (const path of ["/v1", "/v1/nothing", "/V2/history", "/r/x", "/assets/nothing-12345678.js", "/%FF"]) {
      const error = await served().ask(path, { Accept: "text/html" });
      expect(error.status, path).toBe(404);
      expect(await error.json(), path).toMatchObject({ code: "not_found" });
    }
  });
});

describe("before the first release", () => {
  let site: Map<string, SiteFile>;
  beforeAll(async () => {
    site = await readSite(builtSite);
  });
  const ask = (path: string, earlySite: Map<string, SiteFile> = site) =>
    createTestApp(undefined, undefined, { earlySite }).request(path);

  it("every page is the site's, with the status of the API's error", async () => {
    for (const path of ["/", "/?purpose=food", "/funder?ein=131635294", "/status", "/docs"]) {
      const page = await ask(path);
      expect([page.status, page.headers.get("Retry-After")], path).toEqual([503, "5"]);
      expect(page.headers.get("Cache-Control")).toBe("no-store");
      expect(await page.text()).toContain('<header class="masthead">');
    }
  });

  it("addresses without a page are that page, and names of files lead to their pages", async () => {
    for (const { path } of missing) {
      const page = await ask(path);
      expect(page.status, path).toBe(404);
      expect(await page.text()).toContain("<h1>There is no page at this address</h1>");
    }
    const redirect = await ask("/funder.html?ein=131635294");
    expect([redirect.status, redirect.headers.get("Location")]).toEqual([308, "/funder?ein=131635294"]);
  });

  it("the assets of the pages are there, byte for byte", async () => {
    const [font = ""] = [...site.keys()].filter((path) => path.endsWith(".woff2"));
    const answer = await ask(font);
    expect(answer.status).toBe(200);
    expect(Buffer.from(await answer.arrayBuffer()).equals(site.get(font)?.body ?? Buffer.alloc(0))).toBe(
      true,
    );
  });

  it("the API answers not_ready, and so does every path if the site is not built", async () => {
    for (const path of ["/v1/status", "/v1/history", "/v1/nothing", "/%FF"])
      expect(await (await ask(path)).json(), path).toMatchObject({ code: "not_ready" });
    for (const path of ["/", "/nothing"])
      expect(await (await ask(path, new Map())).json(), path).toMatchObject({ code: "not_ready" });
  });
});
