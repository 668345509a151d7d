// Tests the report of an import, and its errors for damaged input and wrong settings.
import { mkdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { digestFolder } from "../release.fixture.ts";
import { useFolder } from "../warehouse/warehouse.fixture.ts";
import {
  grantOf,
  importHere,
  importWell,
  member,
  memberName,
  objectId,
  putZip,
  readGrants,
  readStatuses,
} from "./season.fixture.ts";

const folder = useFolder();

describe("damage", () => {
  it("costs only the return that has it, which is counted and named", async () => {
    const entries = [1, 2, 3].map((number) =>
      member(objectId(number, number), { ein: `10000000${number}`, grants: [grantOf(`R${number}`, "1")] }),
    );
    const path = putZip(folder.home, "a.zip", entries);
    const bytes = await readFile(path);
    const second = bytes.indexOf(Buffer.from(memberName(objectId(2, 2))));
    bytes[second + 100] = (bytes[second + 100] ?? 0) ^ 0x55;
    await writeFile(path, bytes);
    const out = join(folder.home, "warehouse");
    const { stdout } = await importWell(path, out);
    expect(await readGrants(out)).toEqual(["R1 1.00 2022", "R3 1.00 2022"]);
    expect(stdout).toContain("Unreadable (1 not found elsewhere)");
    expect(stdout).toContain(`a.zip: ${memberName(objectId(2, 2))}: `);
    putZip(folder.home, "b.zip", entries.slice(1, 2)); // the same return, whole
    await importWell(folder.home, out);
    expect((await readGrants(out)).length).toBe(3);
    expect(await readStatuses(out)).toMatchObject({
      [memberName(objectId(2, 2))]: "counts + unreadable, read elsewhere",
    });
  });

  it("of a directory's entry is counted", async () => {
    const path = putZip(
      folder.home,
      "a.zip",
      [1, 2].map((number) => member(objectId(number, number))),
    );
    const bytes = await readFile(path);
    bytes[bytes.indexOf(Buffer.from("PK\x01\x02", "latin1"))] = 0;
    await writeFile(path, bytes);
    const { stdout } = await importWell(path, join(folder.home, "warehouse"));
    expect(stdout).toContain("a.zip: (unknown): its entry in the zip's directory is damaged");
  });

  it.each([
    [
      "a zip that is cut off",
      async (path: string) => truncate(path, (await stat(path)).size - 30),
      /"[^"]*a\.zip" cannot be read: its end is missing/,
    ],
    [
      "a web page instead of a zip",
      (path: string) => writeFile(path, "<!DOCTYPE html><html>moved</html>"),
      /is a web page, not a zip/,
    ],
    ["an empty file", (path: string) => writeFile(path, ""), /is empty, not a zip/],
    ["a missing file", (path: string) => rm(path), /no such file or folder/],
  ])("that makes a source unreadable stops the run and changes nothing: %s", async (_, damage, message) => {
    const out = join(folder.home, "warehouse");
    await mkdir(out);
    await writeFile(join(out, "grants-0000.parquet"), "an earlier import");
    const before = await digestFolder(out);
    const path = putZip(folder.home, "a.zip", [member(objectId(1, 1))]);
    await damage(path);
    const { code, stdout, stderr } = await importHere(path, out);
    expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(message);
    expect(await digestFolder(out)).toEqual(before);
  });
});

describe("the settings of an import", () => {
  it.each([
    [{}, /FROM must name zips/],
    [{ FROM: "/nowhere/*.zip" }, /no file or folder matches this glob/],
    [{ FROM: "x", REPORT: "2" }, /REPORT must be an integer from 0 to 1/],
    [{ REPORT: "1" }, /has no report of an import/],
    [{ FROM: "x", THREADS: "0" }, /THREADS/],
  ])("are checked: %j", async (environment, message) => {
    const { FROM = "", ...others } = environment as Record<string, string>;
    const { code, stderr } = await importHere(FROM, join(folder.home, "warehouse"), others);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  });

  it("refuse returns without grants, and ids beyond their limit", async () => {
    const out = join(folder.home, "warehouse");
    const none = putZip(folder.home, "none.zip", [member(objectId(1, 1), { grants: [] })]);
    expect(await importHere(none, out)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("no return there has grants"),
    });
    const future = putZip(folder.home, "future.zip", [member("204000019349300001")]);
    expect(await importHere(future, out)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("ids are defined up to 2039"),
    });
  });
});

describe("the report of an import", () => {
  it("names returns that lost a value, counts zips of one name by themselves, and says why returns are unreadable", async () => {
    const out = join(folder.home, "warehouse");
    const entries = [
      member(objectId(1, 1), { ein: "100000001", grants: [grantOf("GOOD", "1"), grantOf("BAD", "ONE")] }),
      member(objectId(1, 2), { ein: "100000002" }),
    ];
    for (const [at, name] of ["one", "two"].entries()) {
      await mkdir(join(folder.home, name));
      const broken = { name: `${name}.xml`, content: Buffer.from("<Return>") };
      putZip(join(folder.home, name), "same.zip", [...entries.slice(0, 2 - at), broken]);
    }
    const { stdout } = await importWell(folder.home, out);
    const report = JSON.parse(await readFile(join(`${out}.irs`, "report.json"), "utf8"));
    expect(report.sources.map(({ returns }: { returns: number }) => returns).sort()).toEqual([2, 3]);
    expect(report.problems).toEqual([{ problem: expect.any(String), returns: 2 }]);
    const lossy = {
      source: "same.zip",
      file: memberName(objectId(1, 1)),
      ein: "100000001",
      oddities: ["unreadable amount"],
    };
    expect(report.lossy).toEqual([lossy, lossy]);
    expect(stdout).toContain(`  2  ${report.problems[0].problem}`);
    expect(stdout).toContain(`same.zip: ${memberName(objectId(1, 1))}: EIN 100000001: unreadable amount`);
  });

  it("counts, compares and lists, and REPORT=1 prints it again", async () => {
    const out = join(folder.home, "warehouse");
    const zip = putZip(folder.home, "a.zip", [
      member(objectId(1, 1), { ein: "100000001", stated: "10", grants: [grantOf("EXACT", "10")] }),
      member(objectId(1, 2), {
        ein: "100000002",
        stated: "25",
        grants: [grantOf("BELOW", "10"), { kind: "individuals", purpose: "P", amount: "99" }],
      }),
      member(objectId(1, 3, 1), {
        ein: "100000003",
        form: "990PF",
        stated: "5",
        grants: [
          { kind: "paid", person: "ABOVE", amount: "11" },
          { kind: "future", line1: "LATER", amount: "1" },
          { kind: "empty" },
        ],
      }),
      member(objectId(1, 4, 1), {
        ein: "100000004",
        form: "990PF",
        stated: "7",
        grants: [{ kind: "paid", line1: "SEE ATTACHED SCHEDULE", amount: "7" }],
      }),
      member(objectId(1, 5), { ein: "100000005", grants: [grantOf("NO TOTAL", "1")] }),
      member(objectId(1, 6, 2), { ein: "100000006", form: "990EZ", taxYear: 2021, grants: [] }),
      { name: "broken.xml", content: Buffer.from("<Return>") },
    ]);
    const { stdout } = await importWell(zip, out);
    const report = JSON.parse(await readFile(join(`${out}.irs`, "report.json"), "utf8"));
    expect(report).toMatchObject({
      returns: 7,
      grants: 6,
      organizations: 6,
      byStatus: [
        { status: "counts", returns: 6 },
        { status: "unreadable", returns: 1 },
      ],
      byFormAndYear: [
        { form: "990", year: 2022, returns: 3, counting: 3 },
        { form: "990EZ", year: 2021, returns: 1, counting: 1 },
        { form: "990PF", year: 2022, returns: 2, counting: 2 },
      ],
      byYear: [{ year: 2022, returns: 5, grants: 6, dollars: "138.00" }],
      byComparison: [
        { form: "990", comparison: "below", returns: 1 },
        { form: "990", comparison: "exact", returns: 1 },
        { form: "990", comparison: "no total", returns: 1 },
        { form: "990PF", comparison: "above", returns: 1 },
        { form: "990PF", comparison: "placeholders only", returns: 1 },
      ],
      rows: { future: 1, empty: 1, placeholders: 1 },
      unreadable: [{ source: "a.zip", file: "broken.xml", problem: "no EIN of a filer" }],
    });
    expect(report.differences.map(({ ein }: { ein: string }) => ein)).toEqual(["100000002", "100000003"]);
    expect(stdout).toContain("2022  5  6  $138");
    expect(stdout).toContain("a.zip: broken.xml: no EIN of a filer");
    const again = await importHere("", out, { REPORT: "1" });
    expect(again.code, again.stderr).toBe(0);
    expect(stdout.startsWith(again.stdout.trimEnd())).toBe(true);
  });
});
