// Tests that pages are the same whatever the reader's language is.
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { CornerGrant } from "../../api-static/server/corners.ts";
import { hasChromium, useSite } from "../browser.fixture.ts";

const [first, second] = ["200253310", "200253311"];

const grants = Array.from(
  { length: 1_200 },
  (_, id): CornerGrant => ({
    id,
    funder_ein: id % 2 === 0 ? first : second,
    transaction_year: 2015 + (id % 3),
    recipient_name: `School ${id % 7}`,
    recipient_ein: String(300_000_000 + (id % 7)),
    type: "Schedule I",
    amount: `${id * 1_234}.50`,
    non_cash_amount: null,
    non_cash_description: null,
    purpose: "MUSIC",
    created_at: "2016-05-04T04:00:00Z",
  }),
);

const pages = [
  ["/", "$887.7 million"],
  ["/?purpose=music&min_amount=1000", "1,199 grants of $1,000 or more for “music”"],
  [`/funder?ein=${first}`, "Funders of the same recipients"],
  [`/compare?ein=${first}&ein=${second}`, "$10K–$100K"],
  ["/groups?by=year", "$"],
  ["/recipient?ein=300000001", "Also funded by them"],
  ["/downloads", "1,200"],
] as const;

describe.runIf(hasChromium)("a reader whose browser is in another language", () => {
  const site = useSite({ name: "locale", grants });
  const textOf = async (page: Page) =>
    ((await page.locator("main").textContent()) ?? "").replaceAll(/\s+/g, " ");

  it.each(pages)("sees %s with the same numbers and dates", async (path, expected) => {
    const here = await site().visit(path);
    await here.page.getByText(expected).first().waitFor();
    const text = await textOf(here.page);
    for (const locale of ["de-DE", "en-CA", "ar-EG"]) {
      const { page, expectClean } = await site().visit(path, { context: { locale } });
      await page.getByText(expected).first().waitFor();
      expect(await textOf(page), locale).toBe(text);
      await expectClean();
      await page.context().close();
    }
  });
});
