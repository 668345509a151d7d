// Opens the site on a static host: funders' pages work, and notices name the missing features.
import { describe, expect, it } from "vitest";
import { hasChromium, useSite } from "../browser.fixture.ts";
import { usePreview } from "../preview.fixture.ts";

const missing = /status of 404/;

describe.runIf(hasChromium)("on a static host", () => {
  const site = useSite({ sampleRows: 1_000 });
  const origin = usePreview(() => site().served.data);

  it("a funder's page lists its grants, and notes that totals are missing", async () => {
    const { ein, records } = site().served.facts.big;
    const { page, expectClean } = await site().visit(`${origin()}/funder?ein=${ein}`, { allowed: missing });
    await page.waitForSelector("table.grants");
    expect(await page.locator("table.grants tbody tr").count()).toBe(Math.min(100, records));
    expect(await page.locator("main").textContent()).toContain("static copy");
    await expectClean();
  });

  it("the search page notes that there is no search, and disables the box", async () => {
    const { page } = await site().visit(`${origin()}/?purpose=unusual`, { allowed: missing });
    await page.getByText("static copy").first().waitFor();
    expect(await page.locator("#box").isDisabled()).toBe(true);
  });

  it("the API guide is whole", async () => {
    const { page, expectClean } = await site().visit(`${origin()}/docs`, { allowed: missing });
    expect(await page.locator("main").textContent()).toContain("/v1/history");
    await expectClean();
  });
});
