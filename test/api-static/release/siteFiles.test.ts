// Tests which files of a release's public part become the site, at which addresses, and in which form.
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { cleanPath } from "../../../api-static/contract/sitePaths.ts";
import { digestBody } from "../../../api-static/release/pageFileFormat.ts";
import { readSite } from "../../../api-static/release/siteFiles.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "site-"));
});
afterEach(() => rm(folder, { recursive: true }));

async function put(...names: string[]): Promise<void> {
  for (const name of names) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), `the content of ${name}`);
  }
}

describe("readSite", () => {
  it("gives pages their addresses, and other files their paths", async () => {
    await put("index.html", "funder.html", "icon.svg", "assets/start-f5vwgowI.js", "assets/deep/sans.woff2");
    expect([...(await readSite(folder))].map(([path, { type }]) => [path, type]).sort()).toEqual([
      ["/", "text/html; charset=utf-8"],
      ["/assets/deep/sans.woff2", "font/woff2"],
      ["/assets/start-f5vwgowI.js", "text/javascript; charset=utf-8"],
      ["/funder", "text/html; charset=utf-8"],
      ["/icon.svg", "image/svg+xml"],
    ]);
  });

  it("omits page files, the OpenAPI document, links, and types that are not listed", async () => {
    await put("v1/names/1234.json", "openapi.json", "start.js.map", "README", "secret.pem", "kept.json");
    await symlink(join(folder, "kept.json"), join(folder, "link.json"));
    await symlink("/etc", join(folder, "etc"));
    expect([...(await readSite(folder)).keys()]).toEqual(["/kept.json"]);
  });

  it("compresses all but fonts, and marks URLs that never have other content", async () => {
    await put("index.html", "assets/site-4f.css", "assets/sans-4f.woff2");
    const site = await readSite(folder);
    for (const [path, file] of site) {
      expect(file.digest).toBe(digestBody(file.body));
      expect(file.isImmutable, path).toBe(path.startsWith("/assets/"));
      if (path.endsWith(".woff2")) expect(file.gzipped).toBeNull();
      else expect(gunzipSync(file.gzipped ?? "").equals(file.body), path).toBe(true);
    }
    expect(site.size).toBe(3);
  });

  it("refuses more files than memory should hold", async () => {
    await put(...Array.from({ length: 500 }, (_, index) => `assets/${index}.txt`));
    expect((await readSite(folder)).size).toBe(500);
    await put("assets/more.txt");
    await expect(readSite(folder)).rejects.toThrow("more than 500 files");
  });
});

describe("cleanPath", () => {
  it.each([
    ["/funder.html", "/funder"],
    ["/index.html", "/"],
    ["/deep/index.html", "/deep/"],
    ["/funder", undefined],
    ["/", undefined],
    ["/icon.svg", undefined],
  ])("of %s is %s", (path, clean) => expect(cleanPath(path)).toBe(clean));
});
