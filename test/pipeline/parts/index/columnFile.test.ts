// Tests that sums that a column cannot hold are refused.
import { join } from "node:path";
import { expect, it } from "vitest";
import { openDatabase } from "../../../../pipeline/base/database.ts";
import { InputError } from "../../../../pipeline/base/failure.ts";
import { ColumnFile, fillStarts } from "../../../../pipeline/parts/index/columnFile.ts";
import { useFolder } from "../../warehouse/warehouse.fixture.ts";

const folder = useFolder();

it("names the column whose lists have more values than 32 bits count", async () => {
  const { connection, instance } = await openDatabase({ memory: "100MB", threads: 1, spillFolder: "" });
  const file = new ColumnFile(join(folder.home, "columns"));
  const fill = (counts: string) =>
    fillStarts(connection, `SELECT unnest([${counts}])::INTEGER`, file.add("purpose.start", 3));
  await fill("2147483646, 1");
  await expect(fill("2147483646, 2")).rejects.toThrow(
    new InputError(
      "purpose.start has 2147483648 values; a release holds at most 2147483647: see docs/scale.md",
    ),
  );
  file.close();
  connection.closeSync();
  instance.closeSync();
});
