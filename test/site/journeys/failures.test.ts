// Tests the pages when answers are slow, refused, broken or missing.
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { Grant } from "../../../site/src/api/client.ts";
import { fail, failed, historyCalls } from "../answers.fixture.ts";
import { callsOf, hasChromium, useSite, widths } from "../browser.fixture.ts";
import { pinGoneRelease } from "../states.ts";

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
    expect(await page.getByRole("heading", { name: "Stopped" }).count()).toBe(0);
  });

  it("fails after the home page shows no rows, which nobody searched", async () => {
    const { page } = await site().visit("/", { allowed: failed });
    await page.route(historyCalls, fail("internal"));
    await page.locator("#box").fill("violin");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Something went wrong on our side" }).waitFor();
    expect(await page.locator("#result").textContent()).toBe("Grants for “violin”");
    expect(await main(page).textContent()).not.toContain("the search before");
    expect(await page.locator("table.grants").count()).toBe(0);
  });

  it("is stopped before the totals of the search before were added up ends those too", async () => {
    const { page } = await site().visit("/");
    const submit = async (words: string) => {
      await page.locator("#box").fill(words);
      await page.keyboard.press("Enter");
    };
    await page.route(/\/v1\/history\/summary/, () => undefined);
    await submit("a");
    await page.waitForSelector("table.grants");
    await page.route(historyCalls, () => undefined);
    await submit("e");
    await page.getByText("Still searching…").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("The totals were stopped before they were added up.").waitFor();
    expect(await page.getByText("Adding up the totals…").count()).toBe(0);
    await page.unrouteAll();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.locator("#result", { hasText: "“e”" }).waitFor();
    await page.locator(".totals-sentence:not(.is-missing)").waitFor();
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

  it("has a name that comes late keeps its heading, so that nothing moves", async () => {
    const { origin } = site();
    const [{ funder_ein }] = (await (await fetch(`${origin}/v1/history?limit=1`)).json()).data;
    const { name } = (await (await fetch(`${origin}/v1/organizations/${funder_ein}`)).json()).data;
    let delay = 2_500;
    const { page, expectClean } = await site().visit(`/?funder_ein=${funder_ein}`, {
      width: widths.phone,
      prepare: (opened) =>
        opened.route(/\/v1\/names\?/, async (route) => {
          await new Promise((resolve) => setTimeout(resolve, delay));
          await route.continue();
        }),
    });
    await page.locator("td.funder", { hasText: name }).first().waitFor();
    expect(await page.locator("#result").textContent()).not.toContain(name);
    await expectClean();
    delay = 0;
    await page.reload();
    await page.locator("#result", { hasText: name }).waitFor();
  });

  it("adds up totals keeps what is typed meanwhile, and the focus", async () => {
    const { origin } = site();
    const [{ funder_ein }] = (await (await fetch(`${origin}/v1/history?limit=1`)).json()).data;
    let answer = () => undefined as unknown;
    const held = new Promise((resolve) => {
      answer = () => resolve(undefined);
    });
    const { page } = await site().visit("/");
    await page.route(/\/funders\/\d+\/summary$/, async (route) => held.then(() => route.continue()));
    await page.evaluate((to) => location.assign(to), `/funder?ein=${funder_ein}`);
    await page.getByText("Adding up the totals…").waitFor();
    const field = page.locator("#filter-purpose");
    await field.fill("school");
    answer();
    await page.getByRole("heading", { name: "Giving by year" }).waitFor();
    expect(await field.inputValue()).toBe("school");
    await page.keyboard.press("Enter");
    await page.waitForURL(/purpose=school/);
  });

  it("finds its pinned release gone offers the current one", async () => {
    const { page } = await site().visit("/?min_amount=1", { allowed: failed });
    await pinGoneRelease(page);
    await page.getByRole("heading", { name: "This release is no longer kept" }).waitFor();
    await page.getByRole("button", { name: "Show the current one" }).click();
    await page.waitForSelector("table.grants");
    expect(await page.getByText("This release is no longer kept").count()).toBe(0);
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

  it("fails for every funder of a comparison shows one notice, and repeats all calls", async () => {
    const { big, middle, small } = site().served.facts;
    const funders = [big, middle, small].map(({ ein }) => `ein=${ein}`).join("&");
    const { page } = await site().visit(`/compare?${funders}`, {
      allowed: failed,
      prepare: (opened) => opened.route(/\/v1\/funders\//, fail("internal")),
    });
    await page.getByRole("heading", { name: "Something went wrong on our side" }).waitFor();
    expect(await main(page).locator(".notice").count()).toBe(1);
    await page.unroute(/\/v1\/funders\//);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.waitForSelector(".comparison-total");
    expect(await main(page).locator(".comparison thead a").count()).toBe(3);
    expect(await main(page).locator(".notice").count()).toBe(0);
    await callsOf(page);
    await page.getByText("Pinned").click();
    expect(await page.locator(".call-lines").textContent()).toContain(
      `/r/20261120T040000Z/v1/funders/${big.ein}/summary`,
    );
  });

  it.for(["funder", "recipient"] as const)(
    "is slow on a phone shows no calls above the rows of a %s that are awaited",
    async (side) => {
      const { data } = await (await site().served.ask("/v1/history?limit=100")).json();
      const { funder_ein, recipient_ein } = data.find((grant: Grant) => grant.recipient_ein !== null);
      let answer = () => undefined as unknown;
      const held = new Promise((resolve) => {
        answer = () => resolve(undefined);
      });
      const { page } = await site().visit("/status", {
        width: widths.phone,
        allowed: failed,
        prepare: (opened) =>
          opened.route(/\/v1\/(?:funders\/\d+\/)?history/, async (route) =>
            held.then(() => route.continue()),
          ),
      });
      await page.evaluate(
        (to) => location.assign(to),
        `/${side}?ein=${side === "funder" ? funder_ein : recipient_ein}`,
      );
      await page.getByText("Still searching…").waitFor();
      expect(await page.locator(".call-bar").count()).toBe(0);
      answer();
      await page.waitForSelector(".call-bar");
    },
  );

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
    await expect.poll(() => stopped.some((query) => query.includes("purpose=slow"))).toBe(true);
    await main(page).getByRole("heading", { level: 1, name: "“a”" }).waitFor();
  });
});
