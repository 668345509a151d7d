// Tests a sync of texts that DuckDB's client changes on their way to JavaScript.
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
