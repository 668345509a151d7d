// Measures pages at every width, and the text columns of grants also on paper.
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { findTooWide, hasChromium, useSite } from "../browser.fixture.ts";

/** Both ends of each range of widths that has a layout, and a common phone. */
const allWidths = [320, 360, 390, 700, 701, 960, 1024, 1280, 1600];

/** Width in px of a sheet of A4 between its margins of 10 mm. */
const sheet = 718;

/** Minimum width of a column of text, in digits of its font. */
const minCharacters = 14;

/** Sheets of A4 for a page of 100 grants, at most. */
const maxSheets = 6;

/** Pages of grants, whose table is measured. */
const sides = ["search", "funder", "recipient"] as const;

/** What a page shows last, if that is rows. */
const rowsOf: Readonly<Record<string, string>> = {
  search: "table.grants",
  funder: "table.grants",
  recipient: "table.grants",
  groups: "table.ranks",
  comparison: ".comparison-total",
};

describe.runIf(hasChromium)("a page", () => {
  const site = useSite({ sampleRows: 5_000 });
  const pathOf = (name: string) => {
    const { big, middle, recipientEin } = site().served.facts;
    const paths: Record<string, string> = {
      search: "/?min_amount=1",
      groups: "/groups?by=recipient&min_amount=1",
      states: "/groups?by=recipient_state&min_amount=1",
      funder: `/funder?ein=${big.ein}`,
      recipient: `/recipient?ein=${recipientEin}`,
      comparison: `/compare?ein=${big.ein}&ein=${middle.ein}`,
      home: "/",
      status: "/status",
      guide: "/docs",
      missing: "/nowhere",
    };
    return paths[name] ?? "";
  };

  it.for([...sides, "groups", "states", "comparison", "home", "status", "guide", "missing"])(
    "(%s) never scrolls sideways, at any width, also with larger text",
    async (name) => {
      const { page } = await site().visit(pathOf(name), { allowed: /status of 404/ });
      await page.waitForSelector(rowsOf[name] ?? "h1");
      for (const size of ["100%", "150%"]) {
        await page.evaluate((fontSize) => Object.assign(document.documentElement.style, { fontSize }), size);
        for (const width of allWidths) {
          await page.setViewportSize({ width, height: 900 });
          await expect.poll(() => findTooWide(page), { message: `${width} px, ${size}` }).toStrictEqual([]);
        }
      }
    },
  );

  it.for(sides)("of grants (%s) has 14 characters in each text column, also on paper", async (side) => {
    const { page } = await site().visit(pathOf(side), { allowed: /status of 404/ });
    await page.waitForSelector("table.grants");
    for (const width of allWidths) {
      await page.setViewportSize({ width, height: 900 });
      expect(await findNarrow(page), `${width} px`).toStrictEqual([]);
    }
    await page.emulateMedia({ media: "print" });
    await page.setViewportSize({ width: sheet, height: 1_000 });
    expect(await findNarrow(page), "paper").toStrictEqual([]);
  });

  it("has its navigation in one row on a phone, and its answer before its buttons", async () => {
    for (const name of ["search", "funder"]) {
      const { page } = await site().visit(pathOf(name), { width: 390 });
      await page.waitForSelector("table.grants");
      const tops = await page
        .locator(".nav a")
        .evaluateAll((links) => links.map((link) => link.getBoundingClientRect().top));
      expect(new Set(tops).size, name).toBe(1);
      const topOf = async (selector: string) => (await page.locator(selector).first().boundingBox())?.y ?? 0;
      const answer = await topOf(name === "search" ? ".totals-sentence" : "main .lede");
      expect(answer, name).toBeLessThan(await topOf("main .csv"));
      await page.context().close();
    }
  });

  it("of a search prints 100 rows on at most six sheets of A4", async () => {
    const { page } = await site().visit("/?min_amount=1");
    await page.waitForSelector("table.grants");
    expect(await page.locator("table.grants tbody tr").count()).toBe(100);
    const margin = { top: "10mm", right: "10mm", bottom: "10mm", left: "10mm" };
    const pdf = (await page.pdf({ format: "A4", margin })).toString("latin1");
    const sheets = pdf.match(/\/Type\s*\/Page\b(?!s)/g)?.length ?? 0;
    expect(sheets).toBeGreaterThan(1);
    expect(sheets).toBeLessThanOrEqual(maxSheets);
  });
});

/** The text columns of the first row that are too narrow. */
function findNarrow(page: Page): Promise<string[]> {
  return page.locator("table.grants tbody tr:first-child td:not(.year, .amount, .type)").evaluateAll(
    (cells, characters) =>
      cells.flatMap((cell) => {
        const { paddingLeft, paddingRight, font } = getComputedStyle(cell);
        const context = document.createElement("canvas").getContext("2d") as CanvasRenderingContext2D;
        context.font = font;
        const needed = context.measureText("0".repeat(characters)).width;
        const width = cell.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
        return width >= needed ? [] : [`${cell.className || "purpose"}: ${width} px, needs ${needed}`];
      }),
    minCharacters,
  );
}
