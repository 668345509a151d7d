// Tests the list of organizations: returns and the Business Master File merge, and the newer one gives the name.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { digestFolder, runCommand } from "../release.fixture.ts";
import { useFolder } from "../warehouse/warehouse.fixture.ts";
import { importHere, importWell, member, objectId, putZip, query } from "./season.fixture.ts";

const folder = useFolder();

const header = "EIN,NAME,ICO,STREET,CITY,STATE,ZIP,GROUP,SUBSECTION,TAX_PERIOD,ASSET_CD,SORT_NAME";

/** Lines of a Business Master File. */
const line = (ein: string, name: string, period: string) =>
  `${ein},${name},% SOMEBODY,1 MAIN ST,MIAMI,FL,33101-0001,0000,03,${period},4,`;

async function putMasterFile(name: string, ...lines: readonly string[]): Promise<string> {
  const path = join(folder.home, name);
  await writeFile(path, `${[header, ...lines].join("\n")}\n`);
  return path;
}

const mergeHere = (from: string, out: string) => runCommand(["organizations"], { FROM: from, OUT: out });

/** The list in a warehouse. */
const list = (out: string) =>
  query(
    "SELECT concat_ws('|', ein, name, city, state, source, period) AS text FROM read_parquet($path) ORDER BY ein, period",
    join(out, "organizations.parquet"),
  ).then((rows) => rows.map(({ text }) => text));

describe("the list of organizations", () => {
  it("has the names of returns and the master file, the newer one last, in either order of the commands", async () => {
    const zip = putZip(folder.home, "a.zip", [
      member(objectId(1, 1), { ein: "100000001", line1: "RETURN IS NEWER" }),
      member(objectId(1, 2), { ein: "100000002", line1: "RETURN IS OLDER" }),
      member(objectId(1, 3), { ein: "100000003", line1: "RETURN OF SAME PERIOD" }),
    ]);
    await putMasterFile(
      "eo1.csv",
      line("100000001", "FILE IS OLDER", "202112"),
      line("100000002", '"FILE, NEWER"', "202306"),
    );
    await putMasterFile(
      "eo2.csv",
      line("100000003", "FILE OF SAME PERIOD", "202212"),
      line("000000004", "PAPER FILER", ""),
      line("000000000", "NOBODY", ""),
      line("5", "NO EIN", ""),
    );
    const expected = [
      "000000004|PAPER FILER|MIAMI|FL|IRS Business Master File|2022-12",
      "100000001|FILE IS OLDER|MIAMI|FL|IRS Business Master File|2021-12",
      "100000001|RETURN IS NEWER|TAMPA|FL|IRS e-file|2022-12",
      "100000002|RETURN IS OLDER|TAMPA|FL|IRS e-file|2022-12",
      "100000002|FILE, NEWER|MIAMI|FL|IRS Business Master File|2023-06",
      "100000003|FILE OF SAME PERIOD|MIAMI|FL|IRS Business Master File|2022-11",
      "100000003|RETURN OF SAME PERIOD|TAMPA|FL|IRS e-file|2022-12",
    ];
    const [one, other] = [join(folder.home, "one/warehouse"), join(folder.home, "other/warehouse")];
    const glob = join(folder.home, "eo*.csv");
    await importWell(zip, one);
    const ended = await mergeHere(glob, one);
    expect([ended.code, ended.stdout]).toEqual([0, `organizations: 4 in ${one}/organizations.parquet\n`]);
    expect(await list(one)).toEqual(expected);
    await mergeHere(glob, other);
    await importWell(zip, other);
    const digestList = async (out: string) => (await digestFolder(out))["organizations.parquet"];
    expect(await digestList(other)).toBe(await digestList(one));
    expect(await list(other)).toEqual(expected);
  });

  it("belongs to its warehouse: neighbors have their own, also if both are imported at once", async () => {
    const imports = ["a", "b"].map((name, index) => ({
      out: join(folder.home, "x", name),
      zip: putZip(folder.home, `${name}.zip`, [
        member(objectId(1, index), { ein: `10000000${index}`, line1: `FILER ${name}` }),
      ]),
    }));
    await Promise.all(imports.map(({ zip, out }) => importWell(zip, out)));
    expect(await Promise.all(imports.map(({ out }) => list(out)))).toEqual([
      ["100000000|FILER a|TAMPA|FL|IRS e-file|2022-12"],
      ["100000001|FILER b|TAMPA|FL|IRS e-file|2022-12"],
    ]);
  });

  it("has codes and the sort name from the master file, whichever source gives the name, and columns that it lacks are null", async () => {
    const zip = putZip(folder.home, "a.zip", [
      member(objectId(1, 1), { ein: "100000001", line1: "NEWER" }),
      member(objectId(1, 2), { ein: "100000003", line1: "Same" }),
    ]);
    const path = join(folder.home, "eo1.csv");
    const out = join(folder.home, "warehouse");
    await writeFile(
      path,
      "EIN,NAME,CITY,STATE,ZIP,SUBSECTION,RULING,NTEE_CD,TAX_PERIOD,SORT_NAME,AFFILIATION,GROUP\n100000001,OLDER,MIAMI,FL,33101-0001,03,199405,B82,202112, TROOP 5 ,9,287\n100000002,OTHER,MIAMI,FL,33101-0001,04,000000,,202112,,3,0000\n100000003,SAME,Tampa,FL,33601-0001,03,200105,A20,202112,POST 7,,\n",
    );
    await importWell(zip, out);
    expect((await mergeHere(path, out)).code).toBe(0);
    const codes =
      "SELECT name, ntee_code, subsection, ruling_year, sort_name FROM read_parquet($path) WHERE name <> 'OLDER' ORDER BY ein";
    const file = join(out, "organizations.parquet");
    expect(await query(codes, file)).toEqual([
      { name: "NEWER", ntee_code: "B82", subsection: "03", ruling_year: 1994, sort_name: "TROOP 5" },
      { name: "OTHER", ntee_code: null, subsection: "04", ruling_year: null, sort_name: null },
      { name: "Same", ntee_code: "A20", subsection: "03", ruling_year: 2001, sort_name: "POST 7" },
    ]);
    expect(await query("SELECT zip, country FROM read_parquet($path) WHERE name = 'OTHER'", file)).toEqual([
      { zip: "33101-0001", country: null },
    ]);
    const groups =
      "SELECT affiliation, group_number, earliest_ruling_year FROM read_parquet($path) WHERE name = 'NEWER'";
    expect(await query(groups, file)).toEqual([
      { affiliation: "9", group_number: "0287", earliest_ruling_year: 1994 },
    ]);
    await writeFile(path, "EIN,NAME,CITY,STATE,TAX_PERIOD\n100000001,OLDER,MIAMI,FL,202112\n");
    expect((await mergeHere(path, out)).code).toBe(0);
    expect(await query(codes, file)).toEqual([
      { name: "NEWER", ntee_code: null, subsection: null, ruling_year: null, sort_name: null },
      { name: "OTHER", ntee_code: null, subsection: "04", ruling_year: null, sort_name: null },
      { name: "Same", ntee_code: "A20", subsection: "03", ruling_year: 2001, sort_name: "POST 7" },
    ]);
    expect(await query(groups, file)).toEqual([
      { affiliation: null, group_number: null, earliest_ruling_year: 1994 },
    ]);
  });

  it("can come from the master file alone, beside grants from elsewhere, and keeps the names of earlier ones with their periods", async () => {
    const out = join(folder.home, "warehouse");
    await mkdir(out);
    await writeFile(join(out, "mine.parquet"), "grants");
    const add = async (...lines: string[]) => {
      const ended = await mergeHere(await putMasterFile("eo1.csv", ...lines), out);
      expect([ended.code, ended.stdout]).toEqual([0, expect.stringContaining("organizations: 2 in")]);
      const periods = "SELECT concat_ws(' ', ein[-1:], name, zip, first_period, period) AS text";
      const rows = await query(
        `${periods} FROM read_parquet($path) ORDER BY ein, period`,
        join(out, "organizations.parquet"),
      );
      return rows.map(({ text }) => text);
    };
    const church = line("100000002", "CHURCH", "");
    const first = [line("100000001", "A", "202012"), line("100000001", "B", "202112"), church];
    const second = [line("100000001", "B", "202212").replace("-0001", ""), line("100000002", "CHAPEL", "")];
    expect(await add(...first)).toEqual([
      "1 A 33101-0001 2020-12 2020-12",
      "1 B 33101-0001 2021-12 2021-12",
      "2 CHURCH 33101-0001 2021-12 2021-12",
    ]);
    const merged = [
      "1 A 33101-0001 2020-12 2020-12",
      "1 B 33101 2021-12 2022-12",
      "2 CHURCH 33101-0001 2021-12 2021-12",
      "2 CHAPEL 33101-0001 2022-12 2022-12",
    ];
    expect(await add(...second)).toEqual(merged);
    expect(await add(...second)).toEqual(merged);
    expect(await add(...first)).toEqual(merged); // an older file
    expect(await add(line("100000001", "A NEW NAME", "202212"))).toEqual([
      "1 A 33101-0001 2020-12 2020-12",
      "1 B 33101 2021-12 2022-11", // the file added last has the name of today
      "1 A NEW NAME 33101-0001 2022-12 2022-12",
      ...merged.slice(2),
    ]);
  });

  it("is never written over a list that somebody else made", async () => {
    const path = await putMasterFile("eo1.csv", line("100000001", "A", "202112"));
    const out = join(folder.home, "warehouse");
    const theirs = join(out, "organizations.parquet");
    await mkdir(out);
    await writeFile(theirs, "their list");
    const zip = putZip(folder.home, "a.zip", [member(objectId(1, 1))]);
    for (const ended of [await mergeHere(path, out), await importHere(zip, out)])
      expect([ended.code, ended.stderr]).toEqual([
        2,
        expect.stringContaining("but no import or sample wrote it"),
      ]);
    expect(await readFile(theirs, "utf8")).toBe("their list");
  });

  /** The same three rows in the forms that spreadsheets and other programs write. */
  const columns = "EIN,NAME,CITY,STATE,ZIP,TAX_PERIOD,SORT_NAME";
  const rows = ["010211501,NIÑOS DE BOSTON,BOSTON,MA,02110,202312,", "131635294,B,BOSTON,MA,02110,202312,C"];
  const plain = `${columns}\n${rows.join("\n")}\n`;
  it.each<[string, string | Buffer]>([
    ["plain", plain],
    [
      "lost zeros and decimals",
      plain.replace("010211501", "10211501.0").replaceAll("02110", "2110").replaceAll("202312", "202312.0"),
    ],
    ["hyphens", plain.replace("010211501", "01-0211501")],
    ["semicolons", `sep=;\n${plain.replaceAll(",", ";")}`],
    ["tabs", plain.replaceAll(",", "\t")],
    ["UTF-16 with tabs", Buffer.from(`\uFEFF${plain.replaceAll(",", "\t")}`, "utf16le")],
    ["Windows-1252", Buffer.from(plain, "latin1")],
    [
      "byte order mark, CRLF, quotes and lower case",
      `\uFEFF"ein";"name";"city";"state";"zip";"tax_period";"sort_name"\r\n"010211501";"NIÑOS DE BOSTON"; "BOSTON" ;"MA";"02110";"202312";""\r\n131635294;B;BOSTON;MA;02110;202312;C`,
    ],
    ["formulas", plain.replace("010211501", '="010211501"').replaceAll("02110", '="02110"')],
    ["old line ends", plain.replaceAll("\n", "\r")],
    ["blank fields at the end omitted", plain.replace("202312,\n", "202312\n")],
  ])("reads a master file with %s", async (_, text) => {
    const path = join(folder.home, "eo1.csv");
    await writeFile(path, text);
    const out = join(folder.home, "warehouse");
    expect((await mergeHere(path, out)).code).toBe(0);
    const file = join(out, "organizations.parquet");
    expect(
      await query(
        "SELECT concat_ws('|', ein, name, city, state, zip, sort_name, period) AS text FROM read_parquet($path)",
        file,
      ),
    ).toEqual([
      { text: "010211501|NIÑOS DE BOSTON|BOSTON|MA|02110|2023-12" },
      { text: "131635294|B|BOSTON|MA|02110|C|2023-12" },
    ]);
  });

  it("says how many rows of a master file it skipped and repaired, and loses no others", async () => {
    const path = join(folder.home, "eo1.csv");
    const bad = [
      "1.02E+08,A,B,MA,02110,202312,",
      "000000000,A,B,MA,02110,202312,",
      "131635295,,B,MA,02110,202312,",
    ];
    const broken = [
      '131635296,"UNCLOSED,B,MA,02110,202312,',
      "131635297,A, COMMA,B,MA,02110,202312,X",
      "131635298,CUT",
    ];
    await writeFile(path, Buffer.from(`${columns}\n${[...bad, ...broken, ...rows].join("\n")}`, "latin1"));
    const out = join(folder.home, "warehouse");
    const { code, stdout, stderr } = await mergeHere(path, out);
    expect([code, stdout]).toEqual([0, `organizations: 3 in ${out}/organizations.parquet\n`]);
    expect(stderr).toContain('eo1.csv": 3 rows read, 1 values that are not UTF-8, read as Windows-1252');
    const skipped = [
      "2 skipped without an EIN",
      "1 skipped without a name",
      "1 skipped with more fields than the header",
    ];
    for (const text of [...skipped, "1 skipped with too few fields"]) expect(stderr).toContain(text);
    expect((await list(out)).map((text) => String(text).slice(0, 20))).toEqual([
      "010211501|NIÑOS DE B",
      "131635294|B|BOSTON|M",
      '131635296|"UNCLOSED|',
    ]);
  });

  it("names the file that is not a master file, and changes nothing", async () => {
    const good = await putMasterFile("eo1.csv", line("100000001", "A", "202112"));
    const out = join(folder.home, "warehouse");
    await mergeHere(good, out);
    const before = await list(out);
    const bad = join(folder.home, "bad.csv");
    for (const text of ["EIN,NAME\n1,2\n", "", "<html>"]) {
      await writeFile(bad, text);
      const { code, stderr } = await mergeHere(`${good} ${bad}`, out);
      expect([code, stderr]).toEqual([2, expect.stringMatching(/bad\.csv" is not a Business Master File/)]);
    }
    expect(await mergeHere("", out)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("FROM must name CSV files"),
    });
    expect(await list(out)).toEqual(before);
  });
});
