// Tests that readers find an organization by its name as they write it: misspelled, reordered, abbreviated, or of one place.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDatabase } from "../../../pipeline/base/database.ts";
import type { CornerGrant } from "../../api-static/server/corners.ts";
import { writeWarehouse } from "../../api-static/server/release.fixture.ts";
import { hasChromium, useSite, widths } from "../browser.fixture.ts";

const funder = "200253310";
const flintridge = "951642394";
const saintMary = "951642395";
const pasadenaY = "951642396";

let lastId = 0;
const grant = (funder_ein: string, recipient_ein: string, amount: string): CornerGrant => ({
  id: ++lastId,
  funder_ein,
  transaction_year: 2018,
  recipient_name: "AS FILED",
  recipient_ein,
  type: null,
  amount,
  non_cash_amount: null,
  non_cash_description: null,
  purpose: "GENERAL SUPPORT",
  created_at: "2024-02-14T00:00:00Z",
});
const grants = [
  grant(funder, flintridge, "103000.00"),
  grant(funder, saintMary, "5000.00"),
  grant(funder, "951642397", "9000.00"),
  grant(funder, "951642397", "8000.00"),
  grant(funder, pasadenaY, "4000.00"),
  grant(flintridge, funder, "700.00"),
];

/** The list, as the IRS writes it, with other schools: a rare word says more than a frequent one. */
const list = `VALUES
  ('${funder}', 'PASADENA COMMUNITY FOUNDATION', 'PASADENA', 'CA'),
  ('${flintridge}', 'FLINTRIDGE PREPARATORY SCHOOL', 'LA CANADA', 'CA'),
  ('${saintMary}', 'ST MARYS HIGH SCHOOL', 'STOCKTON', 'CA'),
  ('${pasadenaY}', 'YMCA OF PASADENA', 'PASADENA', 'CA'),
  ('951642397', 'YMCA OF AUSTIN', 'AUSTIN', 'TX'),
  ('951642398', 'QUIET FUND', 'RENO', 'NV')
  UNION ALL SELECT (300000000 + n)::VARCHAR, 'PREPARATORY SCHOOL ' || n, 'RENO', 'NV' FROM range(300) AS schools (n)`;

describe.runIf(hasChromium)("an organization", () => {
  let root = "";
  const source = { name: "names-of-readers", warehouse: "" };
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), "names-"));
    source.warehouse = join(root, "warehouse");
    await writeWarehouse(source.warehouse, 0, grants);
    const { instance, connection } = await openDatabase({
      memory: "500MB",
      threads: 1,
      spillFolder: join(root, "spill"),
    });
    await connection.run(`COPY (SELECT * FROM (${list}) AS listed (ein, name, city, state))
      TO '${join(source.warehouse, "organizations.parquet")}' (FORMAT parquet)`);
    connection.closeSync();
    instance.closeSync();
  });
  afterAll(() => rm(root, { recursive: true, force: true }));
  const site = useSite(source);
  /** Types into the box, and returns the first organization of the list. */
  const findFirst = async (page: Page, text: string) => {
    await page.locator("#box").fill(text);
    const option = page.locator("[role=option]", { has: page.locator(".found") }).first();
    await option.waitFor();
    return option;
  };

  it.for([
    ["Flintrige", "FLINTRIDGE PREPARATORY SCHOOL", `/funder?ein=${flintridge}`],
    ["Flintridge School", "FLINTRIDGE PREPARATORY SCHOOL", `/funder?ein=${flintridge}`],
    ["school  flintridge", "FLINTRIDGE PREPARATORY SCHOOL", `/funder?ein=${flintridge}`],
    ["Saint Mary school", "ST MARYS HIGH SCHOOL", `/recipient?ein=${saintMary}`],
    ["YMCA pasadena", "YMCA OF PASADENA", `/recipient?ein=${pasadenaY}`],
    ["ymca CA", "YMCA OF PASADENA", `/recipient?ein=${pasadenaY}`],
  ] as const)("is found by “%s”, and its page shows its grants", async ([text, name, href]) => {
    const { page, expectClean } = await site().visit("/", { allowed: /status of 404/ });
    const option = await findFirst(page, text);
    expect(await option.textContent()).toContain(name);
    await option.click();
    await page.waitForURL((url) => url.pathname + url.search === href);
    await page.locator("h1", { hasText: name }).waitFor();
    await expectClean();
  });

  it("is suggested with its place, EIN and sums; the words stay first, and screen readers hear the number", async () => {
    const { page, expectClean } = await site().visit("/", { width: widths.phone });
    const option = await findFirst(page, "flintridge");
    expect((await option.textContent())?.replaceAll(/\s+/g, " ")).toContain(
      "FLINTRIDGE PREPARATORY SCHOOL LA CANADA, CA · 95-1642394 gave $700 received $103K",
    );
    expect(await page.locator(".box [role=status]").textContent()).toBe("4 suggestions");
    expect(await page.locator("[role=option]").first().textContent()).toBe(
      "Purpose contains flintridgeEnter",
    );
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    expect(await page.locator("[aria-selected=true]").textContent()).toContain("FLINTRIDGE");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter"); // the grants that it received
    await page.waitForURL((url) => url.pathname === "/recipient");
    await expectClean();
  });

  it("is opened by Enter after one word, if it is the only one with grants and no purpose has the word", async () => {
    const { page, expectClean } = await site().visit("/");
    await page.locator("#box").fill("flintridge");
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.pathname + url.search === `/funder?ein=${flintridge}`);
    const two = await site().visit("/");
    await two.page.locator("#box").fill("ymca");
    await two.page.keyboard.press("Enter");
    await two.page.waitForURL((url) => url.search === "?purpose=ymca");
    await expectClean();
  });

  it("is offered where a search found nothing, and where an address has its name in place of an EIN", async () => {
    for (const path of ["/?purpose=flintrige+prep&match=words", "/funder?ein=Flintrige"]) {
      const { page, expectClean } = await site().visit(path);
      const near = page.getByRole("region", { name: "Did you mean an organization?" });
      await near.getByRole("link", { name: "FLINTRIDGE PREPARATORY SCHOOL" }).waitFor();
      await expectClean();
    }
  });

  it("without grants is named, and its page says that it has none", async () => {
    const { page } = await site().visit("/", { allowed: /status of 404/ });
    const option = await findFirst(page, "quiet fund");
    expect(await option.textContent()).toContain("No grants in the data");
    await option.click();
    await page.getByRole("heading", { name: "QUIET FUND has no grants in the data" }).waitFor();
  });

  it("that made no grants is not offered as a funder to compare", async () => {
    const { page } = await site().visit("/compare");
    await page.locator("#add").fill("school");
    await page.locator("[role=option]").first().waitFor();
    expect(await page.locator("[role=option]").allTextContents()).toStrictEqual([
      expect.stringContaining("FLINTRIDGE"),
    ]);
    await page.keyboard.press("Enter");
    await page.waitForURL(/ein=951642394/);
  });
});
