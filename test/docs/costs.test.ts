// Tests that the cost table adds up, and that it is the only one.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { documents, readDocument, repository } from "./markdown.fixture.ts";

const page = readDocument("docs/costs.md");

/** The cells of each row of the first table, after the item and its arithmetic. */
const rows = page
  .slice(0, page.indexOf("\n## "))
  .split("\n")
  .filter((line) => line.startsWith("| "))
  .map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

describe("docs/costs.md", () => {
  it("has a total for each way to run the service, which is the sum of its items", () => {
    const [heads = [], ...others] = rows;
    const totals = others.find(([item]) => item === "**Total**") ?? [];
    const items = others.filter(([item]) => item !== "**Total**");
    expect(heads.slice(2)).toHaveLength(5);
    for (let column = 2; column < heads.length; column += 1) {
      const sum = items.reduce((total, cells) => total + Number(cells[column]), 0);
      expect(totals[column], heads[column]).toBe(sum.toFixed(2));
    }
  });

  it("names the prices that a dry run of a publish uses", () => {
    const file = readFileSync(join(repository, "pipeline/delivery/prices.json"), "utf8");
    const { S3, R2 } = JSON.parse(file) as Record<string, { write: number; read: number }>;
    const text = page.replaceAll("\n", " ");
    expect(text).toContain(`S3 × $${S3?.write.toFixed(2)} per million`);
    expect(text).toContain(`S3 × $${S3?.read.toFixed(2)} per million`);
    expect(text).toContain(`then $${R2?.write.toFixed(2)} per million`);
  });

  it("is the only document that says what a way to run the service costs", () => {
    for (const path of documents)
      if (path !== "docs/costs.md")
        expect(readDocument(path), path).not.toMatch(/dollars a month|\$\d[\d.]* a month/i);
  });
});
