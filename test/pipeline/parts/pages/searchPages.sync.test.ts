// Tests how the cutting of search pages ends when a search fails.
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { Search } from "../../../../api-static/search/search.ts";
import { cutSearches } from "../../../../pipeline/parts/pages/searchPages.ts";
import { spread, syncHere } from "../../trust.fixture.ts";
import { useFolder, useParquet } from "../../warehouse/warehouse.fixture.ts";

const folder = useFolder();
const { put } = useParquet(folder);

it("starts no further search after one has failed, and throws the first failure", async () => {
  const warehouse = await put("w.parquet", spread(3), "FROM range(10) t(i)");
  const release = await syncHere(warehouse, join(folder.home, "data"));
  const searches = new Map(Array.from({ length: 40 }, (_, index) => [`purpose=${index}`, {}]));
  const settings = { recipients: 1, purposes: 1, learned: 0, smallPages: 1, largePages: 1 };
  let started = 0;
  const find = vi.spyOn(Search.prototype, "find").mockImplementation(async () => {
    throw new Error(`search ${++started} failed`);
  });
  try {
    const cutting = cutSearches(release, searches, settings, undefined, () => undefined);
    await expect(cutting).rejects.toThrow("search 1 failed");
    expect(started).toBeLessThanOrEqual(3);
  } finally {
    find.mockRestore();
  }
});
