// Tests that verification finds every value of the index of organizations' names that is wrong.
import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { formatEin } from "../../../api-static/contract/ein.ts";
import { Columns } from "../../../api-static/release/columns.ts";
import { parts } from "../../../api-static/release/layout.ts";
import { findOrganizationProblems } from "../../../pipeline/verify/organizations.ts";
import { buildIndex, type Granted, type Listed } from "../../api-static/search/names/nameIndex.fixture.ts";

const listed: readonly Listed[] = [
  { ein: 1, name: "FLINT FOUNDATION", city: "LA CANADA", state: "CA" },
  { ein: 2, name: "RIDGE SCHOOL", city: "TOLEDO", state: "OH" },
  { ein: 5, name: "ÉTÉ", city: null, state: null },
];
const grants: readonly Granted[] = [
  { funder: 1, recipient: 2, amount: "10.00" },
  { funder: 1, recipient: 7, amount: "3.00" },
  { funder: 9, recipient: null, amount: "1.00" },
];

const profile = {
  ein: "000000001",
  subsection: "03",
  ruling_year: 1950,
  former_names: [
    { name: 'FLINT "F"', from: null, to: "2020-12" },
    { name: "OLD", from: "2010-12", to: "2019-12" },
  ],
  finances: [
    {
      tax_year: 2023,
      form: "990",
      revenue: "1.50",
      expenses: null,
      assets: "-2.00",
      grants_paid: "0.00",
      source: null,
    },
    {
      ...{ tax_year: 2022, form: null, revenue: null, expenses: "7.00", assets: null, grants_paid: null },
      source: { object_id: "202303329349100200", period: "2022-12" },
    },
  ],
  mission: "TO \\ GIVE É",
  applications: {
    ...{ accepts: "yes", deadlines: 'MAY "1"', form: null, restrictions: "É", tax_year: 2022 },
    source: { object_id: "202303329349100200", period: null },
  },
};

/** The line of a profile, with its sums as numbers. */
const formatProfile = (of: unknown) => `${JSON.stringify(of).replaceAll(/"(-?\d+\.\d\d)"/g, "$1")}\n`;
const profiles =
  formatProfile(profile) + formatProfile({ ...profile, ein: "000000005", mission: null, applications: null });
const counts = { organizations: listed.length, profiles: 2 };

let folder = "";
let connection: DuckDBConnection;
let instance: DuckDBInstance;
beforeAll(async () => {
  folder = await buildIndex(listed, grants);
  const lines = listed.map(({ ein, name, city, state }) =>
    JSON.stringify({ ein: formatEin(ein), name, city, state, ntee: null, cause: null }),
  );
  await writeFile(join(folder, parts.organizations), lines.map((line) => `${line}\n`).join(""));
  await writeFile(join(folder, parts.profiles), profiles);
  instance = await DuckDBInstance.create();
  connection = await instance.connect();
  await connection.run(`CREATE TABLE by_funder AS FROM (VALUES (1, 2, 1000::BIGINT), (1, 7, 300), (9, NULL, 100))
    AS rows(funder_ein, recipient_ein, amount_cents);
    CREATE TABLE by_recipient AS FROM by_funder WHERE recipient_ein IS NOT NULL;
    CREATE TABLE stated AS SELECT 1::UINTEGER AS ein, 'yes' AS accepts, false AS is_sponsor`);
});
afterAll(async () => {
  connection.closeSync();
  instance.closeSync();
  await rm(folder, { recursive: true });
});

/** Changes the lowest bit of a value. */
function damage(column: string, row: number): void {
  const path = join(folder, parts.organizationColumns);
  const columns = Columns.open(path);
  const { offset, width } = columns.placeOf(column);
  columns.close();
  const file = openSync(path, "r+");
  const byte = Buffer.alloc(1);
  readSync(file, byte, 0, 1, offset + row * width);
  byte.writeUInt8(byte.readUInt8() ^ 1);
  writeSync(file, byte, 0, 1, offset + row * width);
  closeSync(file);
}

describe("the index of organizations' names", () => {
  it("has no problems if nothing is wrong", async () => {
    expect(await findOrganizationProblems(connection, folder, counts)).toStrictEqual([]);
  });

  it.each([
    ["word.bytes", 2],
    ["posting", 0],
    ["name.word", 1],
    ["name.count", 0],
    ["place", 0],
    ["place.word", 0],
    ["place.state", 1],
    ["roles", 1],
    ["ein", 1],
    ["ein.sorted", 1],
    ["ein.organization", 0],
    ["given.records", 0],
    ["received.records", 1],
    ["given.amount", 0],
    ["received.amount", 4],
  ])("with a wrong value in %s is found", async (column, row) => {
    damage(column, row);
    expect(await findOrganizationProblems(connection, folder, counts)).not.toStrictEqual([]);
    damage(column, row);
  });
});

describe("the profiles", () => {
  const [year, former] = ['"tax_year":2022', '"to":"2019-12"'];
  it.each([
    [
      "another organization’s EIN",
      "000000005",
      "000000004",
      "1 profiles of organizations that are not listed",
    ],
    ["EINs out of order", "000000001", "000000006", "line 1 is malformed, too long or out of order"],
    ["years out of order", year, '"tax_year":2024', "years or names of 000000001 are out of order"],
    ["a year twice", year, '"tax_year":2023', "years or names of 000000001 are out of order"],
    ["names out of order", former, '"to":"2021-12"', "years or names of 000000001 are out of order"],
    ["a damaged sum", "1.50", "1.5O", "line 0 is malformed, too long or out of order"],
    ["a sum without cents", "-2.00", "-2", "line 0 is malformed, too long or out of order"],
    ["a damaged source", '{"object_id"', '{"object_ie"', "line 0 is malformed, too long or out of order"],
    ["a damaged mission", 'É"', "É", "line 0 is malformed, too long or out of order"],
    [
      "damaged applications",
      '"accepts":"yes"',
      '"accepts":"yet"',
      "line 0 is malformed, too long or out of order",
    ],
    [
      "other applications than in the index",
      '"accepts":"yes"',
      '"accepts":"no"',
      "1 profiles whose applications the index contradicts",
    ],
    ["a lost line", `${profiles.split("\n")[0]}\n`, "", "has 1 lines, the manifest says 2"],
    ["half a line", /\n$/, "", "organizations.profiles does not end with a whole line"],
  ])("with %s are found", async (_, from, to, problem) => {
    const path = join(folder, parts.profiles);
    await writeFile(path, profiles.replace(from, to));
    expect((await findOrganizationProblems(connection, folder, counts)).join()).toContain(problem);
    await writeFile(path, profiles);
  });
});
