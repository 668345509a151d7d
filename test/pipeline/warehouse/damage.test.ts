// Tests that damaged and changed files are detected and named.
import { copyFile, readFile, rm, truncate, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InputError } from "../../../pipeline/base/failure.ts";
import { checkUnchanged, checkWarehouse } from "../../../pipeline/warehouse/warehouse.ts";
import { proofs } from "../../proofs.ts";
import { close, openSmallDatabase, patchFooter, useFolder, useParquet } from "./warehouse.fixture.ts";

const folder = useFolder();
const { connection, put } = useParquet(folder);

describe("checkWarehouse of damaged files", () => {
  it("names every file that is not whole Parquet", async () => {
    await put("good.parquet");
    await writeFile(join(folder.home, "csv.parquet"), "id,amount\n1,2.00\n");
    await writeFile(join(folder.home, "empty.parquet"), "");
    await truncate(await put("cut.parquet"), 500);
    const message = await folder.refusal(checkWarehouse(connection(), folder.home));
    expect(message).toMatch(/^WAREHOUSE "": 3 problems\n {2}"\/csv.parquet" is not a Parquet file/);
    expect(message).toMatch(
      /"\/cut.parquet" is truncated.*\n {2}"\/empty.parquet" is empty; expected a Parquet file/,
    );
  });

  it("names ten of many problems", async () => {
    for (let index = 10; index < 23; index += 1) await writeFile(join(folder.home, `${index}.parquet`), "");
    const message = await folder.refusal(checkWarehouse(connection(), folder.home));
    expect(message).toMatch(/^WAREHOUSE "": 13 problems\n(.*\n){10} {2}and 3 more$/);
  });

  it("refuses a file truncated at any place", async () => {
    const path = await put("a.parquet");
    const bytes = (await readFile(path)).length;
    for (let length = bytes - 1; length >= 0; length -= length > 600 ? 41 : 1) {
      await truncate(path, length);
      expect(await folder.refusal(checkWarehouse(connection(), folder.home))).toMatch(
        /"\/a.parquet" is (empty|truncated|not a Parquet)/,
      );
    }
  });

  it("names the damaged footers among many files, even those that make DuckDB's database unusable", async () => {
    const database = await openSmallDatabase();
    await put("a.parquet");
    // The precision of DECIMAL(18,2), 36 in zigzag, becomes -60: which DuckDB reports as an internal error.
    await patchFooter(await put("b.parquet"), "\x15\x04\x15\x24", "\x15\x04\x15\x77");
    await patchFooter(await put("c.parquet"), "created_at\x25", "created_at\x2f");
    await put("d.parquet");
    const message = await folder.refusal(checkWarehouse(database.connection, folder.home));
    expect(message).toMatch(
      /^WAREHOUSE "": 2 problems\n {2}"\/b.parquet": its footer cannot be read: the file is damaged \(/,
    );
    expect(message).toMatch(
      /\n {2}"\/c.parquet": its footer cannot be read: the file is damaged \(.+\); copy it again$/,
    );
    close(database);
  });

  it("either refuses a footer with wrong bytes as input or reads it", async () => {
    const whole = await readFile(await put("whole"));
    const footerBytes = whole.readUInt32LE(whole.length - 8);
    const changes = fc.array(fc.tuple(fc.nat(footerBytes + 3), fc.nat(255)), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(changes, async (bytes) => {
        const damaged = Buffer.from(whole);
        for (const [index, byte] of bytes) damaged[whole.length - 8 - footerBytes + index] = byte;
        await writeFile(join(folder.home, "damaged"), damaged);
        const database = await openSmallDatabase();
        try {
          await checkWarehouse(database.connection, join(folder.home, "damaged"));
        } catch (error) {
          expect(error).toBeInstanceOf(InputError);
        } finally {
          close(database);
        }
      }),
      { numRuns: proofs.anyFooters, seed: 20261120 },
    );
  });

  it("detects a changed file of the same size and time", async () => {
    const time = new Date("2026-11-20T04:00:00Z");
    const path = await put("a.parquet");
    const other = await put("b", { xd: "1" });
    const third = await put("c", { dx: "1" });
    const seen: string[][] = [];
    for (const source of [other, third]) {
      await copyFile(source, path);
      await utimes(path, time, time);
      seen.push((await checkWarehouse(connection(), path)).unknownColumns);
    }
    expect(seen).toEqual([["xd"], ["dx"]]);
  });
});

describe("checkUnchanged", () => {
  it("passes if the files have not changed", async () => {
    await put("a.parquet");
    const warehouse = await checkWarehouse(connection(), folder.home);
    await expect(checkUnchanged(warehouse)).resolves.toBeUndefined();
  });

  it("names each file that changed or vanished", async () => {
    const names = ["a", "b", "c", "d"].map((name) => `${name}.parquet`);
    const [a, b, c] = await Promise.all(names.map((name) => join(folder.home, name)));
    for (const name of names) await put(name);
    const warehouse = await checkWarehouse(connection(), folder.home);
    await utimes(a ?? "", 0, 0);
    await rm(b ?? "");
    await truncate(c ?? "", 100);
    const message = await folder.refusal(checkUnchanged(warehouse));
    expect(message).toMatch(
      /^the warehouse changed while it was read: 3 problems\n {2}"\/a.parquet" had \d+ bytes, modified at/,
    );
    expect(message).toMatch(
      /now it has \d+ bytes, modified at 1970-01-01T00:00:00.000Z\n {2}"\/b.parquet" cannot be read: it does not exist/,
    );
    expect(message).toMatch(/\n {2}"\/c.parquet" is truncated[^\n]*$/);
  });

  it("detects new content of the same size and time", async () => {
    const path = await put("a.parquet", { xd: "1" });
    const time = new Date("2026-11-20T04:00:00Z");
    await utimes(path, time, time);
    const warehouse = await checkWarehouse(connection(), folder.home);
    await patchFooter(path, "xd", "dx");
    await utimes(path, time, time);
    expect(await folder.refusal(checkUnchanged(warehouse))).toContain('"/a.parquet" had');
  });
});
