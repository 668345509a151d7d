// Tests that the page follows the contract: the API accepts what the page links, names and sends.
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { readParameter } from "../../api-static/contract/parameters.ts";
import { operations } from "../../api-static/contract/request.ts";
import { useRelease } from "../api-static/server/release.fixture.ts";

const folder = new URL("../../site/public/", import.meta.url);
const page = readFileSync(new URL("index.html", folder), "utf8");
const script = readFileSync(new URL("site.js", folder), "utf8");
const served = useRelease({ sampleRows: 1_000 });

/** The first group of every match. */
const all = (expression: RegExp, text: string) => [...text.matchAll(expression)].map(([, group]) => group);
const inputs = all(/<input ([^>]+)>/g, page);
const attribute = (input: string | undefined, name: string) =>
  new RegExp(`\\b${name}="([^"]*)"`).exec(input ?? "")?.[1];
const names = inputs.map((input) => attribute(input, "name") ?? "");
const templates = all(/<dt>(?:<a [^>]+>)?<code>([^<]+)</g, page);

afterEach(() => vi.unstubAllGlobals());

describe("the page", () => {
  it("links and loads only paths that answer 200", async () => {
    const paths = all(/(?:href|src|action)="([^"]+)"/g, page).filter((path) => path !== "data:,");
    expect(paths).toContain("/openapi.json");
    for (const path of paths) expect((await served().ask(path ?? "")).status, path).toBe(200);
  });

  it("names every operation of the contract, and each answers 200 for an example from the first page", async () => {
    expect(templates.slice(0, -1).sort()).toStrictEqual(operations.map(({ path }) => path).sort());
    const { linked, served: status } = await runScript();
    expect(linked).toHaveLength(operations.length - 3); // no export, and no organization
    for (const path of linked) expect((await served().ask(path)).status, path).toBe(200);
    expect(status).toMatch(/^[\d,]+ grants of \d+ funders, \d{4} to \d{4}, synced [\d-]+ [\d:]+ UTC\. $/);
  });

  it("has a field for every filter; without the script only the required one works", () => {
    const filters = operations[0].parameters.filter((name) => !["limit", "offset"].includes(name));
    expect([...names].sort()).toStrictEqual([...filters].sort());
    const [, more = ""] = /<fieldset id="more" disabled>(.+)<\/fieldset>/s.exec(page) ?? [];
    const always = inputs.filter((input) => !more.includes(input ?? ""));
    expect(always.map((input) => attribute(input, "name"))).toStrictEqual(["purpose"]);
    expect(always[0]).toMatch(/ required$/);
  });

  it("has every element that its script uses, and nothing that its content security policy forbids", () => {
    for (const id of all(/find\("#(\w+)"\)/g, script)) expect(page).toContain(`id="${id}"`);
    expect(page).toContain(
      `"Content-Security-Policy" content="default-src 'none'; style-src 'self'; script-src 'self';`,
    );
    expect(page).not.toMatch(/<script(?! src="\/)|<style|\s(?:style|on\w+)=|https?:/);
  });
});

describe("the form", () => {
  it("omits blank fields, and trims the others and strips separators", async () => {
    const { send } = await runScript();
    expect(send({ purpose: "  ", recipient_name: "", funder_ein: " 12-3456789 " })).toStrictEqual({
      funder_ein: "12-3456789",
    });
    expect(send({ purpose: " a, $b ", min_amount: " $ 1,000,000.50 " })).toStrictEqual({
      purpose: "a, $b",
      min_amount: "1000000.50",
    });
  });

  it("accepts nothing that the API would reject, and rejects commas other than thousands separators", async () => {
    const { send } = await runScript();
    const patterns = inputs.flatMap((input) => {
      const [name, pattern] = [attribute(input, "name"), attribute(input, "pattern")];
      return name === undefined || pattern === undefined ? [] : [{ name, pattern }];
    });
    expect(patterns).toHaveLength(4);
    for (const { name, pattern } of patterns) {
      const accepted = fc.stringMatching(new RegExp(`^(?:${pattern})$`));
      const isTaken = (text: string) =>
        Object.entries(send({ [name]: text })).every(
          ([, value]) => readParameter(names, name, [value], {}) === undefined,
        );
      fc.assert(fc.property(accepted, isTaken));
    }
    const amount = new RegExp(`^(?:${patterns.find(({ name }) => name === "min_amount")?.pattern})$`, "v");
    for (const text of ["10,00", "1,0000", "10.000,00", "ten", "1e5", "1.234"])
      expect(text).not.toMatch(amount);
  });
});

describe("on a static host", () => {
  it("the page reports that there is no search, and has no form", async () => {
    for (const answer of [new Response("", { status: 404 }), new Response("<!doctype html>"), undefined]) {
      const { removed, served: status } = await runScript(async () => {
        if (answer === undefined) throw new TypeError("fetch failed");
        return answer;
      });
      expect(removed).toStrictEqual(["#search"]);
      expect(status).toMatch(/^This is a static copy without search/);
      vi.unstubAllGlobals();
    }
  });
});

let runs = 0;

/** Runs the page's script on a minimal document. Responses come from the release by default. */
async function runScript(fetch: (path: string) => Promise<Response> = (path) => served().ask(path)) {
  const removed: string[] = [];
  const linked: string[] = [];
  let status = "";
  let clean = (_event: { formData: FormData }): void => undefined;
  const find = (id: string) => ({
    addEventListener: (_type: string, listener: typeof clean) => {
      clean = listener;
    },
    remove: () => removed.push(id),
    prepend: (text: string) => {
      status = text;
    },
    append: () => undefined,
    set textContent(text: string) {
      status = text;
    },
  });
  const codes = templates.map((textContent) => ({
    textContent,
    replaceWith: ({ href }: { href: string }) => linked.push(href),
  }));
  vi.stubGlobal("fetch", fetch);
  vi.stubGlobal("document", {
    querySelector: find,
    querySelectorAll: (selector: string) => (selector === "dt > code" ? codes : []),
    createElement: () => ({ append: () => undefined }),
  });
  await import(/* @vite-ignore */ `${new URL("site.js", folder).href}?run=${++runs}`);
  const send = (fields: Record<string, string>) => {
    const formData = new FormData();
    for (const [name, value] of Object.entries(fields)) formData.set(name, value);
    clean({ formData });
    return Object.fromEntries(formData) as Record<string, string>;
  };
  return { removed, linked, served: status, send };
}
