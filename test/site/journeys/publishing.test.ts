// Asks whether totals can be published, compares every number with SQL on the warehouse, and computes a cited sum again from the download.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDatabase } from "../../../pipeline/base/database.ts";
import { formatCounted, formatSum } from "../../../site/src/text/numbers.ts";
import { hasChromium, useSite } from "../browser.fixture.ts";
import { grantsOf } from "../warehouseSql.fixture.ts";

/** Opens the panel and waits until all grants are read. */
async function openPanel(page: Page): Promise<(label: string) => Promise<string>> {
  await page.getByText("Can I publish this?").click();
  await page.locator(".published").waitFor();
  await page.waitForFunction(() => !/Reading/.test(document.querySelector(".published")?.textContent ?? ""));
  return async (label) => {
    const check = page.locator(".published dl > div", { has: page.locator(`dt:text-is("${label}")`) });
    return (await check.locator("dd").textContent()) ?? "";
  };
}

describe.runIf(hasChromium)("a total that a reader may publish", () => {
  const site = useSite({ onlySampleRows: 9_000 });
  let instance: DuckDBInstance;
  let connection: DuckDBConnection;
  beforeAll(async () => {
    const spillFolder = join(site().served.data, "publishing.spill");
    ({ instance, connection } = await openDatabase({ memory: "500MB", threads: 1, spillFolder }));
    await connection.run(grantsOf(join(site().served.warehouse, "grants-*.parquet")));
  });
  afterAll(() => {
    connection?.closeSync();
    instance?.closeSync();
  });

  const readRow = async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjects()[0] ?? {};
  const textOf = (records: unknown, amount: unknown, noun = "grant") =>
    `${formatCounted(Number(records), noun)} (${formatSum(String(amount))})`;

  /** A recipient with an EIN, and a funder of it. */
  const findPair = async () => {
    const { funder, recipient } = await readRow(
      `SELECT funder, recipient FROM grants WHERE recipient IS NOT NULL AND amount < 5000 GROUP BY ALL
      ORDER BY count(*) DESC, funder, recipient LIMIT 1`,
    );
    return { funder: String(funder), recipient: String(recipient) };
  };
  const expectChecks = async (path: string, where: string) => {
    const { page, expectClean } = await site().visit(path, { allowed: /status of 404/ });
    const checkOf = await openPanel(page);
    const all = await readRow(`SELECT count(*) AS records, sum(amount) AS amount,
      count(*) FILTER (recipient IS NULL) AS unnamed, coalesce(sum(amount) FILTER (recipient IS NULL), 0) AS unnamedAmount
      FROM grants WHERE ${where}`);
    const { twice, twiceAmount, equal, equalAmount } = await readRow(`
      WITH copies AS (
        SELECT funder, year, name, recipient, type, purpose, amount, non_cash_amount, non_cash_description,
          created_at, count(*) AS n
        FROM grants WHERE ${where} GROUP BY ALL),
      ranked AS (
        SELECT *, row_number() OVER (PARTITION BY funder, year, name, recipient, type, purpose, amount,
          non_cash_amount, non_cash_description ORDER BY n DESC) AS place FROM copies)
      SELECT coalesce(sum(n) FILTER (place > 1), 0) AS twice, coalesce(sum(n * amount) FILTER (place > 1), 0) AS twiceAmount,
        sum(n - 1) AS equal, sum((n - 1) * amount) AS equalAmount FROM ranked`);
    expect(await checkOf("Exact sum")).toContain(
      `${formatSum(String(all.amount))} in ${formatCounted(Number(all.records))}`,
    );
    expect(await checkOf("Repeats")).toContain(
      Number(twice) === 0 ? "No grant repeats" : textOf(twice, twiceAmount),
    );
    expect(await checkOf("Equal rows")).toContain(
      Number(equal) === 0 ? "No row stands twice" : textOf(equal, equalAmount, "row"),
    );
    expect(await checkOf("Without an EIN")).toContain(
      Number(all.unnamed) === 0 ? "Every grant names" : textOf(all.unnamed, all.unnamedAmount),
    );
    await expectClean();
    await page.context().close();
    return { repeats: Number(twice), equal: Number(equal) };
  };

  it("is checked on a search, a funder, its filtered grants and a recipient as SQL on the warehouse does", async () => {
    const { purposeWord } = site().served.facts;
    const { funder: ein, recipient } = await findPair();
    const funder = `funder = '${ein}'`;
    await expectChecks(`/?purpose=${purposeWord}`, `contains(for_what, '${purposeWord}')`);
    await expectChecks(`/funder?ein=${ein}`, funder);
    await expectChecks(`/funder?ein=${ein}&max_amount=5000`, `${funder} AND amount <= 5000`);
    await expectChecks(`/recipient?ein=${recipient}`, `recipient = '${recipient}'`);
    const { repeats, equal } = await expectChecks("/?min_amount=-1000000000000", "true");
    expect([repeats > 0, equal > 0]).toEqual([true, true]);
  });

  it("is cited with evidence, from which the download gives the same sum", async () => {
    const { funder: ein } = await findPair();
    const { page, expectClean } = await site().visit(`/funder?ein=${ein}&max_amount=5000`);
    await openPanel(page);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save the evidence" }).click(),
    ]);
    const evidence = JSON.parse(await readFile(await download.path(), "utf8"));
    const release = site().served.release.facts.release;
    expect(download.suggestedFilename()).toBe(`evidence-${release}.json`);
    const table = await fetch(evidence.addresses["grants.parquet"]);
    const bytes = new Uint8Array(await table.arrayBuffer());
    const digest = Buffer.from(await crypto.subtle.digest("SHA-256", bytes)).toString("hex");
    expect(evidence.release["grants.parquet"].sha256).toBe(digest);
    const folder = site().served.data;
    await writeFile(join(folder, "grants.parquet"), bytes);
    await download.saveAs(join(folder, download.suggestedFilename()));
    const [, sql = ""] = /DuckDB: (.*)$/.exec(evidence.compute_again) ?? [];
    const again = await readRow(sql.replaceAll(/'([^']+)'/g, (_, name) => `'${join(folder, name)}'`));
    expect(Object.values(again).map(String)).toEqual([
      String(evidence.figure.records),
      evidence.figure.amount,
    ]);
    const totals = (await (await fetch(evidence.addresses.totals)).json()) as { data: { records: number } };
    expect(totals.data.records).toBe(evidence.figure.records);
    await expectClean();

    const citation = await page.locator(".citation").textContent();
    expect(citation).toContain(evidence.addresses.page);
    await page.getByRole("button", { name: "Copy the citation" }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(citation);
  });

  it("opens pinned at its cited address, whose links stay in the release, and leads to the current data", async () => {
    const { funder: ein } = await findPair();
    const release = site().served.release.facts.release;
    const asked: string[] = [];
    const { page, expectClean } = await site().visit(`/r/${release}/funder?ein=${ein}&max_amount=5000`, {
      prepare: async (opened) => {
        opened.on("request", (request) => asked.push(new URL(request.url()).pathname));
      },
    });
    await page.getByText(`The data as they were in release ${release}`).waitFor();
    await page.locator("table.grants").waitFor();
    const calls = asked.filter((path) => path.includes("/v1/"));
    expect(calls.length).toBeGreaterThan(3);
    expect(calls.filter((path) => !path.startsWith(`/r/${release}/`))).toEqual([]);
    await page.locator('table.grants a[href^="/recipient?"]').first().click();
    await page.waitForURL(`**/r/${release}/recipient?**`);
    await page.locator("table.grants").waitFor();
    await page.getByRole("link", { name: "Show the current data" }).click();
    await page.waitForURL((url) => url.pathname === "/recipient");
    await expectClean();
  });

  it("says what to do once the cited release is gone", async () => {
    const { page, expectClean } = await site().visit("/r/20200101T040000Z/funder?ein=131635294", {
      allowed: /status of 404/,
    });
    await page.getByRole("heading", { name: "This release is no longer kept" }).waitFor();
    await page.getByRole("link", { name: "Show the current data" }).click();
    await page.waitForURL((url) => url.pathname === "/funder");
    await expectClean();
  });
});
