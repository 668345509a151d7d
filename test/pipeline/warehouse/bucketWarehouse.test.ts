// Tests that a warehouse in a bucket gives the release that its files in a folder give.
import { readdir, readFile, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { listTree } from "../../../pipeline/base/files.ts";
import { readManifest } from "../../../pipeline/releases/manifest.ts";
import { Store } from "../base/bucket/store.fixture.ts";
import { writeMatchable } from "../matches.fixture.ts";
import { runCommand } from "../release.fixture.ts";
import { digestContent, findRelease, spread, syncHere } from "../trust.fixture.ts";
import { damageColumn, useFolder, useParquet } from "./warehouse.fixture.ts";

const folder = useFolder();
const { put, connection } = useParquet(folder);

let store: Store;

beforeEach(async () => {
  store = await Store.start();
  store.pageSize = 2;
});

afterEach(() => store.stop());

/** Copies the files of a folder into the bucket. */
async function copyToBucket(warehouse: string): Promise<void> {
  for (const name of await listTree(warehouse))
    store.put(`exports/grants/${name}`, await readFile(join(warehouse, name)));
}

it("gives the same release, byte for byte, reads each object once, and notices from the listing that nothing is new", async () => {
  const warehouse = join(folder.home, "warehouse");
  for (const year of [2020, 2021, 2022]) {
    const columns = { ...spread(9), transaction_year: String(year), id: `i + ${year * 100}` };
    await put(`${warehouse}/year=${year}/part-0.parquet`, columns, "FROM range(30) t(i)");
  }
  await connection().run(
    `COPY (SELECT '100000001' AS ein, 'A FUNDER' AS name, 'CITY' AS city, 'ST' AS state) TO '${warehouse}/organizations.parquet'`,
  );
  await connection().run(
    `COPY (SELECT '100000001' AS ein, 2023 AS tax_year, 5 AS revenue) TO '${warehouse}/finances.parquet'`,
  );
  await copyToBucket(warehouse);
  store.put("exports/grants/", Buffer.alloc(0));
  store.put("exports/grants/_SUCCESS", Buffer.alloc(0));
  store.put("exports/grants/_temporary/0/part.parquet", Buffer.from("half"));
  const data = relative(process.cwd(), join(folder.home, "data")); // as the default is
  const environment = {
    ...store.environment,
    WAREHOUSE: `s3://${store.bucket}/exports/grants/`,
    DATA: data,
  };
  const first = await runCommand(["sync"], environment);
  expect(first.code, first.stderr).toBe(0);
  const release = await findRelease(data);
  const fromFolder = await syncHere(warehouse, join(folder.home, "folder"));
  expect(await digestContent(release)).toEqual(await digestContent(fromFolder));
  const gets = store.requests.filter(({ method, query }) => method === "GET" && !query.includes("list-type"));
  expect(gets.map(({ key }) => key).sort()).toEqual([
    "exports/grants/finances.parquet",
    "exports/grants/organizations.parquet",
    ...[2020, 2021, 2022].map((year) => `exports/grants/year=${year}/part-0.parquet`),
  ]);
  const { sources, organizations, finances } = await readManifest(release);
  expect(sources.map(({ path }) => path)).toEqual(
    [2020, 2021, 2022].map((year) => `s3://${store.bucket}/exports/grants/year=${year}/part-0.parquet`),
  );
  expect(sources[0]?.etag).toMatch(/^[0-9a-f]{32}$/);
  expect([organizations, finances].map((file) => file?.path)).toEqual(
    ["organizations", "finances"].map((name) => `s3://${store.bucket}/exports/grants/${name}.parquet`),
  );

  store.requests.length = 0;
  const second = await runCommand(["sync"], environment);
  expect(second.stdout).toMatch(/^sync: nothing new in the warehouse/);
  expect(Object.keys(store.countRequests())).toEqual(["LIST"]);

  // One file is replaced and one removed: only the new one is read, and the cache has nothing else.
  const columns = { ...spread(9), transaction_year: "2022", id: "i + 900000" };
  await put(`${warehouse}/year=2022/part-0.parquet`, columns, "FROM range(31) t(i)");
  await copyToBucket(warehouse);
  store.objects.delete("exports/grants/year=2020/part-0.parquet");
  store.requests.length = 0;
  const third = await runCommand(["sync"], { ...environment, ACCEPT: "records,funders,amount" });
  expect(third.code, third.stderr).toBe(0);
  const read = store.requests.filter(({ method, query }) => method === "GET" && !query.includes("list-type"));
  expect(read.map(({ key }) => key)).toEqual(["exports/grants/year=2022/part-0.parquet"]);
  expect(await listTree(join(data, "warehouse-cache"))).toEqual([
    "etags.json",
    `${store.bucket}/exports/grants/finances.parquet`,
    `${store.bucket}/exports/grants/organizations.parquet`,
    `${store.bucket}/exports/grants/year=2021/part-0.parquet`,
    `${store.bucket}/exports/grants/year=2022/part-0.parquet`,
  ]);
});

it("gives the places as filed to matches that a person reads, and fails loudly if they cannot be read", async () => {
  await writeMatchable(join(folder.home, "w"));
  await copyToBucket(join(folder.home, "w"));
  const environment = { ...store.environment, DATA: join(folder.home, "data") };
  const synced = await runCommand(["sync"], {
    ...environment,
    WAREHOUSE: `s3://${store.bucket}/exports/grants/`,
  });
  expect(synced.code, synced.stderr).toBe(0);
  const draw = async (name: string) => {
    const out = join(folder.home, name);
    const ended = await runCommand(["matches"], { ...environment, SAMPLE: "5", OUT: out });
    return { ...ended, lines: ended.code === 0 ? (await readFile(out, "utf8")).trim().split("\r\n") : [] };
  };
  const { lines } = await draw("cached.csv");
  const at = String(lines[0]).split(",").indexOf("recipient_city");
  expect(lines.slice(1).map((line) => line.split(",")[at])).not.toContain("");
  const [file = ""] = (await listTree(join(environment.DATA, "warehouse-cache"))).filter((name) =>
    name.endsWith("grants.parquet"),
  );
  const path = join(environment.DATA, "warehouse-cache", file);
  await damageColumn(connection(), path, "recipient_city");
  const damaged = await draw("damaged.csv");
  expect([damaged.code, damaged.stderr]).toEqual([
    2,
    expect.stringContaining("recipient_city cannot be read"),
  ]);
  await rm(path);
  const gone = await draw("gone.csv");
  expect(gone.stderr).toContain("warning: the places of recipients are blank: ");
  expect(gone.lines.slice(1).map((line) => line.split(",")[at])).toEqual(Array(5).fill(""));
});

it("reads organizations in a bucket beside grants on this machine", async () => {
  const warehouse = await put("grants.parquet", spread(3), "FROM range(30) t(i)");
  const organizations = join(folder.home, "names.parquet");
  await connection().run(
    `COPY (SELECT '100000001' AS ein, 'A FUNDER' AS name, 'CITY' AS city, 'ST' AS state) TO '${organizations}'`,
  );
  store.put("names/organizations.parquet", await readFile(organizations));
  const address = `s3://${store.bucket}/names/organizations.parquet`;
  const environment = {
    ...store.environment,
    ...{ WAREHOUSE: warehouse, ORGANIZATIONS: address, DATA: join(folder.home, "data") },
  };
  const first = await runCommand(["sync"], environment);
  expect(first.code, first.stderr).toBe(0);
  const { sources, organizations: file } = await readManifest(await findRelease(environment.DATA));
  expect([sources.map(({ path }) => path), file?.path]).toEqual([[warehouse], address]);
  expect((await runCommand(["sync"], environment)).stdout).toMatch(/^sync: nothing new in the warehouse/);
});

it("fails loudly if an object is overwritten while the warehouse is read", async () => {
  const path = await put("part.parquet", spread(3), "FROM range(30) t(i)");
  store.put("moving/part.parquet", await readFile(path));
  store.onRequest = ({ method, query, key }) => {
    if (method === "GET" && !query.includes("list-type")) store.put(key, Buffer.from("PAR1 other PAR1"));
  };
  const data = join(folder.home, "data");
  const environment = { ...store.environment, WAREHOUSE: `s3://${store.bucket}/moving/`, DATA: data };
  const { code, stderr } = await runCommand(["sync"], environment);
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining(
      'moving/part.parquet" changed while the warehouse was read. Start the sync after the export ends',
    ),
  ]);
  expect(await readdir(join(data, "releases"))).toEqual([]);
});

it.each(["lake/", "lake/grants/", "lake/grants/year=*/*.parquet", "lake/grants/year=2020/"])(
  "refuses a table of another format: %s",
  async (path) => {
    store.put("lake/grants/_delta_log/00000000000000000000.json", Buffer.from("{}"));
    store.put("lake/grants/year=2020/part.parquet", Buffer.from("PAR1"));
    const environment = { ...store.environment, DATA: join(folder.home, "data") };
    const ended = await runCommand(["sync"], { ...environment, WAREHOUSE: `s3://${store.bucket}/${path}` });
    expect([ended.code, ended.stderr]).toEqual([
      2,
      expect.stringContaining(`"s3://${store.bucket}/lake/grants/" is a Delta Lake table`),
    ]);
  },
);

it("says that there is nothing to read", async () => {
  const data = join(folder.home, "data");
  const environment = { ...store.environment, WAREHOUSE: `s3://${store.bucket}/nothing/`, DATA: data };
  const { code, stderr } = await runCommand(["sync"], environment);
  expect([code, stderr]).toEqual([2, expect.stringContaining("no Parquet files (*.parquet) there")]);
});
