// Reads the downloads as people do: the page in a browser, its examples, and curl.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { downloadKey, downloadNames } from "../../../api-static/contract/answers/downloads.ts";
import { openDatabase } from "../../../pipeline/base/database.ts";
import { makeExamples } from "../../../site/src/downloads/examples.ts";
import { isInstalled } from "../../programs.ts";
import { hasChromium, useSite } from "../browser.fixture.ts";

const parquet = downloadKey("grants.parquet");

/** True if a language has the packages that an example needs; prints which examples are skipped if not. */
function hasPackages(program: string, code: string): boolean {
  if (spawnSync(program, [program === "Rscript" ? "-e" : "-c", code]).status === 0) return true;
  console.log(`skipped: an example of the Downloads page; ${program} cannot run ${code}`);
  return false;
}

const runners: Readonly<Record<string, ((code: string, folder: string) => string) | undefined>> = {
  pandas: hasPackages("python3", "import pandas, pyarrow")
    ? (code, cwd) => execFileSync("python3", ["-c", code], { cwd, encoding: "utf8" })
    : undefined,
  polars: hasPackages("python3", "import polars")
    ? (code, cwd) => execFileSync("python3", ["-c", code], { cwd, encoding: "utf8" })
    : undefined,
  R: hasPackages("Rscript", "library(arrow); library(dplyr)")
    ? (code, cwd) => execFileSync("Rscript", ["-e", code], { cwd, encoding: "utf8" })
    : undefined,
};

describe.runIf(hasChromium)("the downloads", () => {
  const site = useSite({ onlySampleRows: 5_000 });
  const fileOf = (name: (typeof downloadNames)[number]) =>
    join(site().served.folder, "public", downloadKey(name));

  /** The EINs and sums of the ten funders that gave most, from the records. */
  function findTop(): [string, number][] {
    const sums = new Map<string, number>();
    for (const line of site().served.lines) {
      const { funder_ein, amount } = JSON.parse(line) as { funder_ein: string; amount: number };
      sums.set(funder_ein, (sums.get(funder_ein) ?? 0) + Math.round(amount * 100));
    }
    const sorted = [...sums].toSorted(([, a], [, b]) => b - a).slice(0, 10);
    return sorted.map(([ein, cents]) => [ein, cents / 100]);
  }

  it("are listed with their sizes and digests, a note that they are made up, and links that answer", async () => {
    const { page, expectClean } = await site().visit("/downloads");
    const text = String(await page.locator("main").textContent());
    for (const name of ["grants.parquet", "grants.csv.gz", "matches.parquet"] as const) {
      expect(text).toContain(`(${readFileSync(fileOf(name)).length.toLocaleString("en-US")} bytes)`);
      const [digest] = execFileSync("sha256sum", [fileOf(name)], { encoding: "utf8" }).split(" ");
      expect(text).toContain(`SHA-256 ${digest}`);
    }
    expect(text).toContain("These grants are made up");
    expect(text).toContain(
      `${site().served.facts.records.toLocaleString("en-US")} grants, as of Nov 20, 2026`,
    );
    const links = await page
      .locator("main a")
      .evaluateAll((found) => found.map((link) => (link as HTMLAnchorElement).href));
    expect(links.length).toBeGreaterThan(5);
    for (const link of links) expect((await fetch(link, { method: "HEAD" })).status, link).toBe(200);
    const embedded = await page.locator('script[type="application/ld+json"]').textContent();
    expect(JSON.parse(embedded ?? "")).toStrictEqual(
      JSON.parse(readFileSync(fileOf("croissant.json"), "utf8")),
    );
    await expectClean(); // the policy allows it
  });

  it("have examples on the page with its own origin, to copy", async () => {
    const { page } = await site().visit("/downloads");
    for (const { title, code } of makeExamples(site().origin)) {
      const panel = page.getByRole("group", { name: `Example: ${title}`, exact: true });
      expect(await panel.locator("pre").textContent(), title).toBe(code);
      await panel.getByRole("button", { name: "Copy" }).click();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(code);
    }
  });

  it("have examples that find the funders that gave most", async () => {
    const folder = mkdtempSync(join(tmpdir(), "examples-"));
    const top = findTop();
    try {
      for (const { title, code } of makeExamples(site().origin)) {
        if (title === "DuckDB") expect(await runInDuckDB(code, folder)).toStrictEqual(top);
        if (title === "DuckDB, likely recipients") await checkLikely(await runInDuckDB(code, folder));
        const printed = runners[title]?.(code, folder);
        if (printed !== undefined) for (const [ein] of top) expect(printed, title).toContain(ein);
        const [, url = ""] = /["'](http[^"']+)["']/.exec(code) ?? [];
        expect((await fetch(url, { method: "HEAD" })).status, title).toBe(200);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  /** Compares sums by likely recipient with the summaries of these; a sample may have none. */
  async function checkLikely(rows: readonly [string, number][]): Promise<void> {
    for (const [ein, total] of rows) {
      const { data } = JSON.parse(await site().served.askText(`/v1/recipients/${ein}/summary`)) as {
        data: { matched: { amount: number } };
      };
      expect(data.matched.amount, ein).toBe(total);
    }
  }

  /** Runs an example of DuckDB over HTTP if its extension for that is there, and on the file otherwise. */
  async function runInDuckDB(code: string, folder: string): Promise<[string, number][]> {
    const database = await openDatabase({ memory: "1GB", threads: 1, spillFolder: join(folder, "spill") });
    try {
      const hasHttp = await database.connection.run("INSTALL httpfs; LOAD httpfs").then(
        () => true,
        () => false,
      );
      if (!hasHttp) console.log("DuckDB's httpfs is not available: its example reads the file");
      const local = (_: string, name: "grants.parquet" | "matches.parquet") => fileOf(name);
      const runnable = hasHttp ? code : code.replaceAll(/http[^']+\/([^'/]+)/g, local);
      const rows = await (await database.connection.run(runnable)).getRowsJson();
      return rows.map(([ein, total]) => [String(ein), Number(total)]);
    } finally {
      database.connection.closeSync();
      database.instance.closeSync();
    }
  }

  it.skipIf(!isInstalled("curl", "downloads with curl"))(
    "are fetched in parts and resumed by curl, and have the digests of SHA256SUMS",
    () => {
      const folder = mkdtempSync(join(tmpdir(), "curl-"));
      const curl = (...options: string[]) => execFileSync("curl", ["-fsS", ...options], { cwd: folder });
      try {
        const file = readFileSync(fileOf("grants.parquet"));
        const url = `${site().origin}/${parquet}`;
        expect(curl("-r", "0-3", url).toString()).toBe("PAR1");
        expect(curl("-r", "-4", url).toString()).toBe("PAR1");
        curl("-r", "0-999", "-o", "grants.parquet", url);
        curl("-C", "-", "-o", "grants.parquet", url);
        expect(readFileSync(join(folder, "grants.parquet")).equals(file)).toBe(true);
        for (const name of downloadNames) curl("-O", `${site().origin}/${downloadKey(name)}`);
        const checked = execFileSync("sha256sum", ["--check", "SHA256SUMS"], {
          cwd: folder,
          encoding: "utf8",
        });
        expect(checked).toContain("grants.parquet: OK");
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  );
});
