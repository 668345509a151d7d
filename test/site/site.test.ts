// Tests the built site on a server: addresses, links, policy, caching and size.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { recordFields } from "../../api-static/contract/answers/record.ts";
import { statuses } from "../../api-static/contract/errors.ts";
import { cacheForever, cacheOfError, contentSecurityPolicy } from "../../api-static/contract/headers.ts";
import { pageNames, pages } from "../../site/pages.ts";
import { makeGuide } from "../../site/plugins/guide.ts";
import { rules } from "../../site/src/docs/rules.ts";
import { useRelease } from "../api-static/server/release.fixture.ts";
import { builtSite } from "../pipeline/release.fixture.ts";

const served = useRelease({ sampleRows: 1_000 });
const ask = (path: string, headers?: Record<string, string>) => served().ask(path, headers);

/** The first group of every match. */
const all = (expression: RegExp, text: string) =>
  [...text.matchAll(expression)].map(([, group = ""]) => group);
const readPage = (name: (typeof pageNames)[number]) =>
  readFileSync(join(builtSite, pages[name].file), "utf8");
/** What a sync adds to the page of downloads. */
const described = /<script type="application\/ld\+json">[^<]*<\/script>\n/;
const assets = readdirSync(join(builtSite, "assets"));

describe.each(pageNames)("the page %s", (name) => {
  const html = readPage(name);
  const { path } = pages[name];

  it("is answered at its address, whatever the query", async () => {
    for (const query of ["", "?", "?offset=0", "?utm_source=mail", "?%FF"]) {
      const answer = await ask(path + query);
      const text = (await answer.text()).replace(described, "");
      expect([answer.status, text], query).toEqual([name === "missing" ? 404 : 200, html]);
      expect(answer.headers.get("Content-Type")).toBe("text/html; charset=utf-8");
      expect(answer.headers.get("Cache-Control")).toMatch(
        name === "missing" ? cacheOfError("not_found") : /^public, max-age=300, s-maxage=\d+, /,
      );
    }
  });

  it("redirects there from the name of its file, with the query", async () => {
    const answer = await ask(`/${pages[name].file}?ein=1`);
    expect([answer.status, answer.headers.get("Location")]).toEqual([308, `${path}?ein=1`]);
  });

  it("links and loads only URLs that answer 200, on its own host", async () => {
    const paths = all(/\s(?:href|src|action)="([^"]+)"/g, html).filter((target) => !target.startsWith("#"));
    expect(paths.filter((target) => target.startsWith("/assets/")).length).toBeGreaterThan(1);
    for (const target of new Set(paths)) {
      expect(target).toMatch(/^\/(?!\/)/);
      expect((await ask(target)).status, target).toBe(200);
    }
  });

  it("has the content security policy in its HTML and its headers, and nothing that the policy forbids", async () => {
    expect(html).toContain(`"Content-Security-Policy" content="${contentSecurityPolicy}"`);
    const { headers } = await ask(path);
    expect(headers.get("Content-Security-Policy")).toBe(`${contentSecurityPolicy}; frame-ancestors 'none'`);
    expect(headers.get("Referrer-Policy")).toBe("same-origin");
    expect(contentSecurityPolicy).not.toMatch(/unsafe|data:|https?:|\*/);
    expect(html).not.toMatch(/<script(?![^>]* src="\/)|<style|\s(?:style|on\w+)=|data:/);
  });

  it("stays within the budget, compressed: HTML 4 KB, or 21 for the guide, script 42, style 8", () => {
    const loaded = all(/\s(?:href|src)="\/(assets\/[^"]+)"/g, html);
    const size = (texts: readonly Buffer[]) =>
      texts.reduce((sum, text) => sum + gzipSync(text, { level: 9 }).length, 0) / 1024;
    const sizeOf = (ending: string) =>
      size(loaded.filter((file) => file.endsWith(ending)).map((file) => readFileSync(join(builtSite, file))));
    expect(size([Buffer.from(html)])).toBeLessThan(name === "docs" ? 21 : 4);
    expect(sizeOf(".js")).toBeLessThan(42);
    expect(sizeOf(".css")).toBeLessThan(8);
    expect([sizeOf(".js"), sizeOf(".css")].every((bytes) => bytes > 0)).toBe(true);
  });
});

describe("the API guide in the HTML", () => {
  const entities: Readonly<Record<string, string>> = { "&lt;": "<", "&quot;": '"', "&amp;": "&" };
  const text = readPage("docs")
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll(/&\w+;/g, (entity) => entities[entity] ?? entity);

  it("has without a script every operation with its example, every rule, error and field of a grant", () => {
    const { sections, mistake } = makeGuide();
    const operations = sections.flatMap((section) => section.operations);
    const named = [
      ...sections.flatMap(({ intro }) => intro.map((paragraph) => paragraph.replaceAll("`", ""))),
      ...operations.flatMap(({ path, request, answer }) => [path, request, answer]),
      ...operations.flatMap(({ parameters, fields }) => [...parameters, ...fields].map(({ name }) => name)),
      mistake.answer,
      ...rules.flatMap((rule) => rule.text.map((paragraph) => paragraph.replaceAll("`", ""))),
      ...Object.keys(statuses),
      ...recordFields,
    ];
    expect(operations.length).toBeGreaterThan(10);
    expect(named.filter((name) => !text.includes(name))).toStrictEqual([]);
  });

  it("links only to sections that it has", () => {
    const html = readPage("docs");
    const targets = all(/href="#([^"]+)"/g, html);
    expect(targets.filter((id) => !html.includes(` id="${id}"`))).toStrictEqual([]);
  });
});

describe("an asset", () => {
  it("may be kept forever, and is sent with its type, compressed unless it is a font", async () => {
    const types = {
      js: "text/javascript; charset=utf-8",
      css: "text/css; charset=utf-8",
      woff2: "font/woff2",
    };
    for (const [ending, type] of Object.entries(types)) {
      const names = assets.filter((name) => name.endsWith(`.${ending}`));
      expect(names.length, ending).toBeGreaterThan(0);
      for (const name of names) {
        const stored = readFileSync(join(builtSite, "assets", name));
        const { status, headers } = await ask(`/assets/${name}`);
        expect([status, headers.get("Content-Type"), headers.get("Cache-Control")], name).toEqual([
          200,
          type,
          cacheForever,
        ]);
        const answer = await ask(`/assets/${name}`, { "Accept-Encoding": "gzip" });
        const body = Buffer.from(await answer.arrayBuffer());
        const isGzipped = answer.headers.get("Content-Encoding") === "gzip";
        expect(isGzipped, name).toBe(ending !== "woff2" && stored.length >= 500);
        expect((isGzipped ? gunzipSync(body) : body).equals(stored), name).toBe(true);
        expect(answer.headers.get("Vary")).toBe("Accept-Encoding");
        const again = await ask(`/assets/${name}`, { "If-None-Match": String(answer.headers.get("ETag")) });
        expect(again.status, name).toBe(304);
      }
    }
  });

  it("is named by a hash of its content: every name in a style or script exists", () => {
    for (const name of assets.filter((asset) => /\.(css|js)$/.test(asset))) {
      expect(name).toMatch(/-[\w-]{8}\.(css|js)$/);
      const text = readFileSync(join(builtSite, "assets", name), "utf8");
      for (const [, used = ""] of text.matchAll(/["'(](?:\.|\/assets)\/([\w.-]+\.(?:js|css|woff2))/g))
        expect(assets, name).toContain(used);
    }
  });
});
