// Shows what readers see when answers are slow, refused, broken or missing.
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { fail, failed, historyCalls } from "../answers.fixture.ts";
import { hasChromium, useSite } from "../browser.fixture.ts";

describe.runIf(hasChromium)("a page whose call", () => {
  const site = useSite({ sampleRows: 1_000 });
  const main = (page: Page) => page.locator("main");
  const search = "/?min_amount=1";

  it("is slow shows a skeleton, then words and a way to stop", async () => {
    let answer = () => undefined as unknown;
    const held = new Promise((resolve) => {
      answer = () => resolve(undefined);
    });
    const { page } = await site().visit("/", {
      prepare: (opened) => opened.route(historyCalls, async (route) => held.then(() => route.continue())),
    });
    await page.evaluate((to) => location.assign(to), search);
    await page.getByText("Still searching…").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByRole("heading", { name: "Stopped" }).waitFor();
    answer();
    await page.getByRole("button", { name: "Search again" }).click();
    await page.waitForSelector("table.grants");
  });

  it("is refused for a while is made again once, when the server said", async () => {
    let refusals = 0;
    const { page, expectClean } = await site().visit(search, {
      allowed: failed,
      prepare: (opened) =>
        opened.route(historyCalls, (route) =>
          refusals++ === 0 ? fail("overloaded", { "Retry-After": "2" })(route) : route.continue(),
        ),
    });
    await page.waitForSelector("table.grants");
    expect(refusals).toBe(2);
    await expectClean();
  });

  it("is refused twice waits for the reader", async () => {
    let asked = 0;
    const { page } = await site().visit(search, {
      allowed: failed,
      prepare: (opened) =>
        opened.route(historyCalls, (route) => {
          asked++;
          return fail("rate_limited", { "Retry-After": "1" })(route);
        }),
    });
    await page.getByText("Too many searches right now").waitFor();
    await page.waitForTimeout(3_500);
    expect(asked).toBe(2);
    expect(await page.getByRole("button", { name: "Try now" }).isVisible()).toBe(true);
  });

  it.for([
    ["timeout", "This search took too long"],
    ["internal", "Something went wrong on our side"],
    ["not_ready", "The first release is being made"],
  ] as const)("fails with %s says %s", async ([code, title]) => {
    const { page } = await site().visit(search, {
      allowed: failed,
      prepare: (opened) => opened.route(historyCalls, fail(code)),
    });
    await page.getByRole("heading", { name: title }).waitFor();
    expect(await page.locator("#box").isVisible()).toBe(true); // the form stays
  });

  it("finds its pinned release gone offers the current one", async () => {
    const { page } = await site().visit("/?min_amount=1", { allowed: failed });
    await page.evaluate(() => history.replaceState({ release: "20200101T040000Z" }, ""));
    await page.reload();
    await page.getByRole("heading", { name: "This release is no longer kept" }).waitFor();
    await page.getByRole("button", { name: "Show the current one" }).click();
    await page.waitForSelector("table.grants");
  });

  it("is made offline keeps the rows of before", async () => {
    const { page } = await site().visit(search, { allowed: failed });
    await page.waitForSelector("table.grants");
    await page.context().setOffline(true);
    await page.locator("#box").fill("anything");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "You’re offline" }).waitFor();
    expect(await main(page).locator("table.grants tbody tr").count()).toBeGreaterThan(0);
    expect(await main(page).textContent()).toContain("These are the results from");
    await page.context().setOffline(false);
  });

  it("is overtaken by another is stopped", async () => {
    const stopped: string[] = [];
    const { page } = await site().visit(search, {
      prepare: async (opened) => {
        opened.on("requestfailed", (request) => stopped.push(new URL(request.url()).search));
        await opened.route(/purpose=slow/, async (route) => {
          await new Promise((resolve) => setTimeout(resolve, 5_000));
          await route.continue().catch(() => undefined); // stopped
        });
      },
    });
    await page.waitForSelector("table.grants");
    const submit = async (words: string) => {
      await page.locator("#box").fill(words);
      await page.keyboard.press("Enter");
    };
    await submit("slow");
    await page.waitForURL(/purpose=slow/);
    await submit("a");
    await page.waitForURL(/purpose=a(?:&|$)/);
    await page.waitForSelector("table.grants:not(.is-old)");
    expect(stopped.some((query) => query.includes("purpose=slow"))).toBe(true);
  });
});
