// Follows a cause as a grant seeker does: from a funder, to all funders of it, to those to look at; compares the numbers with SQL.
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import {
  formatAmount,
  formatAmountLong,
  formatCount,
  formatCounted,
} from "../../../site/src/text/numbers.ts";
import { circleFunder, useCircles } from "../../pipeline/likelyFunders.fixture.ts";
import { close, openSmallDatabase } from "../../pipeline/warehouse/warehouse.fixture.ts";
import { hasChromium, useSite } from "../browser.fixture.ts";

const warehouse = useCircles();

type Row = { readonly key: string; readonly amount: number; readonly grants: number };

describe.runIf(hasChromium)("a cause", () => {
  const site = useSite(warehouse);

  /** The sums of grants, with the code and the state of their recipients, by a key: most of the order first. */
  const groupsOf = async (key: string, where: string, order = "amount"): Promise<Row[]> => {
    const database = await openSmallDatabase();
    try {
      const rows = await database.connection.runAndReadAll(`
        SELECT ${key} AS key, sum(amount)::DOUBLE AS amount, count(*)::INTEGER AS grants
        FROM '${join(warehouse.warehouse, "grants.parquet")}' AS given
        JOIN '${join(warehouse.warehouse, "organizations.parquet")}' AS listed ON listed.ein = given.recipient_ein
        WHERE ${where} GROUP BY ALL ORDER BY ${order} DESC, ${order === "amount" ? "grants" : "amount"} DESC, key`);
      return rows.getRowObjects() as Row[];
    } finally {
      close(database);
    }
  };
  const ranks = (page: Page, caption: string) =>
    page
      .getByRole("table", { name: caption, exact: true })
      .locator("tbody tr")
      .evaluateAll((rows) =>
        rows.map((row) =>
          [...row.querySelectorAll<HTMLElement>("td.is-number")].map((cell) => cell.innerText.trim()),
        ),
      );
  const asRanks = (rows: readonly Row[]) =>
    rows.map(({ amount, grants }) => [formatAmount(amount), formatCount(grants)]);

  it("has a bar on the page of a funder, which leads to these grants, and the page says its share", async () => {
    const ein = String(circleFunder(0, 3));
    const { page, expectClean } = await site().visit(`/funder?ein=${ein}`, {
      moves: "the status says that the release knows no states of funders, whose field goes",
    });
    await page.getByRole("heading", { name: "Causes", exact: true }).waitFor();
    const causes = await groupsOf("left(ntee_code, 1)", `funder_ein = ${ein}`);
    await expect.poll(() => ranks(page, "Grants by recipient cause")).toStrictEqual(asRanks(causes));
    const habits = page.locator(".habits");
    await habits
      .getByText("Of dollars whose cause is known, 100% went to Arts, Culture & Humanities.")
      .waitFor();
    expect(await habits.textContent()).toContain("All of its grants in this data are of 2021.");
    await page.getByRole("link", { name: "Arts, Culture & Humanities" }).click();
    await page.waitForURL(/recipient_cause=A/);
    const [cause] = causes;
    await page.locator("#result", { hasText: formatCounted(cause?.grants ?? 0) }).waitFor();
    await expectClean();
  });

  it("has a page of its funders with its name in the heading, reached from a search and from its group", async () => {
    const { page, expectClean } = await site().visit("/?recipient_cause=A68");
    await page.locator("#result", { hasText: "to organizations for “Music (A68)”" }).waitFor();
    await page.getByRole("link", { name: "Funders of this cause" }).click();
    const funders = await groupsOf("funder_ein::VARCHAR", "ntee_code = 'A68'");
    const heading = `${formatCounted(funders.length, "funder")} of grants to organizations for “Music (A68)”`;
    await page.locator("#result", { hasText: heading }).waitFor();
    expect(await page.title()).toBe(`${heading} – Grant History`);
    expect((await ranks(page, "Grants by funder")).slice(0, 10)).toStrictEqual(asRanks(funders.slice(0, 10)));
    await expectClean();
    const groups = await site().visit("/groups?by=recipient_cause&level=code");
    await groups.page.getByRole("link", { name: "Funders of Music (A68)" }).click();
    await groups.page.locator("#result", { hasText: heading }).waitFor();
    await groups.expectClean();
  });

  it("in a state has funders to look at, with their grants, habits and whether they take applications", async () => {
    const { page } = await site().visit("/?recipient_cause=A&recipient_state=OH", {
      moves: "what is known of each funder comes after the list that a reader opened",
    });
    await page.locator(".to-look-at > summary").click();
    const items = page.locator(".likely-funders > li");
    await items.first().waitFor();
    const expected = await groupsOf(
      "funder_ein::VARCHAR",
      "ntee_code[1] = 'A' AND recipient_state = 'OH'",
      "grants",
    );
    expect(expected.length).toBeGreaterThan(10);
    const texts = (await items.allTextContents()).map((text) => text.replaceAll(/\s+/g, " "));
    expect(texts).toHaveLength(10);
    for (const [index, { amount, grants }] of expected.slice(0, 10).entries())
      expect(texts[index]).toContain(
        `Gave ${formatAmountLong(amount)} in ${formatCounted(grants)} of this search.`,
      );
    expect(texts[0]).toContain("No return in the data says whether it takes applications.");
    await items
      .first()
      .getByText(/^Half of its grants are from/)
      .waitFor();
  });
});
