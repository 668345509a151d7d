// Tests nights with likely recipients: they are drawn for reading, a person's verdicts hold in the next release, and faults change nothing.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { readManifest } from "../../../pipeline/releases/manifest.ts";
import { runCommand } from "../release.fixture.ts";
import { useFolder, useParquet } from "../warehouse/warehouse.fixture.ts";

const folder = useFolder();
const { connection } = useParquet(folder);

let settings: Record<string, string> = {};

/** 400 funders file the EIN of the same recipient; five grants name it without an EIN. */
beforeAll(async () => {
  const warehouse = join(folder.root, "grants.parquet");
  await connection().run(
    `COPY (SELECT i AS id, 100000000 + i AS funder_ein, 2020 AS transaction_year, '=Houston Food Bank' AS recipient_name,
      CASE WHEN i < 400 THEN '741684332' END AS recipient_ein, 100 AS amount, 'P' AS purpose, DATE '2021-01-01' AS created_at,
      'TX' AS recipient_state, 'Houston' AS recipient_city, '77029-1234' AS recipient_zip FROM range(405) t(i)) TO '${warehouse}' (FORMAT parquet)`,
  );
  settings = { WAREHOUSE: warehouse, DATA: join(folder.root, "data") };
  expect(await runCommand(["sync"], settings)).toMatchObject({ code: 0 });
});

const current = () => join(settings.DATA ?? "", "current");

/** The matches of the current release: id, EIN and rule. */
async function readMatches(): Promise<unknown[][]> {
  const found = await connection().runAndReadAll(
    `SELECT id::INTEGER, matched_ein, match_rule FROM '${current()}/matches.parquet' ORDER BY id`,
  );
  return found.getRows();
}

/** Draws matches into a file. */
async function draw(name: string, rows: number): Promise<{ path: string; cells: string[][] }> {
  const path = join(folder.root, name);
  expect(await runCommand(["matches"], { ...settings, SAMPLE: String(rows), OUT: path })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`matches: ${rows} in ${path}`),
  });
  const lines = (await readFile(path, "utf8")).trim().split("\r\n");
  return { path, cells: lines.map((line) => line.split(",")) };
}

const all = (ein: string, rule: string) => [400, 401, 402, 403, 404].map((id) => [id, ein, rule]);

describe("a night with likely recipients", () => {
  it("finds the five grants, and says how sure that is", async () => {
    expect(await readMatches()).toEqual(all("741684332", "history"));
    const { matches } = await readManifest(current());
    expect(matches).toMatchObject({ without_ein: 5, placed: 5, matched: 5 });
    expect(matches.why).toBe(
      "There is no list of organizations, so only EINs that funders filed can be found.",
    );
    expect(matches.rules[0]).toMatchObject({
      rule: "history",
      served: true,
      precision: { compared: 400, agreed: 400, low: 0.9904 },
    });
  });

  it("draws some with the place as filed, the same ones each time, and replaces no file", async () => {
    const { path, cells } = await draw("drawn.csv", 3);
    const [header = [], first = []] = cells;
    const row = Object.fromEntries(header.map((name, index) => [name, first[index]]));
    expect(cells).toHaveLength(4);
    expect(row).toMatchObject({
      ...{
        matched_ein: "741684332",
        verdict: "",
        recipient_name: "'=Houston Food Bank",
        recipient_city: "Houston",
      },
      ...{
        recipient_state: "TX",
        recipient_zip: "77029-1234",
        match_rule: "history",
      },
    });
    expect((await draw("again.csv", 3)).cells).toEqual(cells);
    const { code, stderr } = await runCommand(["matches"], { ...settings, SAMPLE: "3", OUT: path });
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining("exists and may have verdicts; choose another file"),
    ]);
  });

  it("follows a person's verdicts, and makes no new release if they are the same", async () => {
    const { path, cells } = await draw("read.csv", 1);
    const give = async (verdict: string) => {
      const [header = [], row = []] = cells;
      await writeFile(
        path,
        [header, row.with(header.indexOf("verdict"), verdict)].map((line) => line.join(",")).join("\r\n"),
      );
      return runCommand(["sync"], { ...settings, OBJECTIONS: path });
    };
    expect(await give("wrong")).toMatchObject({ code: 0 });
    expect(await readMatches()).toEqual([]);
    expect((await give("wrong")).stdout).toContain("nothing new");
    expect(await give("13-1635294")).toMatchObject({ code: 0 });
    expect(await readMatches()).toEqual(all("131635294", "operator"));
    expect(await give("right")).toMatchObject({ code: 0 });
    expect(await readMatches()).toEqual(all("741684332", "history"));
  });

  it.each([
    [
      "semicolons, accents in Windows-1252",
      Buffer.from("id;matched_ein;name;VERDICT\n400;741684332;Caf\xe9;Wrong\n", "latin1"),
      [],
    ],
    [
      "tabs, UTF-16",
      Buffer.from("\uFEFFid\tmatched_ein\tverdict\r\n400\t74-1684332\twrong\r\n", "utf16le"),
      [],
    ],
    [
      "a byte order mark, lost zeros and spaces",
      Buffer.from("\uFEFFid,matched_ein,verdict\n400, 741684332 ,10211513\n"),
      all("010211513", "operator"),
    ],
  ] as const)("reads objections as a spreadsheet saves them: %s", async (_, bytes, expected) => {
    const path = join(folder.root, "saved.csv");
    await writeFile(path, bytes);
    const ended = await runCommand(["sync"], { ...settings, OBJECTIONS: path });
    expect(ended.code, ended.stderr).toBe(0);
    expect(await readMatches()).toEqual(expected);
    expect(await runCommand(["sync"], settings)).toMatchObject({ code: 0 }); // as the other tests expect
  });

  it.each([
    ["id,matched_ein\n1,741684332\n", "there is no column verdict; expected id, matched_ein, verdict"],
    [
      "id,matched_ein,verdict\n400,741684332,right\n400,741684332,maybe\n",
      'row 3: verdict must be right, wrong, or the right EIN, but is "maybe"',
    ],
    [
      "id,matched_ein,verdict\n400,7416,wrong\n",
      'row 2: matched_ein must be an EIN of nine digits, but is "7416"',
    ],
    ["id,matched_ein,verdict\nx,741684332,wrong\n", 'row 2: id must be the id of a grant, but is "x"'],
  ])("refuses the objections %j and changes nothing", async (text, message) => {
    const path = join(folder.root, "wrong.csv");
    await writeFile(path, text);
    const before = await readManifest(current());
    const { code, stderr } = await runCommand(["sync"], { ...settings, OBJECTIONS: path });
    expect([code, stderr]).toEqual([2, expect.stringContaining(`sync: OBJECTIONS "${path}": ${message}`)]);
    expect(await readManifest(current())).toEqual(before);
  });

  it("names objections that are not there", async () => {
    const { code, stderr } = await runCommand(["sync"], { ...settings, OBJECTIONS: "/nowhere.csv" });
    expect([code, stderr]).toEqual([2, expect.stringContaining("/nowhere.csv")]);
  });
});
