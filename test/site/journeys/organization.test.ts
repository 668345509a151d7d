// Walks through a funder's grants as a reader does: filters, a wrong filter, pages and back; then through its money.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { findFunderRow, parts } from "../../../api-static/release/layout.ts";
import type { Organization } from "../../../site/src/api/client.ts";
import { formatAmountLong, formatCounted } from "../../../site/src/text/numbers.ts";
import { callsOf, hasChromium, useSite } from "../browser.fixture.ts";

const heading = (page: Page, text: string) => page.locator("#grants", { hasText: text }).waitFor();

describe.runIf(hasChromium)("a funder's grants", () => {
  const site = useSite({ sampleRows: 5_000 });
  const open = () => site().visit(`/funder?ein=${site().served.facts.big.ein}`);

  it("are filtered by all words of a text, and the page shows the call that finds them", async () => {
    const { big, purposeWord } = site().served.facts;
    const { page, expectClean } = await open();
    await page.locator("#filter-min_amount").fill("$1,000");
    await page.locator("#filter-purpose").fill(`${purposeWord}  ${purposeWord}`);
    await page.keyboard.press("Enter");
    const query = `purpose=${purposeWord}+${purposeWord}&match=words&min_amount=1000`;
    const answer = await site().served.ask(`/v1/history?funder_ein=${big.ein}&${query}`);
    const { total } = (await answer.json()) as { total: number };
    await heading(page, `${total} of ${formatCounted(big.records)}`);
    expect(new URLSearchParams(new URL(page.url()).search).get("match")).toBe("words");
    await expectClean();
    expect(await callsOf(page)).toContain("match=words");
  });

  it("stay as they are while a filter is wrong", async () => {
    const { page } = await open();
    await page.locator("#filter-min_amount").fill("much");
    await page.keyboard.press("Enter");
    await page.getByText("An amount is a number of dollars").waitFor();
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("filter-min_amount");
    expect(new URL(page.url()).searchParams.has("min_amount")).toBe(false);
  });

  it("are walked in one release from their heading, and back to the place that was left", async () => {
    const { page, expectClean } = await open();
    const next = page.getByRole("link", { name: "Next" });
    await next.scrollIntoViewIfNeeded();
    await page.waitForTimeout(300); // a scroll ends
    const left = await page.evaluate(() => scrollY);
    await next.click();
    await page.waitForFunction(() => document.activeElement?.id === "grants");
    expect(await page.evaluate(() => history.state.release)).toMatch(/^\d{8}T\d{6}Z$/);
    await page.goBack();
    await page.waitForFunction((scroll) => scrollY === scroll, left);
    await expectClean();
  });
});

describe.runIf(hasChromium)("what an organization's returns say", () => {
  const site = useSite({ sampleRows: 5_000 });

  it("is whether a funder takes applications, with the year, a link to the return, and texts as filed", async () => {
    const { folder, release } = site().served;
    const lines = readFileSync(join(folder, parts.profiles), "utf8").split("\n").slice(0, -1);
    const stated = lines
      .map((line) => JSON.parse(line) as Organization)
      .filter(({ ein }) => findFunderRow(release.funders, Number(ein)) !== undefined);
    const sentences = {
      yes: "It says how to apply for its grants",
      no: "It says that it gives only to organizations it selects itself",
    };
    for (const accepts of ["yes", "no"] as const) {
      const { ein, applications } =
        stated.find(
          ({ applications: one }) =>
            one?.accepts === accepts && (one.restrictions !== null) === (accepts === "yes"),
        ) ?? {};
      const { page, expectClean } = await site().visit(`/funder?ein=${ein}`);
      const section = page
        .locator("section", { has: page.getByRole("heading", { name: "Applications" }) })
        .last();
      const year = `${applications?.tax_year} return`;
      await section.getByText(`${sentences[accepts]} (${year}).`).waitFor();
      expect(await section.getByRole("link", { name: year }).getAttribute("href")).toBe(
        `https://projects.propublica.org/nonprofits/organizations/${Number(ein)}/${applications?.source?.object_id}/full`,
      );
      const texts = await section.locator(".filed").allTextContents();
      const { form, deadlines, restrictions } = applications ?? {};
      expect(texts).toEqual(
        accepts === "no"
          ? []
          : [
              `What to send, as filed: ${form}`,
              `Deadlines, as filed: ${deadlines}`,
              `Restrictions, as filed: ${restrictions}`,
            ],
      );
      await expectClean();
    }
    const silent = stated.find(({ applications }) => applications === null);
    const { page } = await site().visit(`/funder?ein=${silent?.ein}`);
    await page.getByRole("heading", { name: "Money and mission" }).waitFor();
    expect(await page.getByRole("heading", { name: "Applications" }).count()).toBe(0);
  });

  it("is a filter of searches, under “More filters”", async () => {
    const { page, expectClean } = await site().visit("/?purpose=support");
    await page.getByRole("button", { name: "More filters" }).click();
    await page.getByLabel("Funders").selectOption("that take applications");
    await page.waitForURL(/accepts=yes/);
    await page.getByRole("heading", { name: /from funders that take applications/ }).waitFor();
    await expectClean();
  });

  it("is its money and mission, below its grants, with a link to the newest", async () => {
    const { folder, release } = site().served;
    const { funders } = release;
    const lines = readFileSync(join(folder, parts.profiles), "utf8").split("\n").slice(0, -1);
    const profiles = lines.map((line) => JSON.parse(line) as Organization);
    const shown = profiles.find(
      ({ ein, mission, finances: [newest, before] }) =>
        findFunderRow(funders, Number(ein)) !== undefined &&
        mission !== null &&
        newest?.revenue != null &&
        before?.revenue != null,
    );
    const [newest] = shown?.finances ?? [];
    const { data: listed } = await (await site().served.ask(`/v1/organizations/${shown?.ein}`)).json();
    const { page, expectClean } = await site().visit(`/funder?ein=${shown?.ein}`);
    const section = page.locator("section", { hasText: "Money and mission" }).last();
    await section.getByText(String(shown?.mission)).waitFor();
    expect(await section.locator(".lede").textContent()).toContain(
      `In its tax year ${newest?.tax_year}, it took in ${formatAmountLong(newest?.revenue ?? 0)}`,
    );
    expect(await section.getByRole("link", { name: "funders of this cause" }).getAttribute("href")).toBe(
      `/groups?by=funder&recipient_cause=${listed.ntee}`,
    );
    expect(await section.getByRole("group", { name: "Revenue by tax year" }).count()).toBe(1);
    expect(await section.getByRole("link", { name: "on ProPublica" }).getAttribute("href")).toBe(
      `https://projects.propublica.org/nonprofits/organizations/${Number(shown?.ein)}/${newest?.source?.object_id}/full`,
    );
    await expectClean();
  });
});
