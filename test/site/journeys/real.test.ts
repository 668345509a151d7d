// Opens the pages of real filings, whose figures were counted by hand from the data.
import { describe, expect, it } from "vitest";
import { isRealTested, realWarehouse } from "../../realWarehouse.ts";
import { hasChromium, type Scheme, useSite, widths } from "../browser.fixture.ts";

const isHere = hasChromium && isRealTested("the site's pages");
const notListed = /status of 404/;

describe.runIf(isHere)("real filings", () => {
  const site = useSite({ warehouse: realWarehouse });
  const textOf = async (path: string, text: string) => {
    const { page, expectClean } = await site().visit(path, { allowed: notListed });
    await page.getByText(text).first().waitFor();
    await expectClean();
    return (await page.locator("main").textContent()) ?? "";
  };

  it("a community foundation: what it gave, when, in which sizes, to whom", async () => {
    const text = await textOf("/funder?ein=200253310", "Top recipients");
    expect(text).toMatch(/Gave \$31\.1 million in 1,723 grants from 2010 to 2018/);
    expect(text).toContain("137 grants of 2015 ($2.8 million) appear in two filings.");
    expect(text).toContain("Without the repeats, the total is $28.3 million in 1,586 grants.");
    expect(text).toMatch(/\$1,000 to \$9,999.*45%/);
    expect(text).toMatch(/2011 and 2012.*doesn’t mean nothing was given/);
    expect(text).toMatch(/Bank of America Charitable Gift Fund.*\$2,576,721/);
    expect(text).toContain("All 1,723 grants");
    expect(text).toContain("1–100 of 1,723");
  });

  it("a university: what it received, and its spellings", async () => {
    const text = await textOf("/recipient?ein=951642394", "Written 14 ways");
    expect(text).toMatch(/Received \$2\.6 million in 40 grants from 5 funders/);
    expect(text).toMatch(/92% of it|gave 92%/);
    expect(text).toMatch(/USC Norris Comprehensive Cancer Center\s*8 grants/);
    expect(text).toContain("$2,401,886");
  });

  it("four funders: the year they have in common, and the recipients they share", async () => {
    const eins = ["200253310", "431634280", "541517707", "421559999"];
    const text = await textOf(
      `/compare?${eins.map((ein) => `ein=${ein}`).join("&")}`,
      "funded by two or more",
    );
    expect(text).toContain("2018 is the only year all four have grants in");
    expect(text).toContain("78 recipients funded by two or more");
    expect(text).toContain("$94.7 million");
  });

  it("a search, in every look", async () => {
    for (const scheme of ["light", "dark"] as readonly Scheme[])
      for (const width of Object.values(widths)) {
        const { page, expectClean } = await site().visit("/?purpose=food&min_amount=10000", {
          scheme,
          width,
        });
        await page.waitForSelector("table.grants");
        expect(await page.locator("#result").textContent()).toBe("48 grants of $10,000 or more for “food”");
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
        await expectClean();
        await page.context().close();
      }
  });
});
