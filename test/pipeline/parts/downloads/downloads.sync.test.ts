// Tests the files with all grants: what DuckDB and standard tools read from them, and that verification compares them with the records.
import { spawnSync } from "node:child_process";
import { hash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { formatCsvHeader, formatCsvRow } from "../../../../api-static/contract/answers/csv.ts";
import { downloadKey, downloadNames } from "../../../../api-static/contract/answers/downloads.ts";
import { readManifest } from "../../../../pipeline/releases/manifest.ts";
import { findProblems, sealAgain, spread, syncHere } from "../../trust.fixture.ts";
import { useFolder, useParquet } from "../../warehouse/warehouse.fixture.ts";

const folder = useFolder();
const { put, connection } = useParquet(folder);

let [home, release] = ["", ""];

const pathOf = (name: (typeof downloadNames)[number]) => join(release, "public", downloadKey(name));

const read = async (sql: string) => (await connection().runAndReadAll(sql)).getRowsJson();

/** Values that a CSV file must quote, and times with and without milliseconds. */
const rows = {
  ...spread(5),
  purpose: `CASE i % 5 WHEN 0 THEN 'a "quoted", long' WHEN 1 THEN E'two\\nlines' WHEN 2 THEN '# a, =1+1' WHEN 3 THEN 'é' END`,
  created_at: "TIMESTAMP '2024-01-02 03:04:05' + to_milliseconds((i % 3) * 120)",
};

const organizations = (
  home: string,
) => `COPY (SELECT lpad((100000000 + 100000000 * (i % 2) + i)::VARCHAR, 9, '0') AS ein,
  'Name ' || i AS name, 'NEW YORK' AS city, 'NY' AS state FROM range(4) t(i)) TO '${home}/w/organizations.parquet' (FORMAT parquet)`;

beforeAll(async () => {
  home = folder.home; // each test has another one
  await put("w/grants.parquet", rows, "FROM range(400) t(i)");
  await connection().run(organizations(home));
  release = await syncHere(join(home, "w"), join(home, "data"), { THREADS: "2" });
});

describe("grants.parquet", () => {
  it("has the fields and names as columns, in the types of the contract", async () => {
    const columns = await read(
      `SELECT column_name, column_type FROM (DESCRIBE FROM '${pathOf("grants.parquet")}')`,
    );
    expect(columns.map((column) => column.join(" "))).toEqual([
      "id BIGINT",
      "funder_ein VARCHAR",
      "transaction_year INTEGER",
      "recipient_name VARCHAR",
      "recipient_ein VARCHAR",
      "type VARCHAR",
      "amount DECIMAL(18,2)",
      "non_cash_amount DECIMAL(18,2)",
      "non_cash_description VARCHAR",
      "purpose VARCHAR",
      "created_at TIMESTAMP WITH TIME ZONE",
      "funder_name VARCHAR",
      "recipient_organization_name VARCHAR",
    ]);
  });

  it("has the records in the order of the file of records, with their names", async () => {
    const found = await read(
      `SELECT id, funder_name, recipient_organization_name FROM '${pathOf("grants.parquet")}'`,
    );
    const names = new Map(
      (await read(`SELECT ein, name FROM '${home}/w/organizations.parquet'`)).map(([ein, name]) => [
        ein,
        name,
      ]),
    );
    const records = (await readLines()).map((line) => JSON.parse(line));
    expect(found).toEqual(
      records.map(({ id, funder_ein, recipient_ein }) => [
        String(id),
        names.get(funder_ein) ?? null,
        names.get(recipient_ein) ?? null,
      ]),
    );
  });

  it("names its release and schema, and has no Bloom filters", async () => {
    const { release: id, schema_version: schema } = await readManifest(release);
    const named = await read(
      `SELECT decode(key), decode(value) FROM parquet_kv_metadata('${pathOf("grants.parquet")}') ORDER BY 1`,
    );
    expect(named).toEqual([
      ["release", id],
      ["schema", String(schema)],
    ]);
    const chunks = await read(
      `SELECT count(*), count(bloom_filter_offset), any_value(compression) FROM parquet_metadata('${pathOf("grants.parquet")}')`,
    );
    expect(chunks).toEqual([["13", "0", "ZSTD"]]);
  });
});

describe("grants.csv.gz", () => {
  it("has the bytes of a CSV export of all grants, in the order of the file of records", async () => {
    const form = { isEscapingFormulas: false, isForExcel: false, hasNames: true };
    const names = new Map(
      (await read(`SELECT ein, name FROM '${home}/w/organizations.parquet'`)) as [string, string][],
    );
    const expected = (await readLines()).map((line) =>
      formatCsvRow(line, form, (ein) => names.get(ein) ?? ""),
    );
    const found = gunzipSync(await readFile(pathOf("grants.csv.gz"))).toString();
    expect(found).toBe(formatCsvHeader(form) + expected.join(""));
  });

  it("has the same bytes in every release of the same grants, with any number of threads", async () => {
    const other = await syncHere(join(home, "w"), join(home, "other"), { THREADS: "1" });
    expect(await readFile(join(other, "public", downloadKey("grants.csv.gz")))).toEqual(
      await readFile(pathOf("grants.csv.gz")),
    );
  });
});

describe("the descriptions", () => {
  it("have the digest and the size of each file", async () => {
    const { stdout, status } = spawnSync("sha256sum", ["--check", "SHA256SUMS"], {
      cwd: join(pathOf("SHA256SUMS"), ".."),
      encoding: "utf8",
    });
    expect([status, stdout.match(/: OK/g)?.length]).toEqual([0, 5]);
    const { resources } = JSON.parse(await readFile(pathOf("datapackage.json"), "utf8"));
    const croissant = JSON.parse(await readFile(pathOf("croissant.json"), "utf8"));
    const { distribution, temporalCoverage, description } = croissant;
    const [[first, last]] = (await read(
      `SELECT min(transaction_year), max(transaction_year) FROM '${pathOf("grants.parquet")}'`,
    )) as [[number, number]];
    expect(first).toBeLessThan(last);
    expect(temporalCoverage).toBe(`${first}/${last}`);
    expect(description).toContain(`grants of the years ${first} to ${last}, `);
    for (const [index, name] of (["grants.parquet", "grants.csv.gz", "matches.parquet"] as const).entries()) {
      const bytes = await readFile(pathOf(name));
      const sha256 = hash("sha256", bytes);
      expect(resources[index]).toMatchObject({ path: name, bytes: bytes.length, hash: `sha256:${sha256}` });
      expect(distribution[index]).toMatchObject({
        contentUrl: `/${downloadKey(name)}`,
        contentSize: `${bytes.length} B`,
        sha256,
      });
    }
  });

  it("name the columns of the files", async () => {
    const described = await read(`SELECT column_name FROM (DESCRIBE FROM '${pathOf("grants.parquet")}')`);
    const columns = described.flat();
    const [parquet] = JSON.parse(await readFile(pathOf("datapackage.json"), "utf8")).resources;
    const [grants] = JSON.parse(await readFile(pathOf("croissant.json"), "utf8")).recordSet;
    const named = (fields: readonly { name: string }[]) => fields.map(({ name }) => name);
    expect([named(parquet.schema.fields), named(grants.field)]).toEqual([columns, columns]);
  });
});

describe("a release", () => {
  it("lists the downloads in its manifest, and DOWNLOADS=0 makes one without them", async () => {
    const { parts, downloads } = await readManifest(release);
    for (const name of downloadNames) expect(parts[join("public", downloadKey(name))]).toBeDefined();
    const data = join(home, "data");
    const warehouse = join(home, "w");
    expect(await syncHere(warehouse, data)).toBe(release); // nothing new
    const other = await syncHere(warehouse, data, { DOWNLOADS: "0" });
    const manifest = await readManifest(other);
    expect([downloads, manifest.downloads, existsSync(join(other, "public/v1/downloads"))]).toEqual([
      true,
      false,
      false,
    ]);
    const { purge } = JSON.parse(await readFile(join(other, "changes.json"), "utf8"));
    expect(purge).toContain("/v1/downloads/*");
    expect(await findProblems(other)).toBe("");
  });

  it("is refused by verification if its downloads have other records, or another order", async () => {
    expect(await findProblems(release)).toBe("");
    const path = pathOf("grants.parquet");
    const problemsOf = async (sql: string) => {
      await connection().run(`COPY (${sql}) TO '${path}.next' (FORMAT parquet)`);
      await rename(`${path}.next`, path);
      await sealAgain(release);
      return findProblems(release);
    };
    expect(await problemsOf(`SELECT * FROM '${path}' ORDER BY funder_ein, id`)).toContain(
      "its records are out of order",
    );
    expect(
      await problemsOf(
        `SELECT * REPLACE (CASE WHEN id = 7 THEN 'x' ELSE purpose END AS purpose) FROM '${path}'`,
      ),
    ).toContain("its records differ from those of records");
  });
});

/** The JSON of each record, in the order of the file. */
async function readLines(): Promise<string[]> {
  return (await readFile(join(release, "records"), "utf8")).split(",\n").filter(Boolean);
}
