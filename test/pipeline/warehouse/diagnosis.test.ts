// Owns the proof that what cannot be read is named, and that money is not rounded when files of several types are united.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkReadable } from "../../../pipeline/warehouse/diagnosis.ts";
import { checkWarehouse } from "../../../pipeline/warehouse/warehouse.ts";
import { runCommand } from "../release.fixture.ts";
import { patchFooter, useFolder, useParquet } from "./warehouse.fixture.ts";

const folder = useFolder();
const { connection, put } = useParquet(folder);

describe("checkReadable", () => {
  it("passes where all files can be read, alone and together", async () => {
    await put("a.parquet", { id: "1::INTEGER", amount: "1::DECIMAL(9,0)" });
    await put("b.parquet", { id: "2::UBIGINT", amount: "1::DECIMAL(38,10)", type: "" });
    await checkReadable(connection(), await checkWarehouse(connection(), folder.home));
  });

  it("names a column whose types cannot hold the values of all files", async () => {
    await put("a.parquet", { created_at: "TIMESTAMP '9999-12-31'" });
    await put("b.parquet", { created_at: "TIMESTAMP_NS '2020-01-01'" });
    const warehouse = await checkWarehouse(connection(), folder.home);
    expect(await folder.refusal(checkReadable(connection(), warehouse))).toMatch(
      /^values of column created_at cannot be read: types that hold those of every file were expected \(.*"\/a.parquet".*\)$/,
    );
    const ended = await runCommand(["sync"], { WAREHOUSE: folder.home, DATA: join(folder.home, "data") });
    expect(ended.stderr).toMatch(/sync: values of column created_at cannot be read: [^\n]*\n$/);
    expect(ended.code).toBe(2);
  });
});

describe("DECIMALs of more than 38 digits", () => {
  it("are refused: DuckDB reads them as DOUBLE, and wrongly", async () => {
    const path = await put("a.parquet", { amount: "5.00::DECIMAL(38,2)" });
    const precision = (digits: number) => String.fromCharCode(0x15, 2 * digits); // an i32 of Thrift, after the scale
    await patchFooter(path, `\x04${precision(38)}`, `\x04${precision(50)}`);
    expect(await folder.refusal(checkWarehouse(connection(), path))).toBe(
      'WAREHOUSE "/a.parquet": column "amount" has types that need 50 digits together: DECIMAL(50,2) in "/a.parquet"; ' +
        "at most 38 were expected",
    );
  });
});

describe("DECIMALs of several files", () => {
  it("are refused where united they would lose cents", async () => {
    await put("a.parquet", { amount: "5::DECIMAL(38,0)" });
    await put("b.parquet", { amount: "5.25::DECIMAL(18,2)" });
    expect(await folder.refusal(checkWarehouse(connection(), folder.home))).toBe(
      'WAREHOUSE "": column "amount" has types that need 40 digits together: DECIMAL(38,0) in "/a.parquet"; ' +
        'DECIMAL(18,2) in "/b.parquet"; at most 38 were expected',
    );
  });

  it("are read where one DECIMAL holds them", async () => {
    await put("a.parquet", { amount: "5::DECIMAL(36,0)" });
    await put("b.parquet", { amount: "5.25::DECIMAL(18,2)" });
    expect((await checkWarehouse(connection(), folder.home)).columns.amount).toBe("decimal");
  });
});
