// Tests that an unreadable file and column are named, and that amounts are not rounded when files of several types are combined.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { InputError } from "../../../pipeline/base/failure.ts";
import { diagnoseReadFailure, findUnreadable } from "../../../pipeline/warehouse/diagnosis.ts";
import { explainUnreadable } from "../../../pipeline/warehouse/unreadable.ts";
import { checkWarehouse } from "../../../pipeline/warehouse/warehouse.ts";
import { runCommand } from "../release.fixture.ts";
import {
  close,
  damageColumn,
  openSmallDatabase,
  patchFooter,
  useFolder,
  useParquet,
} from "./warehouse.fixture.ts";

const folder = useFolder();
const { connection, put } = useParquet(folder);

describe("findUnreadable", () => {
  it("finds nothing if all files can be read, separately and combined", async () => {
    await put("a.parquet", { id: "1::INTEGER", amount: "1::DECIMAL(9,0)" });
    await put("b.parquet", { id: "2::UBIGINT", amount: "1::DECIMAL(38,10)", type: "" });
    const warehouse = await checkWarehouse(connection(), folder.home);
    expect(await findUnreadable(connection(), warehouse)).toBeUndefined();
  });

  it("names a column whose types in several files cannot be combined", async () => {
    await put("a.parquet", { created_at: "TIMESTAMP '9999-12-31'" });
    await put("b.parquet", { created_at: "TIMESTAMP_NS '2020-01-01'" });
    const warehouse = await checkWarehouse(connection(), folder.home);
    expect(await findUnreadable(connection(), warehouse)).toMatch(
      /^column created_at cannot be read: its types differ between files, and no single type holds all values \(.*a.parquet".*\)$/,
    );
    const ended = await runCommand(["sync"], { WAREHOUSE: folder.home, DATA: join(folder.home, "data") });
    expect(ended.stderr).toMatch(/sync: column created_at cannot be read: [^\n]*\n$/);
    expect(ended.code).toBe(2);
  });
});

describe("explainUnreadable", () => {
  it.each([
    [
      'Invalid Input Error: Failed to read file "/w/timestamp/encrypted.parquet": Unsupported compression codec "LZO". Supported options are',
      "its compression LZO is not supported; write it with Zstandard, Snappy or Gzip",
    ],
    [
      'Invalid Error: Failed to read file "/w/utf-8.parquet": Unsupported page encoding',
      "it needs a feature that is not supported (Unsupported page encoding); write it with plain or dictionary encoding",
    ],
    [
      "Invalid Input Error: File '/w/a.parquet' is encrypted, but 'encryption_config' was not set",
      "it is encrypted; write it without encryption",
    ],
    [
      "Conversion Error: Could not convert Timestamp(MS) to Timestamp(US)\nmore",
      "it has a time out of range; write times in microseconds, or null if a time is unknown",
    ],
    [
      'IO Error: Snappy failed in "/w/a"',
      'the file is damaged (IO Error: Snappy failed in "/w/a"); copy it again',
    ],
  ])("tells damage from what DuckDB does not read: %s", (message, explanation) => {
    expect(explainUnreadable(new Error(message))).toBe(explanation);
  });

  it("names a compression of a real file", async () => {
    const path = await put("a.parquet");
    await patchFooter(path, "\x18\x02id\x15\x02", "\x18\x02id\x15\x0a"); // Snappy becomes LZ4 of Hadoop
    const ended = await runCommand(["sync"], { WAREHOUSE: path, DATA: join(folder.home, "data") });
    expect(ended.stderr).toMatch(
      /a\.parquet": column id cannot be read: its compression LZ4 is not supported; write/,
    );
    expect(ended.code).toBe(2);
  });
});

describe("diagnoseReadFailure", () => {
  /** A warehouse of one file whose purposes are damaged, and DuckDB's error when it reads them. */
  async function readDamaged() {
    const path = await put("a.parquet", { id: "i", purpose: "'P ' || i" }, "FROM range(100) t(i)");
    const warehouse = await checkWarehouse(connection(), path);
    await damageColumn(connection(), path, "purpose");
    const reading = connection().run(`SELECT max(purpose) FROM '${path}'`);
    const error: unknown = await reading.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(Error);
    return { path, warehouse, error };
  }

  it("names the file and column, with the failure as its cause", async () => {
    const { path, warehouse, error } = await readDamaged();
    const diagnosed = await diagnoseReadFailure(connection(), warehouse, error);
    expect(diagnosed).toBeInstanceOf(InputError);
    expect(diagnosed).toMatchObject({
      message: expect.stringContaining(`"${path}": column purpose cannot be read: the file is damaged (`),
      cause: error,
    });
  });

  it.each([
    "ENOSPC: no space left on device, write",
    'IO Error: Could not write file "/data/building/spill/duckdb_temp_storage-0.tmp": No space left on device',
    "Out of Memory Error: failed to allocate data of size 4.0 MiB (3.9 GiB/4.0 GiB used)",
    "the warehouse changed while it was read",
    'IO Error: Cannot open file "a.parquet": Too many open files',
    'IO Error: Cannot open file "a.parquet": Permission denied',
    'IO Error: Could not read from file "a.parquet": Input/output error',
  ])("reads nothing after another failure, even from a damaged warehouse: %s", async (message) => {
    const { path, warehouse } = await readDamaged();
    const error = new Error(message.replace("a.parquet", path));
    expect(await diagnoseReadFailure(connection(), warehouse, error)).toBe(error);
  });

  it("keeps the failure if the diagnosis fails too", async () => {
    const { warehouse, error } = await readDamaged();
    const database = await openSmallDatabase();
    close(database);
    expect(await diagnoseReadFailure(database.connection, warehouse, error)).toBe(error);
  });

  it("keeps the failure if every column can be read", async () => {
    const warehouse = await checkWarehouse(connection(), await put("a.parquet"));
    const error = new Error("Conversion Error: of another statement");
    expect(await diagnoseReadFailure(connection(), warehouse, error)).toBe(error);
  });
});

describe("DECIMALs of more than 38 digits", () => {
  it("are refused, because DuckDB reads them as DOUBLE, with wrong values", async () => {
    const path = await put("a.parquet", { amount: "5.00::DECIMAL(38,2)" });
    const precision = (digits: number) => String.fromCharCode(0x15, 2 * digits); // an i32 of Thrift, after the scale
    await patchFooter(path, `\x04${precision(38)}`, `\x04${precision(50)}`);
    expect(await folder.refusal(checkWarehouse(connection(), path))).toBe(
      'WAREHOUSE "/a.parquet": column "amount" has types that need 50 digits when combined: DECIMAL(50,2) in "/a.parquet"; ' +
        "expected at most 38",
    );
  });
});

describe("DECIMALs of several files", () => {
  it("are refused if they would lose cents when combined", async () => {
    await put("a.parquet", { amount: "5::DECIMAL(38,0)" });
    await put("b.parquet", { amount: "5.25::DECIMAL(18,2)" });
    expect(await folder.refusal(checkWarehouse(connection(), folder.home))).toBe(
      'WAREHOUSE "": column "amount" has types that need 40 digits when combined: DECIMAL(38,0) in "/a.parquet"; ' +
        'DECIMAL(18,2) in "/b.parquet"; expected at most 38',
    );
  });

  it("are read if one DECIMAL can hold them", async () => {
    await put("a.parquet", { amount: "5::DECIMAL(36,0)" });
    await put("b.parquet", { amount: "5.25::DECIMAL(18,2)" });
    expect((await checkWarehouse(connection(), folder.home)).columns.amount).toBe("decimal");
  });
});
