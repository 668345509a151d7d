// Tests that columns beside those of a record change no record of a release.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Progress } from "../../pipeline/base/progress.ts";
import { readSyncSettings } from "../../pipeline/settings.ts";
import { sync } from "../../pipeline/sync.ts";
import { noSearches } from "./release.fixture.ts";
import { smallSite } from "./smallSite.ts";
import { digestContent, findRelease, spread } from "./trust.fixture.ts";
import { useFolder, useParquet } from "./warehouse/warehouse.fixture.ts";

const folder = useFolder();
const { put } = useParquet(folder);

/** Syncs two files of 30 grants each, the first with more columns. Returns the digests of the release, and the lines printed. */
async function syncWith(name: string, columns: Readonly<Record<string, string>>) {
  const [warehouse, data] = [join(folder.home, "w"), join(folder.home, name)];
  await put("w/a.parquet", { ...spread(5), ...columns }, "FROM range(30) t(i)");
  await put("w/b.parquet", spread(4), "FROM range(30, 60) t(i)");
  const environment = { WAREHOUSE: warehouse, DATA: data, MEMORY: "1GB", THREADS: "1", ...noSearches };
  let printed = "";
  const write = (text: string) => {
    printed += text;
    return true;
  };
  const progress = new Progress({ write }, () => 0);
  await sync(readSyncSettings(environment), { progress, clock: () => new Date(), site: smallSite });
  const release = await findRelease(data);
  const report = JSON.parse(await readFile(join(release, "report.json"), "utf8"));
  const warnings = printed.split("\n").filter((line) => line.includes("column"));
  return { content: await digestContent(release), ignored: report.unknown_columns, warnings };
}

it("a recipient's country, status and relationship change no byte of a release, its city and ZIP code the index alone", async () => {
  const without = await syncWith("without", {});
  expect(without).toMatchObject({ ignored: [], warnings: [] });
  const texts = {
    ...{ recipient_country: "NULL::VARCHAR", recipient_status: "' PC '", recipient_relationship: "''" },
  };
  expect(await syncWith("texts", texts)).toEqual(without);
  for (const [name, place] of Object.entries({ recipient_city: "'TAMPA'", Recipient_ZIP: "'33601'" })) {
    const { content } = await syncWith(name, { ...texts, [name]: place });
    const changed = Object.keys(content).filter((part) => content[part] !== without.content[part]);
    expect(changed).toEqual(["index.columns", "index.duckdb"]);
  }
  const integers = await syncWith("integers", {
    ...texts,
    Recipient_ZIP: "33601",
    recipient_status: "[1, 2]",
  });
  expect(integers.content).toEqual(without.content);
  expect(integers.ignored).toEqual(["recipient_status", "recipient_zip"]);
  const type = (column: string) => `warning: column "${column}" has type \\w+ in ".*a.parquet"`;
  expect(integers.warnings).toEqual([
    expect.stringMatching(`^${type("recipient_zip")}; expected VARCHAR; it is ignored$`),
    expect.stringMatching(`^${type("recipient_status")}; expected VARCHAR; it is ignored$`),
  ]);
});

it("a recipient's state changes the index alone, and is ignored if it is not text", async () => {
  const funder_ein = "CASE WHEN i > 0 THEN 100000001 END"; // a row is rejected
  const without = await syncWith("without", { funder_ein });
  const changes = async (name: string, state: string) => {
    const { content } = await syncWith(name, { funder_ein, Recipient_State: state });
    return Object.keys(content).filter((part) => content[part] !== without.content[part]);
  };
  expect(await changes("texts", "'fl'")).toEqual(["index.columns", "index.duckdb"]);
  expect(await changes("integers", "5")).toEqual([]);
});
