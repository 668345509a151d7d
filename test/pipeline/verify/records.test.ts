// Tests that nights compare the records of all funders, in turn.
import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parts } from "../../../api-static/release/layout.ts";
import { readManifest } from "../../../pipeline/releases/manifest.ts";
import { findRecordProblems } from "../../../pipeline/verify/records.ts";
import { spread, syncHere } from "../trust.fixture.ts";
import { useFolder, useParquet } from "../warehouse/warehouse.fixture.ts";

const folder = useFolder();
const { put, connection } = useParquet(folder);

it("finds a wrong record on the nights of its funder, and by reading all", async () => {
  const warehouse = await put("w.parquet", spread(40), "FROM range(800) t(i)");
  const whole = await syncHere(warehouse, join(folder.home, "data"));
  const copy = join(folder.home, "release");
  await cp(whole, copy, { recursive: true, verbatimSymlinks: true });
  const manifest = await readManifest(copy);
  await connection().run(`ATTACH '${join(copy, parts.index)}' AS index (READ_ONLY); USE index`);
  const findOn = (day: number, isWhole = false) =>
    findRecordProblems(
      connection(),
      copy,
      { ...manifest, release: `202611${10 + day}T040000Z` },
      isWhole,
      100,
    );
  const records = await readFile(join(copy, parts.records), "latin1");
  const lines = records.split("\n");
  const nights = Array.from({ length: 16 }, (_, day) => day);
  for (const night of nights) expect(await findOn(night)).toEqual([]);
  for (const position of [0, 399, 799]) {
    const damaged = lines.with(position, lines[position]?.replace(/\.25,/, ".26,") ?? "");
    await writeFile(join(copy, parts.records), damaged.join("\n"), "latin1");
    const found = [];
    for (const night of nights) found.push((await findOn(night)).length > 0);
    expect([position, found]).toEqual([position, expect.arrayContaining([true, false])]);
    expect((await findOn(0, true)).join()).toContain(`position ${position} differs from its record`);
  }
  const swapped = lines.with(10, lines[11] ?? "").with(11, lines[10] ?? "");
  await writeFile(join(copy, parts.records), swapped.join("\n"), "latin1");
  expect(await findOn(0, true)).toEqual(["records: 1 records out of order"]);
  await connection().run("USE memory; DETACH index");
});
