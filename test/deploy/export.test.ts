// Tests docs/export.md: its statements name every column, and its command writes what a sync reads.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { recordFields } from "../../api-static/contract/answers/record.ts";
import { checkWarehouse } from "../../pipeline/warehouse/warehouse.ts";
import { checkout } from "../pipeline/release.fixture.ts";
import { useFolder, useParquet } from "../pipeline/warehouse/warehouse.fixture.ts";

const folder = useFolder();
const { connection } = useParquet(folder);

const sections = readFileSync(join(checkout, "docs/export.md"), "utf8").split("\n## ").slice(1);
const warehouses = ["BigQuery", "Snowflake", "Redshift", "Databricks", "PostgreSQL"];
const sectionOf = (name: string) => sections.find((section) => section.startsWith(`${name}\n`)) ?? "";

/** The code blocks of a section, in order. */
function blocksOf(section: string): string[] {
  return [...section.matchAll(/^```\w+\n(.*?)^```$/gms)].map(([, block = ""]) => block);
}

describe("docs/export.md", () => {
  it.each(warehouses)("exports every column of the contract, under its name, from %s", (name) => {
    const [statement = ""] = blocksOf(sectionOf(name));
    const [, selected = ""] = /SELECT\n?(.*?)\n\s*FROM /s.exec(statement) ?? [];
    const names = selected.split(/,(?![^(]*\))/).map((column) => /"?(\w+)"?\s*$/.exec(column)?.[1]);
    expect(names).toEqual([...recordFields]);
  });

  it("makes Parquet of PostgreSQL's CSV, value for value", async () => {
    const cases = [
      `1,131635294,2020,"A ""School"", of\nBöblingen \\N",20-0253310,,1.05,,"",P,2026-11-20 04:00:00.123456+00`,
      "2,131635294,2021,,,Schedule I,-250.00,12345678901234.56,,,2026-11-20 04:00:00+00",
    ];
    await writeFile(join(folder.home, "grants.csv"), `${recordFields.join(",")}\n${cases.join("\n")}\n`);
    await symlink(join(checkout, "node_modules"), join(folder.home, "node_modules"));
    const command = blocksOf(sectionOf("PostgreSQL"))[1]?.replace("node_modules/.bin/node", process.execPath);
    const ended = spawnSync("bash", ["-ec", command ?? "false"], { cwd: folder.home, encoding: "utf8" });
    expect(ended.status, ended.stderr).toBe(0);

    const made = join(folder.home, "data/warehouse.next");
    expect(readdirSync(made)).toEqual(["grants.parquet"]);
    const { rows, columns, unknownColumns } = await checkWarehouse(connection(), made);
    expect({ rows, unknownColumns }).toEqual({ rows: 2, unknownColumns: [] });
    expect(columns).toMatchObject({ id: "integer", amount: "decimal", created_at: "timestamptz" });
    await connection().run("SET TimeZone = 'UTC'");
    const read = await connection().runAndReadAll(`FROM '${join(made, "grants.parquet")}' ORDER BY id`);
    expect(read.getRowsJson()).toEqual([
      [
        "1",
        "131635294",
        2020,
        'A "School", of\nBöblingen \\N',
        "20-0253310",
        null,
        "1.05",
        null,
        null, // an empty text becomes null
        "P",
        "2026-11-20 04:00:00.123456+00",
      ],
      [
        "2",
        "131635294",
        2021,
        null,
        null,
        "Schedule I",
        "-250.00",
        "12345678901234.56",
        null,
        null,
        "2026-11-20 04:00:00+00",
      ],
    ]);
  });
});
