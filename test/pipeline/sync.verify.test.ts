// Tests that a sync fails at once if the release that it built is wrong: building it again would not help.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parts } from "../../api-static/release/layout.ts";
import { Progress } from "../../pipeline/base/progress.ts";
import { readSyncSettings } from "../../pipeline/settings.ts";
import { sync } from "../../pipeline/sync.ts";
import { fewThreads, noSearches } from "./release.fixture.ts";
import { smallSite } from "./smallSite.ts";
import { spread } from "./trust.fixture.ts";
import { useFolder, useParquet } from "./warehouse/warehouse.fixture.ts";

const folder = useFolder();
const { put } = useParquet(folder);

/** Damages the records just before they are verified. */
class DamagingProgress extends Progress {
  verifications = 0;
  readonly #data: string;

  constructor(data: string) {
    super({ write: () => true }, () => performance.now());
    this.#data = data;
  }

  override async run<Result>(
    ...[name, total, unit, work]: Parameters<typeof Progress.prototype.run<Result>>
  ) {
    if (name === "verify") {
      this.verifications += 1;
      const path = join(this.#data, "building", "release", parts.records);
      await writeFile(path, (await readFile(path, "utf8")).replace(".25,", ".26,"));
    }
    return super.run(name, total, unit, work);
  }
}

it("does not build a release twice if it fails verification", async () => {
  const data = join(folder.home, "data");
  const warehouse = await put("w.parquet", spread(3), "FROM range(30) t(i)");
  const settings = readSyncSettings({ WAREHOUSE: warehouse, DATA: data, ...fewThreads, ...noSearches });
  const progress = new DamagingProgress(data);
  const context = { progress, clock: () => new Date(), site: smallSite };
  await expect(sync(settings, context)).rejects.toThrow("does not match its manifest");
  expect(progress.verifications).toBe(1);
  expect(await readdir(join(data, "releases")).catch(() => [])).toEqual([]);
});
