// Tests that a release becomes current only after all its checks.
import { readdirSync, utimesSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { DamagedError, InputError } from "../../pipeline/base/failure.ts";
import { Progress } from "../../pipeline/base/progress.ts";
import { readSyncSettings, type SyncSettings } from "../../pipeline/settings.ts";
import { sync } from "../../pipeline/sync.ts";
import { noSearches } from "./release.fixture.ts";
import { smallSite } from "./smallSite.ts";
import { expectNoLeftovers, findRelease, spread, syncHere } from "./trust.fixture.ts";
import { useFolder, useParquet } from "./warehouse/warehouse.fixture.ts";

const folder = useFolder();
const { put } = useParquet(folder);

let [warehouse, data, before] = ["", "", ""];

beforeEach(async () => {
  data = join(folder.home, "data");
  warehouse = await put("w.parquet", spread(3), "FROM range(30) t(i)");
  before = await findRelease(await makeFirst());
});

async function makeFirst(): Promise<string> {
  await syncHere(warehouse, data);
  return data;
}

/** Runs a sync, usually a forced one, and something else right after one of its steps. */
function syncWith(step: string, act: () => void, bounds: Partial<SyncSettings> = {}) {
  const settings = readSyncSettings({
    ...{ WAREHOUSE: warehouse, DATA: data, FORCE: "1", THREADS: "1" },
    ...noSearches,
  });
  const write = (line: string) => {
    if (line.startsWith(step)) act();
  };
  const progress = new Progress({ write }, () => performance.now());
  return sync({ ...settings, ...bounds }, { progress, clock: () => new Date(), site: smallSite });
}

/** Expects the first release to be current and the only one. */
async function expectFirst(): Promise<void> {
  expect(await findRelease(data)).toBe(before);
  expect(await readdir(join(data, "releases"))).toHaveLength(1);
  await expectNoLeftovers(data);
}

it("a release whose page is damaged after it was cut is not made current: it is verified first", async () => {
  const damagePage = () => {
    const funders = join(data, "building/release/public/v1/funders");
    const [ein = ""] = readdirSync(funders);
    const [page = ""] = readdirSync(join(funders, ein));
    writeFileSync(join(funders, ein, page), "damaged");
  };
  await expect(syncWith("cut searches", damagePage)).rejects.toThrow(DamagedError);
  await expectFirst();
});

it.each(["check rows", "order grants"])(
  "a release of a warehouse that changed while it was read is not built: %s",
  async (step) => {
    await put("w.parquet", { ...spread(3), purpose: "'OTHER'" }, "FROM range(30) t(i)");
    const changing = syncWith(step, () => utimesSync(warehouse, 1, 1));
    await expect(changing).rejects.toThrow(InputError);
    await expect(changing).rejects.toThrow(/^the warehouse changed while it was read: "/);
    await expectFirst();
  },
);

it("a release that needs more memory than the setting is not built", async () => {
  await expect(syncWith("", () => {}, { memory: "1MB" })).rejects.toThrow(/memory|spill/i);
  await expectFirst();
});
