// Shows data that is difficult to show: markup, formulas, long names, negative amounts, gaps; on all widths and on paper.
import { describe, expect, it } from "vitest";
import type { CornerGrant } from "../../api-static/server/corners.ts";
import { findTooWide, hasChromium, useSite, widths } from "../browser.fixture.ts";

const funder = "521234567";
const recipient = "131635294";
const lasting = "131635295";
const markup = `<img src=x onerror="document.title='run'"><script>document.title='run'</script>`;
const formula = '=HYPERLINK("http://example.org","go")';
const longName = "Society for the Advancement of Very Long Names ".repeat(5).slice(0, 200).trim();

const grant = (id: number, changes: Partial<CornerGrant>): CornerGrant => ({
  id,
  funder_ein: funder,
  transaction_year: 2018,
  recipient_name: "Food Bank",
  recipient_ein: recipient,
  type: "Schedule I",
  amount: "1000.00",
  non_cash_amount: null,
  non_cash_description: null,
  purpose: "General support",
  created_at: "2019-01-01T00:00:00Z",
  ...changes,
});

const grants: readonly CornerGrant[] = [
  grant(1, { recipient_name: markup, purpose: markup, non_cash_description: markup }),
  grant(2, { recipient_name: formula, purpose: formula }),
  grant(3, { recipient_name: longName, purpose: "x".repeat(1_000) }),
  grant(4, { transaction_year: 2014, amount: "-25000.50" }),
  grant(5, { transaction_year: 2010, amount: "9999999999999.99", recipient_ein: null, recipient_name: null }),
  grant(6, { funder_ein: "521234568", recipient_name: longName }),
  ...Array.from({ length: 38 }, (_, index) =>
    grant(7 + index, { transaction_year: 1985 + index, recipient_ein: lasting, funder_ein: "521234568" }),
  ),
];

describe.runIf(hasChromium)("difficult data", () => {
  const site = useSite({ name: "difficult", grants });
  const paths = [
    `/?funder_ein=${funder}`,
    `/funder?ein=${funder}`,
    `/recipient?ein=${recipient}`,
    `/compare?ein=${funder}&ein=521234568`,
  ];

  it("stays text: no markup is read, nothing is loaded or run", async () => {
    for (const path of paths) {
      const { page, expectClean } = await site().visit(path);
      expect(await page.locator("main img, main script").count(), path).toBe(0);
      expect(await page.title(), path).not.toBe("run");
      await expectClean();
      await page.context().close();
    }
  });

  it("is shown whole: markup and formulas as filed, and downloads escape formulas", async () => {
    const { page } = await site().visit(`/?funder_ein=${funder}`);
    const text = (await page.locator("table.grants").textContent()) ?? "";
    for (const filed of [
      markup,
      formula,
      longName,
      "−$25,000.50",
      "$9,999,999,999,999.99",
      "No recipient filed",
    ])
      expect(text).toContain(filed);
    const href = (await page.locator('a[href^="/v1/history.csv"]').first().getAttribute("href")) ?? "";
    expect(await site().served.askText(href)).toContain("'=HYPERLINK");
  });

  it("has every year of the chart, hatched without grants, and negative years below the line", async () => {
    const { page } = await site().visit(`/funder?ein=${funder}`);
    const chart = page.locator("svg.chart").first();
    const hatched = chart.locator('rect[fill^="url("]');
    await hatched.first().waitFor();
    expect(await hatched.count()).toBe(6); // 2011 to 2013, 2015 to 2017
    const axis = (await chart.locator(".axis").boundingBox())?.y ?? 0;
    const negative = await chart.locator('a[aria-label^="2014"] rect.bar').boundingBox();
    expect(negative?.y).toBeGreaterThanOrEqual(axis - 2);
    expect(await page.locator("main").textContent()).toMatch(/2011.*doesn’t mean nothing was given/s);
  });

  it("of 38 years has the newest first, beside the total, and prints every year", async () => {
    const { page } = await site().visit(`/recipient?ein=${lasting}`);
    const grid = page.locator("#grid");
    expect((await grid.locator("thead th").allTextContents()).slice(0, 4)).toEqual([
      ...["Funder", "Total", "2022", "2021"],
    ]);
    const frame = page.locator(".grid-scroll");
    expect(await frame.evaluate((box) => box.scrollWidth > box.clientWidth)).toBe(true);
    await page.setViewportSize({ width: 718, height: 1_000 }); // a sheet of A4
    await page.emulateMedia({ media: "print" });
    expect(await frame.evaluate((box) => box.scrollWidth > box.clientWidth)).toBe(false);
    const cells = grid.locator("td[data-year]");
    expect([await cells.count(), await findTooWide(page)]).toEqual([38, []]);
    expect(await cells.last().isVisible()).toBe(true);
  });

  it("never scrolls sideways, at any width", async () => {
    for (const width of Object.values(widths))
      for (const path of paths) {
        const { page } = await site().visit(path, { width });
        expect(await findTooWide(page), `${path} at ${width}`).toStrictEqual([]);
        await page.context().close();
      }
  });

  it("is printed whole, black on white, without controls", async () => {
    const { page } = await site().visit(`/?funder_ein=${funder}`);
    await page.emulateMedia({ media: "print" });
    for (const control of ["nav[aria-label=Pages]", ".call-bar", ".pager"])
      expect(await page.locator(control).first().isVisible(), control).toBe(false);
    expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(
      "rgb(255, 255, 255)",
    );
    const isCut = await page
      .locator(".clamped")
      .evaluateAll((boxes) => boxes.some((box) => box.scrollHeight > box.clientHeight + 1));
    expect(isCut).toBe(false);
  });
});
