// Reads the API guide in a browser: without a script, from a link to one of its parts, and by running an example.
import { describe, expect, it, vi } from "vitest";
import { failed } from "../answers.fixture.ts";
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

  it("runs an example on the release's own funder, and shows its status and answer", async () => {
    const { page, expectClean } = await site().visit("/docs", { allowed: failed });
    const section = page.locator("#history-of-a-funder");
    await section.getByRole("button", { name: "Run" }).click();
    await section.getByText(/^200 · /).waitFor();
    const [{ funder_ein }] = (await (await site().served.ask("/v1/history?limit=1")).json()).data;
    expect(await section.locator(".answer").textContent()).toContain(`"funder_ein": "${funder_ein}"`);
    await section.getByText("URL", { exact: true }).click();
    await section.getByRole("button", { name: "Copy" }).click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toBe(`${site().origin}/v1/funders/${funder_ein}/history?limit=2`);
    await expectClean();
  });
});
