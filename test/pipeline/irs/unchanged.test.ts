// Tests that an import without changes touches nothing, that any change is imported, and that a refused import changes nothing.
import {
  cp,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  truncate,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { digestFolder, runCommand } from "../release.fixture.ts";
import { useFolder } from "../warehouse/warehouse.fixture.ts";
import {
  grantOf,
  importHere,
  importWell,
  member,
  objectId,
  putZip,
  query,
  readGrants,
} from "./season.fixture.ts";

const folder = useFolder();

let [zips, out, work] = ["", "", ""];

beforeEach(async () => {
  zips = join(folder.home, "zips");
  out = join(folder.home, "warehouse");
  work = `${out}.irs`;
  await mkdir(zips);
  putZip(
    zips,
    "a.zip",
    [1, 2].map((number) => returnOf(number)),
  );
  await importWell(zips, out);
});

const returnOf = (number: number) =>
  member(objectId(number, number), { ein: `10000000${number}`, grants: [grantOf(`R${number}`, "1")] });

/** Inode, size and time of all files of an import. */
async function inspectFiles(): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const top of [out, work])
    for (const entry of await readdir(top, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (!entry.isFile() || entry.name === "sync.lock") continue;
      const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
      found[path.slice(folder.home.length + 1)] = [ino, size, mtimeNs, ctimeNs].join(" ");
    }
  return found;
}

const masterFile = async (name: string) => {
  const path = join(folder.home, "eo1.csv");
  await writeFile(path, `EIN,NAME,CITY,STATE,TAX_PERIOD\n100000001,${name},MIAMI,FL,202412\n`);
  return path;
};

const addNames = async (path: string) => {
  const ended = await runCommand(["organizations"], { FROM: path, OUT: out });
  expect(ended.code, ended.stderr).toBe(0);
};

describe("an unchanged import", () => {
  it("touches no file, and prints the last report", async () => {
    const before = await inspectFiles();
    const report = await importHere("", out, { REPORT: "1" });
    const { stdout, stderr } = await importWell(zips, out);
    expect(stdout).toBe(`${report.stdout}\nwarehouse: nothing new in FROM; still 2 grants in ${out}\n`);
    expect(stderr).toBe("");
    expect(await inspectFiles()).toEqual(before);
  });

  it("is not new to a sync", async () => {
    const environment = { WAREHOUSE: out, DATA: join(folder.home, "data") };
    expect((await runCommand(["sync"], environment)).code).toBe(0);
    await importWell(zips, out);
    expect((await runCommand(["sync"], environment)).stdout).toContain("nothing new in the warehouse");
  });

  it("stays unchanged after names were added once more", async () => {
    const path = await masterFile("NEWER NAME");
    await addNames(path);
    expect((await importWell(zips, out)).stdout).not.toContain("nothing new");
    const before = await inspectFiles();
    await addNames(path);
    expect((await importWell(zips, out)).stdout).toContain("nothing new");
    expect(await inspectFiles()).toEqual(before);
  });

  it("touches only the list of organizations if only that changes", async () => {
    const before = await inspectFiles();
    await addNames(await masterFile("NEWER NAME"));
    await importWell(zips, out);
    const after = await inspectFiles();
    const changed = Object.keys(after).filter((name) => after[name] !== before[name]);
    expect(changed.filter((name) => name.startsWith("warehouse/"))).toEqual([
      "warehouse/organizations.parquet",
    ]);
  });
});

describe("an import after a change", () => {
  const grants = () => join(out, "grants-0000.parquet");

  it.each<[string, () => Promise<unknown>]>([
    ["a removed file of grants", () => rm(grants())],
    ["a removed list of organizations", () => rm(join(out, "organizations.parquet"))],
    ["removed finances", () => rm(join(out, "finances.parquet"))],
    ["a removed list of returns", () => rm(join(work, "returns.parquet"))],
    ["a removed report", () => rm(join(work, "report.json"))],
    ["a changed file of grants", () => truncate(grants(), 100)],
    [
      "another content of the same size",
      async () => {
        const { size, mtime } = await stat(grants());
        await writeFile(grants(), "x".repeat(size));
        await utimes(grants(), mtime, new Date(mtime.getTime() + 1));
      },
    ],
    ["one more file of grants", () => cp(grants(), join(out, "grants-0001.parquet"))],
    ["the draft of a killed run", () => cp(grants(), `${grants()}.tmp`)],
    ["a damaged record of the last import", () => writeFile(join(work, "state.json"), "{")],
    ["a removed folder of the import", () => rm(work, { recursive: true })],
  ])("of its files writes them again: %s", async (_, change) => {
    const before = await digestFolder(out);
    await change();
    expect((await importWell(zips, out)).stdout).not.toContain("nothing new");
    expect(await digestFolder(out)).toEqual(before);
  });

  it("of the names of zips writes them into the rows", async () => {
    await rename(join(zips, "a.zip"), join(zips, "renamed.zip"));
    const before = await digestFolder(out);
    await importWell(zips, out);
    const after = await digestFolder(out);
    const changed = Object.keys(after).filter((name) => after[name] !== before[name]);
    expect(changed).toEqual(["grants-0000.parquet"]);
  });

  it("of the zips imports them", async () => {
    putZip(zips, "b.zip", [returnOf(3)]);
    await importWell(zips, out);
    expect(await readGrants(out)).toHaveLength(3);
    await rm(join(zips, "b.zip"));
    await importWell(zips, out);
    expect(await readGrants(out)).toHaveLength(2);
  });
});

describe("a refused import", () => {
  it.each<[string, () => string, RegExp]>([
    [
      "no grants",
      () => putZip(folder.home, "none.zip", [member(objectId(9, 9), { line1: "X", grants: [] })]),
      /no return there has grants;/,
    ],
    [
      "only unreadable returns",
      () =>
        putZip(
          folder.home,
          "bad.zip",
          ["a", "b"].map((name) => ({ name: `${name}.xml`, content: Buffer.from("<Return>") })),
        ),
      /no return there has grants \(unreadable: 2 with "[^"]+"\);/,
    ],
    [
      "ids beyond their limit",
      () => putZip(folder.home, "late.zip", [member("204000019349300001")]),
      /ids are defined up to 2039/,
    ],
  ])(
    "leaves the warehouse, the names, the report and the list of returns as they are: %s",
    async (_, put, reason) => {
      const inspectKept = async () =>
        Object.entries(await inspectFiles()).filter(([name]) => !/parts\/|digests\.json$|\.tmp$/.test(name));
      const before = await inspectKept();
      const { code, stderr } = await importHere(put(), out);
      expect([code, stderr]).toEqual([2, expect.stringMatching(reason)]);
      expect(await inspectKept()).toEqual(before);
      expect((await readdir(out)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
      const list = join(out, "organizations.parquet");
      const names = "FROM read_parquet($path) WHERE name <> 'OLDER NAME'";
      const kept = await query(names, list);
      await addNames(
        await masterFile("OLDER NAME").then(async (path) => {
          await writeFile(path, (await readFile(path, "utf8")).replace("202412", "201012"));
          return path;
        }),
      );
      expect(await query(names, list)).toEqual(kept);
      expect((await importWell(zips, out)).code).toBe(0);
    },
  );
});
