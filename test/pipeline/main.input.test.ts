// Tests what a sync reports, and that it changes nothing, if the warehouse or a setting is wrong.
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { digestReleases, runCommand, runProcess, syncRelease } from "./release.fixture.ts";
import { damageColumn, useFolder, useParquet } from "./warehouse/warehouse.fixture.ts";

const folder = useFolder();
const { connection, put } = useParquet(folder);

/** A data folder with a release, which no failure may change. */
let data = "";
let before: Record<string, string> = {};

beforeAll(async () => {
  const good = join(folder.root, "good.parquet");
  await connection().run(
    `COPY (SELECT range AS id, 131635294 AS funder_ein, 2020 AS transaction_year, 'A' AS recipient_name, '' AS recipient_ein,
      1.5 AS amount, 'P' AS purpose, DATE '2021-01-01' AS created_at FROM range(150)) TO '${good}' (FORMAT parquet)`,
  );
  data = join(folder.root, "data");
  await syncRelease(good, data);
  before = await digestReleases(data);
});

/** Expects a sync to fail because of its input, with a message, and to change nothing. Returns the message. */
async function refusal(environment: Record<string, string>): Promise<string> {
  const { code, stdout, stderr } = await runCommand(["sync"], { DATA: data, ...environment });
  expect(stderr).not.toMatch(/^\s+at .*:\d+/m);
  expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: "" });
  expect(await digestReleases(data)).toEqual(before);
  const message = stderr.slice(stderr.indexOf("sync: "));
  return message.replaceAll(folder.home, "").replaceAll(folder.root, "");
}

/** Writes a Parquet file with a text column that is not valid UTF-8 in its last row. */
async function putInvalidUtf8(name: string, column: string): Promise<string> {
  const marked = "CASE i WHEN 19 THEN 'ZZMARKZZ' ELSE 'ok ' || i END";
  const path = await put(name, { id: "i", [column]: marked }, "FROM range(20) t(i)");
  const plain = `${path}.plain`;
  await connection().run(
    `COPY (FROM '${path}') TO '${plain}' (FORMAT parquet, COMPRESSION uncompressed, WRITE_BLOOM_FILTER false)`,
  );
  const bytes = await readFile(plain);
  const start = bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8);
  const at = bytes.lastIndexOf("ZZMARKZZ", start);
  expect(at).toBeGreaterThan(0);
  bytes.fill(0xff, at, at + 8);
  await writeFile(path, bytes);
  return path;
}

describe("a sync of an invalid warehouse", () => {
  it("reports a path that does not exist", async () => {
    expect(await refusal({ WAREHOUSE: join(folder.home, "nowhere") })).toBe(
      'sync: WAREHOUSE "/nowhere": no such file or folder\n',
    );
  });

  it("names the file and column of damaged data with an intact footer", async () => {
    await put("a.parquet");
    const path = await put("b.parquet", { id: "i", purpose: "'P ' || i" }, "FROM range(100, 200) t(i)");
    await damageColumn(connection(), path, "purpose");
    const message = await refusal({ WAREHOUSE: folder.home });
    expect(message).toMatch(
      /^sync: "\/b.parquet": column purpose cannot be read: the file is damaged \(.+\); copy it again\n$/,
    );
  });

  it("names the file and column of text that is not valid UTF-8", async () => {
    await put("a.parquet", { id: "100" });
    await putInvalidUtf8("b.parquet", "purpose");
    expect(await refusal({ WAREHOUSE: folder.home })).toBe(
      'sync: "/b.parquet": column purpose cannot be read: it has text that is not valid UTF-8\n',
    );
  });

  it("ignores damaged bytes of an unknown column", async () => {
    const path = await putInvalidUtf8("a.parquet", "porpoise");
    const ended = await runCommand(["sync"], { WAREHOUSE: path, DATA: join(folder.home, "data") });
    expect(ended.stderr).toContain("warning: the warehouse has an unknown column porpoise; it is ignored\n");
    expect(ended.stdout).toMatch(/^sync: release \w+, 20 grants, 1 funders, 1 pages, 0 rejected, /);
  });

  it("reports why every row is rejected", async () => {
    await put("a.parquet", { amount: "NULL::DOUBLE", id: "i" }, "FROM range(3) t(i)");
    await put("b.parquet", { transaction_year: "1066", amount: "2::DOUBLE" });
    expect(await refusal({ WAREHOUSE: folder.home })).toBe(
      "sync: every row of the warehouse was rejected (4 rows: transaction_year_invalid 1, amount_missing 3); " +
        "expected at least one acceptable row\n",
    );
  });
});

describe("a command as a process", () => {
  it.each([
    { name: "releases", code: 0 },
    { name: "snyc", code: 2 },
  ])("$name exits with $code and has the same output as in this process", async ({ name, code }) => {
    const ended = await runProcess([name], { DATA: data });
    expect(ended).toEqual(await runCommand([name], { DATA: data }));
    expect(ended.code).toBe(code);
    expect([ended.stdout === "", ended.stderr === ""]).toEqual([code !== 0, code === 0]);
  });
});

describe("an invalid setting", () => {
  it.each([
    [{ MEMORY: "4 GB" }, 'MEMORY must be a size of at least 500MB such as 800MB or 4GB, got "4 GB"'],
    [{ THREADS: "0" }, 'THREADS must be an integer from 1 to 256, got "0"'],
    [
      { PUBLISH: "bucket" },
      'PUBLISH must be a bucket such as s3://bucket or s3://bucket/prefix, got "bucket"',
    ],
    [{ PUBLISH: "s3://bucket", PURGE: "cloudflare" }, "PURGE=cloudflare needs PURGE_URL"],
    [{ KEEP: "-1" }, 'KEEP must be an integer from 1 to 1000, got "-1"'],
  ])("is named with its rule and value: %o", async (environment, message) => {
    expect(await refusal({ WAREHOUSE: join(folder.root, "good.parquet"), ...environment })).toBe(
      `sync: ${message}\n`,
    );
  });

  it.each([["snyc"], ["toString"]])("a command %o that does not exist is refused", async (name) => {
    expect(await runCommand([name])).toEqual({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(`^expected a command, one of .*sync, .*; got "${name}"\n$`),
    });
  });
});

describe("a warehouse that holds the releases made from it", () => {
  it("is refused, because a folder is read with all folders below it", async () => {
    await put("a.parquet");
    const environment = { WAREHOUSE: folder.home, DATA: join(folder.home, "data") };
    expect((await runCommand(["sync"], environment)).code).toBe(0);
    const { code, stderr } = await runCommand(["sync"], environment);
    expect(stderr).toMatch(
      /sync: WAREHOUSE: ".*\.parquet" is part of a release of DATA ".*\/data"; choose a folder that contains no releases\n$/,
    );
    expect(code).toBe(2);
  });
});

describe("an invalid data folder", () => {
  it.each(["file", "file/below"])("is named if it is a regular file, or lies below one: %s", async (name) => {
    await writeFile(join(folder.home, "file"), "");
    const warehouse = await put("a.parquet");
    const ended = await runCommand(["sync"], { WAREHOUSE: warehouse, DATA: join(folder.home, name) });
    expect(ended.stderr).toBe(
      `sync: DATA "${join(folder.home, name)}" must be a folder that can be written (ENOTDIR)\n`,
    );
    expect(ended.code).toBe(2);
  });

  it("is named if files cannot be created in it", async () => {
    const warehouse = await put("a.parquet");
    const ended = await runCommand(["sync"], { WAREHOUSE: warehouse, DATA: "/proc/self" });
    expect(ended.stderr).toMatch(
      /^sync: DATA "\/proc\/self" must be a folder that can be written \(\w+\)\n$/,
    );
    expect(ended.code).toBe(2);
  });

  it("is named if its `current` is not a link", async () => {
    const warehouse = await put("a.parquet");
    await mkdir(join(folder.home, "data/current"), { recursive: true });
    await copyFile(warehouse, join(folder.home, "data/current/kept"));
    const ended = await runCommand(["sync"], { WAREHOUSE: warehouse, DATA: join(folder.home, "data") });
    expect(ended.stderr).toBe(
      `sync: DATA "${join(folder.home, "data")}": "${join(folder.home, "data/current")}" is not a link; ` +
        "expected a link to a release, made by an earlier sync\n",
    );
    expect(ended.code).toBe(2);
  });
});
