// Follows a grant to the return that lists it, in a release of the real importer and in one that names no returns.
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { grantOf, importWell, member, objectId, putZip } from "../../pipeline/irs/season.fixture.ts";
import { hasChromium, useSite } from "../browser.fixture.ts";

describe.runIf(hasChromium)("a grant of an imported return", () => {
  const home = mkdtempSync(join(tmpdir(), "filing-"));
  const warehouse = join(home, "warehouse");
  const zip = "2023_TEOS_XML_11A.zip";
  const id = objectId(332, 100);
  const ein = "131635294";
  beforeAll(async () => {
    const grants = [grantOf("FIRST SCHOOL", "500"), grantOf("SECOND SCHOOL", "700")];
    await importWell(putZip(home, zip, [member(id, { ein, grants })]), warehouse);
  });
  const site = useSite({ warehouse, name: "imported" });
  afterAll(() => rm(home, { recursive: true }));

  it("leads to the return at ProPublica and to the IRS's zip", async () => {
    const { page, expectClean } = await site().visit(`/funder?ein=${ein}`, { allowed: /status of 404/ });
    const row = page.locator("table.grants tbody tr", { hasText: "SECOND SCHOOL" });
    await row.getByRole("button", { name: "Check the filing" }).click();
    expect(await row.getByRole("link", { name: "on ProPublica" }).getAttribute("href")).toBe(
      `https://projects.propublica.org/nonprofits/organizations/${ein}/${id}/full`,
    );
    expect(await row.getByRole("link", { name: zip }).getAttribute("href")).toBe(
      `https://apps.irs.gov/pub/epostcard/990/xml/2023/${zip}`,
    );
    expect(await row.textContent()).toContain(id);
    await expectClean();
  });
});

describe.runIf(hasChromium)("a grant of a warehouse that names no returns", () => {
  const site = useSite({ sampleRows: 1_000 });

  it("has no link to a filing, and no page advises to check one", async () => {
    const { big, recipientEin } = site().served.facts;
    for (const path of ["/?min_amount=1", `/funder?ein=${big.ein}`, `/recipient?ein=${recipientEin}`]) {
      const { page } = await site().visit(path, { allowed: /status of 404/ });
      await page.waitForSelector("table.grants");
      expect(await page.locator("body").textContent(), path).not.toMatch(/check the filing/i);
    }
  });
});
