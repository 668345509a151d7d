// Tests the pages that people get where the API answers with an error: at unknown addresses, and before the first release.
import { beforeAll, describe, expect, it } from "vitest";
import { readSite, type SiteFile } from "../../../../api-static/release/siteFiles.ts";
import { builtSite } from "../../../pipeline/release.fixture.ts";
import { createTestApp, useRelease } from "../release.fixture.ts";

const served = useRelease({ sampleRows: 0 });
const browser = { Accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

describe("an address without a page", () => {
  it("is a page of the site for a browser, and the API's error for other clients", async () => {
    for (const path of ["/nothing", "/funder/", "/docs/x?utm_source=y"]) {
      const page = await served().ask(path, browser);
      expect([page.status, page.headers.get("Content-Type")], path).toEqual([
        404,
        "text/html; charset=utf-8",
      ]);
      expect(await page.text()).toContain("<h1>There is no page at this address</h1>");
      expect(page.headers.get("Content-Security-Policy")).toContain("default-src 'none'");
      expect(page.headers.get("Cache-Control")).toBe("private, max-age=60");
      expect(page.headers.get("Vary")).toContain("Accept");
      const error = await served().ask(path);
      expect([error.status, error.headers.get("Vary")], path).toEqual([404, null]);
      expect(await error.json()).toMatchObject({ code: "not_found" });
    }
  });

  it("is the API's error for a browser too, if the path is the API's", async () => {
    for (const path of ["/v1/nothing", "/v1/names/eins/x.json", "/assets/nothing-12345678.js"]) {
      const error = await served().ask(path, browser);
      expect(error.status, path).toBe(404);
      expect(await error.json()).toMatchObject({ code: "not_found" });
    }
  });
});

describe("before the first release", () => {
  let site: Map<string, SiteFile>;
  beforeAll(async () => {
    site = await readSite(builtSite);
  });
  const ask = (path: string) => createTestApp(undefined, undefined, { earlySite: site }).request(path);

  it("every page is the site's, with the status of the API's error", async () => {
    for (const path of ["/", "/?purpose=food", "/funder?ein=131635294", "/status", "/docs"]) {
      const page = await ask(path);
      expect([page.status, page.headers.get("Retry-After")], path).toEqual([503, "5"]);
      expect(page.headers.get("Cache-Control")).toBe("no-store");
      expect(await page.text()).toContain('<header class="masthead">');
    }
  });

  it("the assets of the pages are there, byte for byte", async () => {
    const [font = ""] = [...site.keys()].filter((path) => path.endsWith(".woff2"));
    const answer = await ask(font);
    expect(answer.status).toBe(200);
    expect(Buffer.from(await answer.arrayBuffer()).equals(site.get(font)?.body ?? Buffer.alloc(0))).toBe(
      true,
    );
  });

  it("the API and unknown paths answer not_ready", async () => {
    for (const path of ["/v1/status", "/v1/history", "/nothing"])
      expect(await (await ask(path)).json(), path).toMatchObject({ code: "not_ready" });
  });
});
