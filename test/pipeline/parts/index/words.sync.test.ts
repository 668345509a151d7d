// Tests syncs of texts that DuckDB's client changes on their way to JavaScript, and of very long words.
import { join } from "node:path";
import { expect, it } from "vitest";
import { findProblems, spread, syncHere } from "../../trust.fixture.ts";
import { useFolder, useParquet } from "../../warehouse/warehouse.fixture.ts";

const folder = useFolder();
const { put } = useParquet(folder);

it("keeps a byte order mark at the start of a word", async () => {
  const columns = { ...spread(3), purpose: "'A ' || chr(65279) || 'B'" };
  const release = await syncHere(
    await put("w.parquet", columns, "FROM range(10) t(i)"),
    join(folder.home, "data"),
  );
  expect(await findProblems(release)).toBe("");
});

it.each([
  [
    "random words of 32,000 letters",
    "(SELECT string_agg(md5((i * 1000 + j)::VARCHAR), '' ORDER BY j) FROM range(1000) u(j))",
  ],
  ["words of the same letters", "repeat('é', 5000 + i)"],
])("indexes five %s, and verifies them", async (_, purpose) => {
  const release = await syncHere(
    await put("w.parquet", { ...spread(3), purpose }, "FROM range(5) t(i)"),
    join(folder.home, "data"),
  );
  expect(await findProblems(release)).toBe("");
});
