// Opens every page once in Chromium: it must show its heading and nothing that must never happen.
import { describe, expect, it } from "vitest";
import { pageNames, pages } from "../../site/pages.ts";
import { itWhole } from "../whole.ts";
import { failed, serveFilesAlone } from "./answers.fixture.ts";
import { hasChromium, useSite } from "./browser.fixture.ts";

describe.runIf(hasChromium)("every page", () => {
  const site = useSite({ sampleRows: 1_000 });

  it("shows one heading, and the release and that its data are made up in its footer", async () => {
    const { big } = site().served.facts;
    for (const name of pageNames) {
      const query = ["funder", "recipient", "compare"].includes(name) ? `?ein=${big.ein}` : "";
      const { page, expectClean } = await site().visit(pages[name].path + query, {
        allowed: /status of 404/,
      });
      expect(await page.locator("h1").count(), name).toBe(1);
      expect(await page.locator("#release").textContent(), name).toMatch(
        /^Release \d{8}T\d{6}Z, synced .* Synthetic sample data\.$/,
      );
      await expectClean();
      await page.context().close();
    }
  });

  itWhole(
    "says beside the results of a search that this is a static copy, and offers no export",
    async () => {
      const { page } = await site().visit(`/?transaction_year=${site().served.facts.year}`, {
        prepare: serveFilesAlone,
        allowed: failed,
      });
      await page.waitForSelector("table.grants");
      expect(await page.getByRole("heading", { name: "This is a static copy" }).count()).toBe(1);
      expect(await page.locator("a[download], .call-bar").count()).toBe(0);
    },
  );

  itWhole("says once that a static copy has no search", async () => {
    const { page } = await site().visit("/?purpose=unusual", { prepare: serveFilesAlone, allowed: failed });
    await page.getByRole("heading", { name: "This is a static copy" }).first().waitFor();
    expect(await page.getByRole("heading", { name: "This is a static copy" }).count()).toBe(1);
  });
});
