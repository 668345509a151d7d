// Shows numbers that a reader could wrongly publish: grants that several filings list, and shared recipients of large funders.
import { readFile } from "node:fs/promises";
import { parse } from "csv-parse/sync";
import { describe, expect, it } from "vitest";
import type { CornerGrant } from "../../api-static/server/corners.ts";
import { hasChromium, useSite } from "../browser.fixture.ts";

const [refiled, other] = ["521234567", "521234568"];

const grant = (id: number, changes: Partial<CornerGrant>): CornerGrant => ({
  id,
  funder_ein: refiled,
  transaction_year: 2015,
  recipient_name: `School ${id % 100}`,
  recipient_ein: String(200_000_000 + (id % 100)),
  type: "Schedule I",
  amount: "1000.00",
  non_cash_amount: null,
  non_cash_description: null,
  purpose: "General support",
  created_at: "2016-05-04T04:00:00Z",
  ...changes,
});

/** A return with three grants, two of them equal; its amended return with the same and a new one; and grants of other years and funders. */
const firstReturn = [
  grant(1, {}),
  grant(2, {}),
  grant(3, { recipient_name: "School 2", recipient_ein: "200000002" }),
];
const amended = { created_at: "2016-11-15T04:00:00Z" };
const grants = [
  ...firstReturn,
  ...firstReturn.map((same, index) => ({ ...same, ...amended, id: 11 + index })),
  grant(20, amended),
  grant(21, { transaction_year: 2016, amount: "5000.00" }),
  grant(31, { funder_ein: other }),
];

describe.runIf(hasChromium)("grants in two filings", () => {
  const site = useSite({ name: "refiled", grants });

  it("are named where a funder's total stands, with the total without them", async () => {
    const { page, expectClean } = await site().visit(`/funder?ein=${refiled}`);
    await page.getByText("Giving by year").first().waitFor();
    const text = (await page.locator("main").textContent()) ?? "";
    expect(text).toMatch(/Gave \$12,000 in 8 grants from 2015 to 2016\./);
    expect(text).toContain(
      "3 grants of 2015 ($3,000) appear in two filings. Without the repeats, the total is $9,000 in 5 grants.",
    );
    expect(text).toContain("Without repeated grants: $4K in 2015.");
    expect(text).toContain("1–8 of 8"); // nothing is removed
    await expectClean();
  });

  it("can be read in constant dollars, by the average prices of each year", async () => {
    const { page, expectClean } = await site().visit(`/funder?ein=${refiled}`);
    await page.getByRole("button", { name: "In 2024 dollars" }).click();
    await page.getByText("In prices of 2024, by the consumer price index CPI-U").waitFor();
    await page.getByRole("button", { name: "Show as table" }).click();
    const rows = page.getByRole("table", { name: "Giving by year" }).locator("tbody tr");
    expect((await rows.allInnerTexts()).map((row) => row.split(/\s+/).slice(0, 2))).toStrictEqual([
      ["2015", "$9,264"], // $7,000, at 237.017
      ["2016", "$6,535"], // $5,000, at 240.007; 313.689 in 2024
    ]);
    await expectClean();
  });

  it("are named beside the total of a comparison", async () => {
    const { page } = await site().visit(`/compare?ein=${refiled}&ein=${other}`);
    const total = page.locator("tr", { hasText: "Total given" });
    await total.getByText("$12,000").waitFor();
    expect(await total.textContent()).toContain("$9,000 without 3 grants in a second filing");
  });

  it("are compared in a year without grants of one funder, which shows no zero", async () => {
    const { page, expectClean } = await site().visit(
      `/compare?ein=${refiled}&ein=${other}&transaction_year=2016`,
    );
    const cells = async (label: string) =>
      (await page.locator("tr", { hasText: label }).first().locator("> td").allTextContents()).map((text) =>
        text.replace(/^EIN \S{10}/, ""),
      );
    await page.getByText("No grants of 2016 in the data").waitFor();
    expect(await cells("Total given")).toEqual(["$5,000", "No grants of 2016 in the data"]);
    for (const label of ["Usual size", "Grants by size"]) expect((await cells(label))[1]).toBe("–");
    await expectClean();
  });

  it("are compared in the years in common, which all rows follow, and in all years again", async () => {
    const { page, expectClean } = await site().visit(`/compare?ein=${refiled}&ein=${other}&min_year=2015`);
    const cells = (label: string) =>
      page.locator("tr", { hasText: label }).first().locator("> td").allTextContents();
    await page.getByRole("button", { name: "Common years: 2015" }).click();
    await page.getByText("$7,000").waitFor();
    expect(new URL(page.url()).searchParams.get("transaction_year")).toBe("2015");
    expect(await cells("Total given")).toEqual([
      "$7,000$4,000 without 3 grants in a second filing",
      "$1,000",
    ]);
    expect(await cells("Years with grants")).toEqual(["2015 only", "2015 only"]);
    await page.getByRole("button", { name: "All years" }).click();
    await page.getByText("$12,000").waitFor();
    expect(await cells("Years with grants")).toEqual(["2 of 2, 2015–2016", "2015 only"]);
    await expectClean();
  });

  it("are counted on the Status page", async () => {
    const { page } = await site().visit("/status");
    const fact = page.locator("dl.facts div", { hasText: "Repeats of other filings" });
    await fact.waitFor();
    expect(await fact.locator("dd").textContent()).toBe("3 grants, $3,000");
  });

  it("are not mentioned of a funder without any", async () => {
    const { page } = await site().visit(`/funder?ein=${other}`);
    await page.getByText("Giving by year").first().waitFor();
    expect(await page.locator("main").textContent()).not.toContain("filings");
  });
});

describe.runIf(hasChromium)("funders that share 700 recipients", () => {
  const [large, small] = ["521234571", "521234572"];
  const shared = (count: number, funder_ein: string, changes: (index: number) => Partial<CornerGrant>) =>
    Array.from({ length: count }, (_, index) => ({ ...grant(index, changes(index)), funder_ein }));
  /** The newest 6,000 grants of the large funder go to others: a page of its newest grants shows no shared recipient. */
  const grants = [
    ...shared(6_000, large, (index) => ({
      transaction_year: 2018,
      recipient_ein: String(300_000_000 + index),
    })),
    ...shared(700, large, (index) => ({ recipient_ein: String(200_000_000 + index) })),
    ...shared(900, small, (index) => ({ recipient_ein: String(200_000_000 + index) })),
  ].map((one, id) => ({ ...one, id }));
  const site = useSite({ name: "many-shared", grants });
  const path = `/compare?ein=${large}&ein=${small}`;

  it("count all of them, and show up to 500", async () => {
    const { page, expectClean } = await site().visit(path);
    await page.getByRole("heading", { name: "700 recipients funded by two or more" }).waitFor();
    await page.getByRole("button", { name: "Show 500 of 700" }).click();
    expect(await page.locator("table.shared tbody tr").count()).toBe(500);
    await expectClean();
  });

  it("have all of them in the CSV file", async () => {
    const { page } = await site().visit(path);
    const button = page.getByRole("button", { name: "Shared recipients, CSV" });
    await page.waitForSelector("table.shared");
    const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
    const rows: string[][] = parse(await readFile(await download.path(), "utf8"));
    expect(rows.length).toBe(701);
    expect(rows[0]?.slice(2)).toStrictEqual([
      ...[`amount_${large}`, `grants_${large}`, `amount_${small}`, `grants_${small}`],
    ]);
    expect(new Set(rows.slice(1).map((row) => row.slice(2).join()))).toStrictEqual(
      new Set(["1000.00,1,1000.00,1"]),
    );
  });

  it("have the sizes of one year counted over all of its grants", async () => {
    const { page } = await site().visit(`${path}&transaction_year=2015`);
    await page.getByRole("heading", { name: "700 recipients funded by two or more" }).waitFor();
    const sizes = page.locator("tr", { hasText: "Usual size" }).first();
    expect(await sizes.textContent()).toContain("100% of grants");
  });
});
