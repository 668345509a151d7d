// Walks through searches as a reader does: typing, filters, pages, back and forward, downloads, the keyboard alone.
import type { Page, Request } from "playwright-core";
import { describe, expect, it } from "vitest";
import { formatCount } from "../../../site/src/text/numbers.ts";
import { callsOf, hasChromium, useSite } from "../browser.fixture.ts";

type GrantsPage = {
  data: { id: number; funder_ein: string; amount: number; recipient_name: string | null }[];
  total: number;
};

const rows = (page: Page) => page.locator("table.grants tbody tr");
const heading = (page: Page) => page.locator("#result").textContent();
const settled = (page: Page) => page.waitForSelector(".results[aria-busy=false] table.grants");

describe.runIf(hasChromium)("a search", () => {
  const site = useSite({ sampleRows: 5_000 });
  const ask = async (path: string) => (await site().served.ask(path)).json() as Promise<GrantsPage>;
  /** The API's answer to the search in the address, once the page shows it: rows of the search before stay until then. */
  const answerShown = async (page: Page) => {
    const answer = await ask(`/v1/history${new URL(page.url()).search}`);
    await page.locator("#result", { hasText: new RegExp(`^${formatCount(answer.total)} grant`) }).waitFor();
    return answer;
  };

  it("leads from typing to the API's own rows, in an address that can be shared", async () => {
    const word = site().served.facts.purposeWord;
    const { page, expectClean } = await site().visit("/");
    await page.locator("#box").fill(word);
    await page.keyboard.press("Enter");
    await page.waitForURL(({ search }) => search === `?${new URLSearchParams({ purpose: word })}`);
    const expected = await answerShown(page);
    expect(await rows(page).count()).toBe(expected.data.length);
    expect(await page.title()).toContain(formatCount(expected.total));
    const first = await rows(page).first().textContent();
    expect(first).toContain(expected.data[0]?.recipient_name ?? "No recipient filed");
    await expectClean();
    const shared = await site().visit(page.url());
    await answerShown(shared.page);
    expect(await heading(shared.page)).toBe(await heading(page));
    await shared.expectClean();
  });

  it("asks once for the names of each list of funders: of the rows, of the totals, and of new ones on the next page", async () => {
    const calls: string[] = [];
    const follow = (request: Request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (/\/v1\/(?:names|organizations)/.test(pathname)) calls.push(searchParams.get("eins") ?? pathname);
    };
    const prepare = async (opened: Page) => opened.on("request", follow);
    const { page, expectClean } = await site().visit("/?min_amount=1", { prepare });
    await page.waitForSelector("td.funder small");
    const first = (await ask("/v1/history?min_amount=1")).data.map(({ funder_ein }) => funder_ein);
    expect(calls.join().split(",")).toEqual(expect.arrayContaining(first));
    expect(calls.length).toBeLessThan(3);
    await page.getByRole("link", { name: "Next" }).click();
    await page.waitForURL(/offset=100/);
    await expectClean();
    const asked = calls.join().split(",");
    expect([calls.length < 4, new Set(asked).size]).toStrictEqual([true, asked.length]);
  });

  it("walks pages of one release, back and forward, and keeps the place on reload", async () => {
    const { page, expectClean } = await site().visit("/?min_amount=1");
    await settled(page);
    const firstRow = await rows(page).first().textContent();
    await page.getByRole("link", { name: "Next" }).click();
    await page.waitForURL(/offset=100/);
    await page.waitForFunction((text) => {
      const row = document.querySelector("table.grants tbody tr");
      return row !== null && row.textContent !== text;
    }, firstRow);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("result");
    expect(await page.evaluate(() => history.state.release)).toMatch(/^\d{8}T\d{6}Z$/);
    const secondRow = await rows(page).first().textContent();
    await page.goBack();
    await page.waitForFunction(
      (text) => document.querySelector("table.grants tbody tr")?.textContent === text,
      firstRow,
    );
    await page.goForward();
    await page.waitForFunction(
      (text) => document.querySelector("table.grants tbody tr")?.textContent === text,
      secondRow,
    );
    await page.evaluate(() => scrollTo(0, 900));
    await page.waitForFunction(() => history.state.scroll === 900); // the scroll has ended
    const seenRow = () => document.elementFromPoint(600, 450)?.closest("tr")?.textContent;
    const row = await page.evaluate(seenRow);
    expect(row).toBeTruthy();
    await page.reload();
    await settled(page);
    // What arrives above the rows may move them in the page, but not in the window.
    await expect.poll(() => page.evaluate(seenRow)).toBe(row);
    await expectClean();
  });

  it("offers a CSV file of exactly the API's rows", async () => {
    const { page } = await site().visit(`/?purpose=${site().served.facts.purposeWord}&min_amount=10000`);
    await settled(page);
    const link = page.locator('a[href^="/v1/history.csv"]').first();
    const href = (await link.getAttribute("href")) ?? "";
    const [download] = await Promise.all([page.waitForEvent("download"), link.click()]);
    const chunks: Buffer[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    expect(text).toBe(await site().served.askText(href));
    const { total } = await ask(`/v1/history${new URL(page.url()).search}`);
    expect(text.split("\r\n").length - 2).toBe(total); // without the head and the end of the last row
    expect(await link.textContent()).toContain(`${formatCount(total)} row`);
  });

  it("offers a CSV file for Excel, with whole EINs and names", async () => {
    const { page } = await site().visit(`/?purpose=${site().served.facts.purposeWord}`);
    await settled(page);
    const link = page.getByRole("link", { name: "CSV for Excel" }).first();
    const [download] = await Promise.all([page.waitForEvent("download"), link.click()]);
    const chunks: Buffer[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
    const [head = "", row = ""] = Buffer.concat(chunks).toString().split("\r\n");
    expect(head).toMatch(/^\uFEFFid,funder_ein,.*,created_at,funder_name,recipient_organization_name$/);
    expect(row).toMatch(/^\d+,\d\d-\d{7},/);
  });

  it("can be made, narrowed and walked with the keyboard alone", async () => {
    const { page, expectClean } = await site().visit("/status");
    await page.keyboard.press("/");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("box");
    await page.keyboard.type(site().served.facts.nameWord);
    await page.waitForSelector("[role=listbox]:not([hidden])");
    await page.keyboard.press("Escape");
    expect(await page.locator("[role=listbox]:not([hidden])").count()).toBe(0);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter"); // the second suggestion: the recipient's name
    await page.waitForURL(/\?recipient_name=/);
    await answerShown(page);
    await page.waitForFunction(() => document.activeElement?.id === "result");
    for (let step = 0; step < 40; step++) {
      await page.keyboard.press("Shift+Tab"); // the filters stand before the result
      const isFilter = await page.evaluate(() => document.activeElement?.id === "filter-min_amount");
      if (isFilter) break;
    }
    await page.keyboard.type("1,000");
    await page.keyboard.press("Enter");
    await page.waitForURL(/min_amount=1000/);
    await answerShown(page);
    await expectClean();
  });

  it("copies the calls behind the page as URLs, for curl and pinned", async () => {
    const { page } = await site().visit("/?min_amount=1");
    await settled(page);
    await callsOf(page);
    const bar = page.locator(".call-bar");
    const copied = async (form: string) => {
      await bar.getByText(form, { exact: true }).click();
      await bar.getByRole("button", { name: /Cop/ }).click();
      return page.evaluate(() => navigator.clipboard.readText());
    };
    const calls = ["/v1/history?min_amount=1", "/v1/history/summary?min_amount=1"];
    expect(await copied("URL")).toBe(calls.map((call) => site().origin + call).join("\n"));
    expect(await copied("curl")).toBe(calls.map((call) => `curl '${site().origin}${call}'`).join("\n"));
    const [pinned = ""] = (await copied("Pinned")).split("\n");
    expect(pinned).toMatch(/\/r\/\d{8}T\d{6}Z\/v1\/history\?min_amount=1$/);
    expect((await site().served.ask(new URL(pinned).pathname.replace(/^\/r\/[^/]+/, ""))).status).toBe(200);
  });

  it("that finds nothing counts the results of looser searches", async () => {
    const word = site().served.facts.purposeWord;
    const { page, expectClean } = await site().visit(`/?purpose=${word}&transaction_year=1990`);
    const { total } = await ask(`/v1/history?purpose=${word}&limit=1`);
    await page.getByText("Loosen one filter").waitFor();
    await page
      .locator(".loosened li")
      .filter({ hasText: formatCount(total) })
      .first()
      .waitFor();
    expect(await heading(page)).toMatch(/^No grants for .+ in 1990$/);
    await expectClean();
  });

  it("with a wrong parameter shows the problem, ignores an unknown one, and makes no call", async () => {
    const asked: string[] = [];
    const prepare = async (page: Page) => page.on("request", (request) => asked.push(request.url()));
    const { page, expectClean } = await site().visit("/?funder_ein=12&color=red", { prepare });
    expect(await page.locator("main").textContent()).not.toMatch(/color/);
    expect(await page.locator("main").textContent()).toMatch(/An EIN has nine digits/);
    expect(asked.filter((url) => url.includes("/v1/history"))).toStrictEqual([]);
    await expectClean();
  });
});
