// Looks at likely grants of a recipient as a reader does: the switch, the evidence, the file, back, and on paper.
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { matchRules } from "../../../api-static/contract/answers/matchRules.ts";
import { recipients } from "../../pipeline/matches.fixture.ts";
import { callsOf, hasChromium, useSite, widths } from "../browser.fixture.ts";

const lede = (page: Page) => page.locator(".lede").textContent();
const rows = (page: Page) => page.locator("table.grants tbody tr").count();
const switchTo = (page: Page, choice: string) => page.locator(".likely-switch").getByText(choice).click();
const allowed = /status of 404/; // organizations that no list has

describe.runIf(hasChromium)("likely grants", () => {
  const site = useSite({ withMatches: true });

  it("are absent until the switch shows them, with rule and evidence; back hides them again", async () => {
    const { page, expectClean } = await site().visit(`/recipient?ein=${recipients.both}`, { allowed });
    expect(await page.locator(".likely-switch p").textContent()).toBe(
      "10 grants without an EIN are likely this recipient’s, too.",
    );
    expect([await rows(page), await page.locator(".likely-mark, .bar-likely").count()]).toEqual([20, 0]);
    await switchTo(page, "With likely matches");
    await page.locator(".likely-mark").first().waitFor();
    expect(new URL(page.url()).search).toBe(`?ein=${recipients.both}&matched=include`);
    expect(await lede(page)).toBe(
      "Received $11,225 in 20 grants from 20 funders, 2015 to 2021. 10 more, $3,963, are likely.",
    );
    expect(await page.locator("#grants").textContent()).toBe("All 20 grants as filed, and 10 likely ones");
    expect([await rows(page), await page.locator(".likely-mark").count()]).toEqual([30, 10]);
    expect(await callsOf(page)).toContain(
      `/v1/recipients/${recipients.both}/history?matched=include&limit=1000`,
    );
    await page.locator(".likely-mark summary").first().click();
    const why = await page.locator(".likely-mark p").first().textContent();
    expect(why).toContain(`${matchRules.history} Filed by 20 funders for this name in Houston, TX.`);
    expect(why).toMatch(/At least 99\.\d% of the matches of this rule are right\./);
    await page.goBack();
    await page.locator(".likely-mark").first().waitFor({ state: "detached" });
    expect([await rows(page), new URL(page.url()).search]).toEqual([20, `?ein=${recipients.both}`]);
    await expectClean();
  });

  it("are hatched in the chart beside a text that never adds them, and stay so on paper", async () => {
    const path = `/recipient?ein=${recipients.both}&matched=include`;
    const moves = "paper has another layout";
    const { page, expectClean } = await site().visit(path, { allowed, moves });
    const columns = page.locator("svg.chart a[aria-label], svg.chart g[aria-label]");
    expect(await columns.first().getAttribute("aria-label")).toBe(
      "2015: $1,843.75 in 3 grants as filed; $101.25 in 1 likely grant",
    );
    expect(await page.locator(".bar-likely[fill^='url(#']").count()).toBe(8); // seven years, and the legend
    await page.emulateMedia({ media: "print" });
    expect(await page.locator(".bar-likely").nth(1).isVisible()).toBe(true);
    expect(await page.locator(".likely-mark summary").first().isVisible()).toBe(true);
    await page.emulateMedia({ media: "screen" });
    await page.getByRole("button", { name: "Show as table" }).first().click();
    expect(await page.locator(".chart-table tbody tr").first().innerText()).toMatch(
      /2015\s+\$1,843\.75\s+3\s+\$101\.25\s+1/,
    );
    await expectClean();
  });

  it("come in a file with columns of their own", async () => {
    const { page } = await site().visit(`/recipient?ein=${recipients.both}&matched=include`, { allowed });
    expect(await page.locator(".csv .note").textContent()).toContain("matched_ein and match_rule");
    const link = page.getByRole("link", { name: "Download CSV" });
    const [head, ...lines] = (await site().served.askText(String(await link.getAttribute("href")))).split(
      "\r\n",
    );
    expect(head).toMatch(/,matched_ein,match_rule$/);
    expect(lines.filter((line) => line.endsWith(`,${recipients.both},history`))).toHaveLength(10);
  });

  it("can be all that is known of a recipient", async () => {
    const { page, expectClean } = await site().visit(`/recipient?ein=${recipients.unfiled}`, {
      allowed,
      width: widths.phone,
    });
    expect(await lede(page)).toBe("No grant names this EIN.");
    expect(await page.locator("#grants").textContent()).toBe("No grants as filed");
    await switchTo(page, "With likely matches");
    await page.locator("#grants", { hasText: "5 likely grants" }).waitFor();
    await expect.poll(() => rows(page)).toBe(5); // totals may come before rows
    await expectClean();
  });

  it("leave no switch on the page of a recipient without any", async () => {
    const { page } = await site().visit(`/recipient?ein=${recipients.filed}`, { allowed });
    await page.locator("table.grants").waitFor();
    expect(await page.locator(".likely-switch").count()).toBe(0);
  });
});
