// Reads the API guide in a browser: without a script, from a link to one of its parts, and to copy an example.
import { describe, expect, it, vi } from "vitest";
import { hasChromium, useSite } from "../browser.fixture.ts";

describe.runIf(hasChromium)("the API guide", () => {
  const site = useSite({ sampleRows: 1_000 });

  it("has text but no control that needs a script, without one", async () => {
    const { page } = await site().visit("/docs", { context: { javaScriptEnabled: false } });
    await page.getByRole("heading", { name: "Errors" }).waitFor();
    await page.getByText('"purpose": "').first().waitFor();
    expect(await page.getByRole("button").count()).toBe(0);
  });

  it("opens at the part that its address names, and nothing moves", async () => {
    for (const id of ["errors", "grant-record", "listRecipientPeers"]) {
      const { page, expectClean } = await site().visit(`/docs#${id}`);
      const place = page.locator(`#${id}`);
      const topOf = () => place.evaluate((element) => element.getBoundingClientRect().top);
      // The last part cannot reach the top of the window.
      await vi.waitFor(async () => expect(await topOf(), id).toBeLessThan(200), { timeout: 10_000 });
      expect(await topOf(), id).toBeGreaterThanOrEqual(0);
      await expectClean();
      await page.context().close();
    }
  });

  it("links only to parts that it has, and to none twice", async () => {
    const { page, expectClean } = await site().visit("/docs");
    const targets = await page
      .locator(".guide-nav a[href^='#']")
      .evaluateAll((links) => links.map((link) => link.getAttribute("href") ?? ""));
    expect(new Set(targets).size).toBe(targets.length);
    for (const target of targets) expect(await page.locator(target).count(), target).toBe(1);
    await expectClean();
  });

  it("copies a request of this host in the form that is chosen", async () => {
    const { page, expectClean } = await site().visit("/docs");
    const section = page.locator("#history-of-a-funder");
    await section.getByText("URL", { exact: true }).click();
    await section.getByRole("button", { name: "Copy" }).click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toBe(`${site().origin}/v1/funders/131635294/history?limit=2`);
    await expectClean();
  });
});
