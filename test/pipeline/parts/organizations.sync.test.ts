// Tests how a sync finds, checks and writes organizations, and when they make a new release.
import { cp, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Columns } from "../../../api-static/release/columns.ts";
import { Progress } from "../../../pipeline/base/progress.ts";
import { writeOrganizations } from "../../../pipeline/parts/organizations.ts";
import { readManifest } from "../../../pipeline/releases/manifest.ts";
import { readSyncSettings } from "../../../pipeline/settings.ts";
import { sync } from "../../../pipeline/sync.ts";
import { findOrganizations } from "../../../pipeline/warehouse/organizations.ts";
import { spreadOf } from "../../proofs.ts";
import { itWhole } from "../../whole.ts";
import { noSearches } from "../release.fixture.ts";
import { smallSite } from "../smallSite.ts";
import { findProblems, findRelease, sealAgain, spread, syncHere } from "../trust.fixture.ts";
import { damageColumn, useFolder, useParquet } from "../warehouse/warehouse.fixture.ts";

const folder = useFolder();
const { put, connection } = useParquet(folder);

let [warehouse, data] = ["", ""];

beforeEach(async () => {
  [warehouse, data] = [join(folder.home, "w"), join(folder.home, "data")];
  await put("w/grants.parquet", spread(5), "FROM range(40) t(i)");
});

/** Rows of EIN, name, city and state as the body of VALUES. */
async function putOrganizations(name: string, rows: string, columns = "ein, name, city, state") {
  const path = join(folder.home, name);
  await connection().run(
    `COPY (SELECT * FROM (VALUES ${rows}) t(${columns})) TO '${path}.new' (FORMAT parquet)`,
  );
  await rename(`${path}.new`, path);
  return path;
}

const fund = "('100000001', 'A Fund', 'NEW YORK', 'NY')";

async function readOrganizations(): Promise<string> {
  return readFile(join(await findRelease(data), "organizations"), "utf8");
}

const fundLine =
  '{"ein":"100000001","name":"A Fund","city":"NEW YORK","state":"NY","ntee":null,"cause":null}\n';

/** Runs a sync and returns the lines that it notes. */
async function syncNotes(): Promise<string> {
  let written = "";
  const write = (text: string) => {
    written += text;
    return true;
  };
  await sync(
    readSyncSettings({ WAREHOUSE: warehouse, DATA: data, MEMORY: "1GB", THREADS: "1", ...noSearches }),
    {
      progress: new Progress({ write }, () => performance.now()),
      clock: () => new Date(),
      site: smallSite,
    },
  );
  return written.replaceAll(folder.home, "");
}

describe("organizations.parquet", () => {
  it.each(spreadOf("places of organizations", ["w/organizations.parquet", "organizations.parquet"], 2))(
    "is found as %s, and is not read as grants",
    async (name) => {
      await putOrganizations(name, fund);
      const release = await syncHere(warehouse, data);
      expect(await readOrganizations()).toBe(fundLine);
      const { totals, sources, organizations } = await readManifest(release);
      expect([totals.records, sources.length]).toEqual([40, 1]);
      expect(organizations).toMatchObject({ path: join(folder.home, name), rows: 1 });
      expect(await findProblems(release)).toBe("");
    },
  );

  itWhole("is found beside a warehouse of one file, and left out of a glob that matches it", async () => {
    await putOrganizations("w/organizations.parquet", fund);
    await syncHere(join(warehouse, "grants.parquet"), data);
    expect(await readOrganizations()).toBe(fundLine);
    const release = await syncHere(join(warehouse, "*.parquet"), data, { FORCE: "1" });
    expect((await readManifest(release)).totals.records).toBe(40);
    expect(await readOrganizations()).toBe(fundLine);
  });

  it("is another file if ORGANIZATIONS names one", async () => {
    await putOrganizations("w/organizations.parquet", fund); // is not read as grants either
    const other = await putOrganizations("w/names.parquet", "(100000002, 'B', NULL::VARCHAR, '')");
    await syncHere(warehouse, data, { ORGANIZATIONS: other });
    expect(await readOrganizations()).toBe(
      '{"ein":"100000002","name":"B","city":null,"state":null,"ntee":null,"cause":null}\n',
    );
  });

  it("may be absent: the sync lists where it looked, and the release has no organizations", async () => {
    expect(await syncNotes()).toContain(
      'warning: funders have no names: there is no "/w/organizations.parquet" or "/organizations.parquet"\n',
    );
    const release = await findRelease(data);
    expect(await readOrganizations()).toBe("");
    expect((await readManifest(release)).organizations).toBeNull();
    expect(await findProblems(release)).toBe("");
  });

  itWhole(
    "makes a new release when it comes, changes or goes, whose purge list names organizations, names, and what states decide",
    async () => {
      const releases = [await syncHere(warehouse, data)];
      for (const change of [
        () => putOrganizations("organizations.parquet", fund),
        () => putOrganizations("organizations.parquet", fund.replace("A Fund", "Another Fund")),
        () => rm(join(folder.home, "organizations.parquet")),
      ]) {
        await change();
        const release = await syncHere(warehouse, data, { KEEP: "10" });
        expect(releases).not.toContain(release);
        releases.push(release);
        const { purge } = JSON.parse(await readFile(join(release, "changes.json"), "utf8")) as {
          purge: string[];
        };
        expect(purge).toEqual([
          ...["/v1/history*", "/v1/funders/*", "/v1/recipients/*"],
          ...["/v1/organizations*", "/v1/names*", "/v1/downloads/*"],
        ]);
        expect(await syncHere(warehouse, data, { KEEP: "10" })).toBe(release); // nothing new
      }
      const [first, , , last] = await Promise.all(
        releases.map(async (one) => (await readManifest(one)).made_from),
      );
      expect(last).toEqual(first);
    },
  );

  itWhole(
    "gives funders states, and recipients unless the warehouse does; a change of it changes no page",
    async () => {
      const statesOf = async (release: string) => {
        const { places } = await readManifest(release);
        const columns = Columns.open(join(release, "index.columns"));
        const states = Buffer.from(columns.bytes("state.bytes")).toString();
        columns.close();
        const { rows, pages, names } = JSON.parse(await readFile(join(release, "report.json"), "utf8"));
        expect(rows.accepted).toBe(40);
        return { ...places, states, isLinked: pages.linked >= pages.files - names.files };
      };
      const none = { source: null, unknown: 40 };
      const others = { recipient_city: { unknown: 40 }, recipient_zip: { unknown: 40 } };
      expect(await statesOf(await syncHere(warehouse, data))).toEqual({
        ...{ funder_state: none, recipient_state: none, ...others, states: "", isLinked: false },
      });
      const recipient = "(200000001, 'A School', 'X', 'wa')";
      const fundStates = {
        ...{ funder_state: { source: "organizations", unknown: 32 }, ...others, isLinked: true },
      };
      await putOrganizations("organizations.parquet", `(100000001, 'A', '', 'NY'), ${recipient}`);
      expect(await statesOf(await syncHere(warehouse, data))).toEqual({
        ...{ ...fundStates, recipient_state: { source: "organizations", unknown: 38 }, states: "NYWA" },
      });
      await putOrganizations("organizations.parquet", `(100000001, 'A', '', 'Ohio'), ${recipient}`);
      expect(await statesOf(await syncHere(warehouse, data))).toEqual({
        ...fundStates,
        ...{ funder_state: { source: "organizations", unknown: 40 }, states: "WA" },
        recipient_state: { source: "organizations", unknown: 38 },
      });
      await put(
        "w/grants.parquet",
        { ...spread(5), recipient_state: "['CA', 'x'][1 + i % 4]" },
        "FROM range(40) t(i)",
      );
      expect(await statesOf(await syncHere(warehouse, data))).toEqual({
        ...fundStates,
        ...{ funder_state: { source: "organizations", unknown: 40 }, states: "CA" },
        recipient_state: { source: "warehouse", unknown: 30 },
      });
    },
  );

  it("gives each EIN one line, in order of EIN, from normalized rows", async () => {
    await putOrganizations(
      "organizations.parquet",
      `('99-0000001', ' Last "Fund" ', '', '  '), ('100000001', 'A', 'X', 'NY'), ('100000001', 'B', 'X', 'NY'),
       ('000000019', E'tab\\tand\\nline', NULL, 'NJ'), ('100000001', 'B', 'W', 'NY')`,
    );
    await syncHere(warehouse, data);
    expect(await readOrganizations()).toBe(
      '{"ein":"000000019","name":"tab\\tand\\nline","city":null,"state":"NJ","ntee":null,"cause":null}\n' +
        '{"ein":"100000001","name":"B","city":"X","state":"NY","ntee":null,"cause":null}\n' +
        '{"ein":"990000001","name":"Last \\"Fund\\"","city":null,"state":null,"ntee":null,"cause":null}\n',
    );
  });

  it("loses rows without an EIN or a name, and too long ones; the sync warns and goes on", async () => {
    await putOrganizations(
      "organizations.parquet",
      `${fund}, ('12345678', 'short', '', ''), ('000000000', 'zero', '', ''), (NULL, 'none', '', ''),
       ('100000002', ' ', '', ''), ('100000003', repeat('é', 601), '', ''), ('100000004', repeat(chr(1), 600), '', '')`,
    );
    const notes = await syncNotes();
    const setting = 'warning: ORGANIZATIONS "/organizations.parquet"';
    expect(notes).toContain(`${setting}: 3 rows are left out: the ein is not nine digits\n`);
    expect(notes).toContain(`${setting}: 1 rows are left out: there is no name\n`);
    expect(notes).toContain(
      `${setting}: 1 rows are left out: name, city and state have more than 600 characters\n`,
    );
    const lines = (await readOrganizations()).split("\n");
    expect(lines.map((line) => line.slice(8, 17))).toEqual(["100000001", "100000004", ""]);
    expect(await findProblems(await findRelease(data))).toBe("");
  });

  itWhole("may have other columns, which are ignored with a warning", async () => {
    await putOrganizations(
      "organizations.parquet",
      "('100000001', 1, 'A Fund', 'NEW YORK', 'NY')",
      '"EIN", rank, name, city, state',
    );
    expect(await syncNotes()).toContain(
      "warning: the organizations have an unknown column rank; it is ignored\n",
    );
    expect(await readOrganizations()).toBe(fundLine);
  });
});

/** The table of organizations that the build of a release reads, or that of all their names. */
async function readListed(table: "listed" | "organization_names" = "listed"): Promise<unknown[][]> {
  await connection().run("DROP TABLE IF EXISTS listed; DROP TABLE IF EXISTS organization_names");
  const source = await findOrganizations(connection(), { organizations: "", warehouse });
  await writeOrganizations(connection(), source, folder.home, () => {});
  return (await connection().runAndReadAll(`FROM ${table} ORDER BY ALL`)).getRows();
}

describe("the table of organizations", () => {
  it("has those of the lines, with their sort names", async () => {
    const columns = "ein, name, city, state, Sort_Name";
    await putOrganizations(
      "organizations.parquet",
      `('100000003', 'C', '', ' ny ', repeat('x', 601)), ('100000001', 'A', 'X', 'NY', ' Chapter 5 '),
       ('100000002', 'B', 'X', 'NY', NULL), ('100000002', 'B', 'X', 'NY', 'Post 7'), ('1', 'D', 'X', 'NY', '')`,
      columns,
    );
    expect(await readListed()).toEqual([
      [100000001, "A", "X", "NY", "Chapter 5", null, null, null],
      [100000002, "B", "X", "NY", "Post 7", null, null, null],
      [100000003, "C", null, "ny", null, null, null, null],
    ]);
    const lines = (await readFile(join(folder.home, "organizations"), "utf8")).split("\n").slice(0, -1);
    expect(lines.map((line) => Object.keys(JSON.parse(line)))).toEqual(
      Array(3).fill(["ein", "name", "city", "state", "ntee", "cause"]),
    );
  });

  it("has no sort names if there is no such column, or a wrong one, which is ignored with a warning", async () => {
    await putOrganizations("organizations.parquet", fund);
    const expected = [[100000001, "A Fund", "NEW YORK", "NY", null, null, null, null]];
    expect(await readListed()).toEqual(expected);
    await putOrganizations(
      "organizations.parquet",
      fund.replace(")", ", 5)"),
      "ein, name, city, state, sort_name",
    );
    expect(await readListed()).toEqual(expected);
    expect(await syncNotes()).toContain(
      'warning: column "sort_name" has type INTEGER in "/organizations.parquet"; expected VARCHAR; it is ignored\n',
    );
  });

  it("has the row of the latest period; beside it are all names and places", async () => {
    const columns = "ein, name, city, state, sort_name, zip, ruling_year, first_period, period";
    await putOrganizations(
      "organizations.parquet",
      `('10-0000001', 'Z Old', 'X', 'NY', 'Post 7', '00501-1234', 1950::SMALLINT, '2018-01', '2021-12'),
       ('100000001', ' A New ', '', 'NY', '', '501', 1950, '2022-01', '2023-06'),
       ('100000001', 'A New', NULL, 'NY', NULL, '501', 1950, '2022-01', ' 2023-06'),
       ('100000002', 'B', 'X', 'NY', '', 'M5V 2T6', 0, 'once', '2023'), ('1', 'D', 'X', 'NY', '', '', 0, '', '')`,
      columns,
    );
    expect(await readListed()).toEqual([
      [100000001, "A New", null, "NY", null, null, null, 1950],
      [100000002, "B", "X", "NY", null, null, null, null],
    ]);
    expect(await readListed("organization_names")).toEqual([
      [100000001, "A New", null, null, "NY", 501, 1950, false, "2022-01", "2023-06"],
      [100000001, "Z Old", "Post 7", "X", "NY", 501, 1950, false, "2018-01", "2021-12"],
      [100000002, "B", null, "X", "NY", null, null, false, null, null],
    ]);
    await putOrganizations(
      "organizations.parquet",
      fund.replace(")", ", 10001, 2020)"),
      "ein, name, city, state, zip, period",
    );
    expect(await readListed("organization_names")).toEqual([
      [100000001, "A Fund", null, "NEW YORK", "NY", null, null, false, null, null],
    ]);
  });

  it("knows subordinates and the earliest ruling, and has no second name of a person", async () => {
    const people = ["% JOHN DOE", "C/O JOHN DOE", "ATTN JOHN DOE", "DOE JOHN SOLE MBR", "JOHN DOE PRES"];
    const rows = people.map((name, at) => `('10000000${at}', 'A', 'X', 'NY', '${name}', '3', 1990, 2020)`);
    await putOrganizations(
      "organizations.parquet",
      [...rows, "('100000009', 'B', 'X', 'NY', 'POST 7', '9', 1950, 2021)"].join(),
      "ein, name, city, state, sort_name, affiliation, earliest_ruling_year, ruling_year",
    );
    expect(await readListed("organization_names")).toEqual([
      ...people.map((_, at) => [100000000 + at, "A", null, "X", "NY", null, 1990, false, null, null]),
      [100000009, "B", "POST 7", "X", "NY", null, 1950, true, null, null],
    ]);
    expect((await readListed()).at(-1)).toEqual([100000009, "B", "X", "NY", "POST 7", null, null, 2021]);
  });

  it("is empty if there is no list", async () => {
    expect(await readListed()).toEqual([]);
    expect(await readListed("organization_names")).toEqual([]);
  });
});

describe("a sync refuses", () => {
  const refusal = (environment = {}) => folder.refusal(syncHere(warehouse, data, environment));

  it("organizations without a column or with a wrong type, and names file, column and rule", async () => {
    await putOrganizations("organizations.parquet", "(1.5, 2, 'NY')", "ein, name, state");
    expect(await refusal()).toBe(
      'ORGANIZATIONS "/organizations.parquet": 3 problems' +
        '\n  required columns "city" are missing in "/organizations.parquet"; the columns found are "ein", "name", "state"' +
        '\n  column "ein" has type DECIMAL(2,1) in "/organizations.parquet"; expected VARCHAR, an integer type' +
        '\n  column "name" has type INTEGER in "/organizations.parquet"; expected VARCHAR',
    );
  });

  it("organizations without rows, and without a row that can be used", async () => {
    await putOrganizations("organizations.parquet", `${fund} LIMIT 0`);
    expect(await refusal()).toBe(
      'ORGANIZATIONS "/organizations.parquet": it has no rows; expected at least one',
    );
    await putOrganizations("organizations.parquet", "('1', 'A', 'B', 'C')");
    expect(await refusal()).toBe(
      'ORGANIZATIONS "/organizations.parquet": no row has an ein of nine digits and a name',
    );
  });

  it("a file that is missing, is not Parquet, or cannot be read", async () => {
    const path = join(folder.home, "organizations.parquet");
    expect(await refusal({ ORGANIZATIONS: path })).toBe(
      'ORGANIZATIONS: "/organizations.parquet" cannot be read: it does not exist, or is a link to a missing file',
    );
    await symlink("nowhere", path);
    expect(await refusal()).toContain("it does not exist, or is a link to a missing file");
    await rm(path);
    await writeFile(path, "no Parquet");
    expect(await refusal()).toContain('ORGANIZATIONS: "/organizations.parquet" is not a Parquet file');
    await putOrganizations("organizations.parquet", fund);
    await damageColumn(connection(), path, "name");
    expect(await refusal()).toContain('"/organizations.parquet": column name cannot be read: ');
  });
});

describe("verification", () => {
  let [made, release] = ["", ""];

  beforeAll(async () => {
    await put("w/grants.parquet", spread(5), "FROM range(40) t(i)");
    await putOrganizations("organizations.parquet", `${fund}, ('100000002', 'Bright Fund', NULL, NULL)`);
    made = join(folder.root, "made");
    await syncHere(join(folder.home, "w"), made);
  });

  beforeEach(async () => {
    await cp(made, data, { recursive: true, verbatimSymlinks: true });
    release = await findRelease(data);
  });

  const orders = [
    ["out of order", [1, 0], "line 1 is malformed, too long or out of order"],
    ["listed twice", [0, 0], "line 1 is malformed, too long or out of order"],
  ] as const;
  it.each(spreadOf("wrong orders of organizations", orders, 2))(
    "finds organizations that are %s",
    async (_, order, problem) => {
      const lines = (await readOrganizations()).split("\n");
      await writeFile(join(release, "organizations"), order.map((line) => `${lines[line]}\n`).join(""));
      await sealAgain(release);
      expect(await findProblems(release)).toContain(problem);
    },
  );

  it("finds organizations of which the last line is cut", async () => {
    await writeFile(join(release, "organizations"), (await readOrganizations()).slice(0, -1));
    await sealAgain(release);
    expect(await findProblems(release)).toContain("organizations does not end with a whole line");
  });

  itWhole("finds states that differ from the organizations", async () => {
    expect((await readManifest(release)).places).toMatchObject({
      funder_state: { source: "organizations", unknown: 32 },
      recipient_state: { source: "organizations", unknown: 40 },
    });
    await writeFile(join(release, "organizations"), (await readOrganizations()).replace('"NY"', '"NJ"'));
    await sealAgain(release);
    expect(await findProblems(release)).toContain(
      "1 EINs have another funder_state than in the organizations",
    );
  });

  itWhole("finds files of names that are missing, changed or unexpected", async () => {
    expect(await findProblems(release)).toBe("");
    const names = join(release, "public/v1/names");
    const file = join(names, "eins/1000.json.gz");
    const before = await readFile(file);
    await rm(file);
    expect(await findProblems(release)).toContain("public/v1/names/eins/1000.json.gz is missing");
    await writeFile(file, before.subarray(1));
    expect(await findProblems(release)).toContain("public/v1/names/eins/1000.json.gz has unexpected content");
    await writeFile(file, before);
    const others = ["eins/1001.json.gz", "eins/1000.json", "others"];
    for (const unexpected of spreadOf("unexpected files of names", others, 3)) {
      await writeFile(join(names, unexpected), before);
      expect(await findProblems(release)).toContain(
        `public/v1/names/${unexpected} is not part of the release`,
      );
      await rm(join(names, unexpected));
    }
    await rename(names, `${names}2`);
    expect(await findProblems(release)).toContain("public/v1/names2 is not part of the release");
  });

  itWhole("finds files of names that differ from the organizations", async () => {
    await writeFile(join(release, "organizations"), (await readOrganizations()).replaceAll("Bright", "Dull"));
    await sealAgain(release);
    expect(await findProblems(release)).toContain("v1/names/eins/1000.json: file and answer differ");
    await sealAgain(release, { names: { organizations: 3, profiles: 0, funders: 2 } });
    expect(await findProblems(release)).toContain("organizations has 2 lines, the manifest says 3");
  });
});
