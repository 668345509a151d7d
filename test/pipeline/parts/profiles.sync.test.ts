// Tests how a sync finds, checks and reads finances, and what a release's profiles have.
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { profileBytesMax } from "../../../api-static/release/organizations.ts";
import { writeOrganizations } from "../../../pipeline/parts/organizations.ts";
import { findFormerNames, writeProfiles } from "../../../pipeline/parts/profiles.ts";
import { readManifest } from "../../../pipeline/releases/manifest.ts";
import { findFinances, findOrganizations } from "../../../pipeline/warehouse/organizations.ts";
import { findProblems, spread, syncHere } from "../trust.fixture.ts";
import { damageColumn, useFolder, useParquet } from "../warehouse/warehouse.fixture.ts";

const folder = useFolder();
const { put, connection } = useParquet(folder);

let [warehouse, data] = ["", ""];

/** Writes rows, the body of VALUES, into a file of the warehouse. */
async function putRows(name: string, columns: string, rows: string): Promise<string> {
  const path = join(warehouse, name);
  await connection().run(`COPY (FROM (VALUES ${rows}) AS rows(${columns})) TO '${path}' (FORMAT parquet)`);
  return path;
}

const putFinances = (rows: string, columns = financeColumns) => putRows("finances.parquet", columns, rows);

const financeColumns =
  "ein, tax_year, period_end, form, return_id, revenue, expenses, assets, grants_paid, mission";

const returnId = "202303329349100200";
const returns = `
  ('100000001', 2022::SMALLINT, DATE '2022-12-31', '990', '${returnId}', 1234567890123456.78, 0, -5, NULL::DECIMAL(18, 2), 'OLD MISSION'),
  ('100000001', 2023, DATE '2024-06-30', '990PF', 'a hash', 1, 2.5, 3, 4, NULL),
  ('10-0000003', 2020, NULL, NULL, NULL, NULL, NULL, NULL, NULL, E' To "give" \\n é ')`;

beforeEach(async () => {
  [warehouse, data] = [join(folder.home, "w"), join(folder.home, "data")];
  await put("w/grants.parquet", spread(5), "FROM range(40) t(i)");
  await putRows(
    "organizations.parquet",
    "ein, name, city, state, subsection, ruling_year, first_period, period",
    `('100000001', 'New Name', 'X', 'NY', '3', 1950, '2020-12', '2023-12'),
     ('100000001', 'OLD NAME', 'X', 'NY', '4', NULL, '2015-12', '2019-12'),
     ('100000002', 'Never on file', 'X', 'NY', NULL, NULL, NULL, NULL),
     ('100000003', 'Two Spellings Inc', 'X', 'NY', 'none', 0, '2020-12', '2020-12'),
     ('100000003', 'TWO SPELLINGS', 'X', 'NY', NULL, NULL, '2012-12', '2013-12'),
     ('100000004', 'Coded', 'X', 'NY', '92', NULL, NULL, NULL)`,
  );
});

/** Reads the profiles that a sync writes, and what it warns of. */
async function readProfiles(): Promise<{ lines: string[]; warnings: string[] }> {
  for (const table of ["listed", "organization_names", "stated"])
    await connection().run(`DROP TABLE IF EXISTS ${table}`);
  const warnings: string[] = [];
  const warn = (line: string) => warnings.push(line.replaceAll(folder.home, ""));
  const organizations = await findOrganizations(connection(), { organizations: "", warehouse });
  await writeOrganizations(connection(), organizations, folder.home, () => {});
  const finances = await findFinances(connection(), organizations);
  const count = await writeProfiles(connection(), { finances, nextYear: 2027 }, folder.home, warn);
  const lines = (await readFile(join(folder.home, "organizations.profiles"), "utf8"))
    .split("\n")
    .slice(0, -1);
  expect(lines.length).toBe(count);
  return { lines, warnings };
}

const named =
  '{"ein":"100000001","subsection":"03","ruling_year":1950,"former_names":[{"name":"OLD NAME","from":"2015-12","to":"2019-12"}]';
const coded =
  '{"ein":"100000004","subsection":"92","ruling_year":null,"former_names":[],"finances":[],"mission":null,"applications":null}';

describe("profiles", () => {
  it("have codes, former names, exact finances from the newest year on, and the newest mission", async () => {
    await putFinances(returns);
    expect(await readProfiles()).toEqual({
      lines: [
        `${named},"finances":[` +
          '{"tax_year":2023,"form":"990-PF","revenue":1.00,"expenses":2.50,"assets":3.00,"grants_paid":4.00,"source":null},' +
          '{"tax_year":2022,"form":"990","revenue":1234567890123456.78,"expenses":0.00,"assets":-5.00,"grants_paid":null,' +
          `"source":{"object_id":"${returnId}","period":"2022-12"}}],"mission":"OLD MISSION","applications":null}`,
        '{"ein":"100000003","subsection":null,"ruling_year":null,"former_names":[],"finances":[{"tax_year":2020,"form":null,' +
          '"revenue":null,"expenses":null,"assets":null,"grants_paid":null,"source":null}],"mission":"To \\"give\\" \\n é","applications":null}',
        coded,
      ],
      warnings: [],
    });
  });

  it("are those of the list without finances", async () => {
    const expected = {
      lines: [`${named},"finances":[],"mission":null,"applications":null}`, coded],
      warnings: [],
    };
    expect(await readProfiles()).toEqual(expected);
    await putFinances(`${returns} LIMIT 0`);
    expect(await readProfiles()).toEqual(expected);
  });

  it("leave rows out that name no organization or year, or repeat a year, and say how many", async () => {
    await putFinances(
      `('100000001', 2022, 1, DATE '2022-06-30'), ('100000001', 2022, 2, DATE '2022-12-31'),
      ('100000001', 2022, 3, NULL), ('1', 2022, 4, NULL), ('100000001', 1899, 5, NULL), ('100000001', 2028, 6, NULL),
      ('100000001', NULL, 7, NULL), ('999999999', 2022, 8, NULL)`,
      "ein, tax_year, revenue, period_end",
    );
    const { lines, warnings } = await readProfiles();
    expect(lines[0]).toContain('"finances":[{"tax_year":2022,"form":null,"revenue":2.00,');
    const setting = 'warning: finances "/w/finances.parquet":';
    expect(warnings).toEqual([
      `${setting} 1 rows are left out: the ein is not nine digits`,
      `${setting} 1 rows are left out: the list of organizations does not have the ein`,
      `${setting} 3 rows are left out: the tax_year is not a year from 1900 to 2027`,
      `${setting} 2 rows are left out: another row of the ein and tax_year counts`,
    ]);
  });

  it("are left out if their line is too long for a server, with a warning", async () => {
    const putMission = (length: number) =>
      putFinances(`('100000004', 2022, repeat('x', ${length}))`, "ein, tax_year, mission");
    await putMission(1);
    const [, line = ""] = (await readProfiles()).lines;
    const longest = profileBytesMax - line.length; // with its line feed, the line has one byte more, and one "x" less
    await putMission(longest);
    expect((await readProfiles()).lines[1]?.length).toBe(profileBytesMax - 1);
    await putMission(longest + 1);
    expect(await readProfiles()).toEqual({
      lines: [`${named},"finances":[],"mission":null,"applications":null}`],
      warnings: ["warning: 1 organizations have no profile: its line has more than 65536 bytes"],
    });
  });

  it("have what the newest return that says whether it takes applications says of them, and no other", async () => {
    const columns =
      "ein, tax_year, period_end, return_id, accepts, deadlines, application_form, restrictions";
    await putFinances(
      `('100000001', 2021, DATE '2021-12-31', '${returnId}', 'yes', 'OLD', 'OLD', 'OLD'),
      ('100000001', 2022, DATE '2022-12-31', '${returnId}', 'Yes ', ' May "1" ', NULL, 'NONE'),
      ('100000001', 2023, NULL, NULL, 'maybe', 'UNUSED', NULL, NULL), ('100000004', 2023, NULL, NULL, 'no', NULL, NULL, NULL)`,
      columns,
    );
    const { lines } = await readProfiles();
    expect(lines.map((line) => JSON.parse(line).applications)).toEqual([
      {
        accepts: "yes",
        deadlines: 'May "1"',
        form: null,
        restrictions: "NONE",
        tax_year: 2022,
        source: { object_id: returnId, period: "2022-12" },
      },
      { accepts: "no", deadlines: null, form: null, restrictions: null, tax_year: 2023, source: null },
    ]);
    expect(lines[1]).toMatch(
      /"applications":\{"accepts":"no","deadlines":null,"form":null,"restrictions":null,"tax_year":2023,"source":null\}\}$/,
    );
  });

  it("are written beside what the newest returns state, by EIN", async () => {
    const readStated = async () => {
      await readProfiles();
      return (await connection().runAndReadAll("SELECT ein, accepts, is_sponsor FROM stated")).getRows();
    };
    await putFinances(
      `('100000004', 2022, NULL, true), ('100000004', 2021, 'no', false), ('100000003', 2021, NULL, true),
      ('100000003', 2022, NULL, NULL), ('100000001', 2021, 'yes', true), ('100000001', 2022, NULL, false), ('999999999', 2022, 'yes', true)`,
      "ein, tax_year, accepts, donor_advised",
    );
    expect(await readStated()).toEqual([
      [100_000_001, "yes", false],
      [100_000_004, "no", true],
    ]);
    await putFinances(returns);
    expect(await readStated()).toEqual([]);
  });

  it("are the same for the same rows in another order", async () => {
    await putFinances(returns);
    const { lines } = await readProfiles();
    await connection().run(`COPY (FROM '${join(warehouse, "finances.parquet")}' ORDER BY tax_year, revenue)
      TO '${join(warehouse, "other.parquet")}' (FORMAT parquet)`);
    await connection().run(
      `COPY (FROM '${join(warehouse, "other.parquet")}') TO '${join(warehouse, "finances.parquet")}' (FORMAT parquet)`,
    );
    expect((await readProfiles()).lines).toEqual(lines);
  });
});

describe("finances.parquet", () => {
  it("is an input: a release changes with it, and purges organizations; without a list it is not read", async () => {
    const releases = [await syncHere(warehouse, data)];
    for (const change of [() => putFinances(returns), () => rm(join(warehouse, "finances.parquet"))]) {
      await change();
      const release = await syncHere(warehouse, data, { KEEP: "10" });
      expect(releases).not.toContain(release);
      releases.push(release);
      const { purge } = JSON.parse(await readFile(join(release, "changes.json"), "utf8"));
      expect(purge).toEqual(["/v1/organizations*", "/v1/names*", "/v1/downloads/*"]);
      expect(await findProblems(release)).toBe("");
    }
    const manifests = await Promise.all(releases.map(readManifest));
    expect(manifests.map(({ finances, names }) => [finances?.rows, names.profiles])).toEqual([
      [undefined, 2],
      [3, 3],
      [undefined, 2],
    ]);
    await putFinances(returns);
    await rm(join(warehouse, "organizations.parquet"));
    const { finances, names } = await readManifest(await syncHere(warehouse, data));
    expect([finances, names.profiles]).toEqual([null, 0]);
  });

  it("is refused if it is no Parquet, has a wrong column, or cannot be read", async () => {
    const refusal = () => folder.refusal(syncHere(warehouse, data));
    await putFinances("(1.5, 2)", "ein, revenue");
    expect(await refusal()).toBe(
      'finances "/w/finances.parquet": 2 problems' +
        '\n  required columns "tax_year" are missing in "/w/finances.parquet"; the columns found are "ein", "revenue"' +
        '\n  column "ein" has type DECIMAL(2,1) in "/w/finances.parquet"; expected VARCHAR, an integer type',
    );
    const path = await putFinances(returns);
    await damageColumn(connection(), path, "mission");
    expect(await refusal()).toContain('"/w/finances.parquet": column mission cannot be read: ');
    await writeFile(path, "no Parquet");
    expect(await refusal()).toContain('finances: "/w/finances.parquet" is not a Parquet file');
  });
});

describe("former names", () => {
  const name = (text: string, from: string | null, to: string) => ({ name: text, from, to });

  it("ended before the present one began; names of the same words are one", () => {
    const names = [
      name("The Present Fund, Inc.", "2020-12", "2023-12"),
      name("PRESENT FUND", "2016-12", "2018-12"), // the same words
      name("PRESNET FUND", "2017-12", "2017-12"), // misspelled beside it
      name("Former Fund", "2013-12", "2015-12"),
      name("FORMER FUND", "2011-12", "2012-12"),
      name("First", null, "2010-12"),
    ];
    expect(findFormerNames(names)).toEqual([
      name("Former Fund", "2011-12", "2015-12"),
      name("First", null, "2010-12"),
    ]);
  });

  it("ended before the present one’s last month if its first is unknown", () => {
    const names = [
      name("Present", null, "2023-12"),
      name("Same month", null, "2023-12"),
      name("Former", null, "2020-12"),
    ];
    expect(findFormerNames(names)).toEqual([name("Former", null, "2020-12")]);
  });

  it("are at most 20, the last ones", () => {
    const names = Array.from({ length: 30 }, (_, index) =>
      name(`Name ${index}`, `${2030 - index}-01`, `${2030 - index}-12`),
    );
    expect(findFormerNames(names)).toEqual(names.slice(1, 21));
    expect(findFormerNames([])).toEqual([]);
  });
});
