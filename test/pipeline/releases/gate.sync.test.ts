// Tests the quality gate through the command: a refusal changes nothing, and the release can be accepted as its message says.

import { cp, mkdir, readdir, truncate, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { pathExists } from "fs-extra/esm";
import { beforeAll, describe, expect, it } from "vitest";
import { digestFolder, type Ended, runCommand, syncRelease } from "../release.fixture.ts";
import { expectNoLeftovers, findRelease, spread, syncHere } from "../trust.fixture.ts";
import { useFolder, useParquet } from "../warehouse/warehouse.fixture.ts";

const folder = useFolder();
const { put } = useParquet(folder);

const rows = 500;
const base = spread(10);

/** The warehouse one night later: rows `i`, changed so that the named rules fail. The message starts as in `says`. */
type Night = {
  readonly name: string;
  readonly changes: Record<string, string>;
  readonly clauses?: string;
  readonly accept: string;
  readonly says: string[];
};

const nights: readonly Night[] = [
  {
    name: "rows without an amount",
    changes: { amount: "CASE WHEN i % 20 > 0 THEN (i * 37 % 1000 + 0.25)::DECIMAL(18,2) END" },
    accept: "rejected",
    says: ["rejected: 5.00 % of 500 rows are rejected; at most 2 % is allowed"],
  },
  {
    name: "fewer records and funders",
    changes: {},
    clauses: `FROM range(${rows}) t(i) WHERE i % 10 < 8`,
    accept: "records,funders",
    says: [
      "records: records fall from 500 to 400, by 20.00 %; at most 10 % is allowed",
      "funders: funders fall from 10 to 8, by 20.00 %; at most 10 % is allowed",
    ],
  },
  {
    name: "purposes that are missing",
    changes: { purpose: "CASE WHEN i % 4 > 0 THEN 'P' END", created_at: "TIMESTAMP '2026-11-20 03:59:59'" },
    accept: "created_at,nulls:purpose",
    says: [
      "created_at: the newest created_at is 2026-11-20T03:59:59Z, older than 2026-11-20T04:00:00Z in the previous release",
      "nulls:purpose: purpose is null in 25.00 % of records, up from 0.00 %; a rise of at most 20 points is allowed",
    ],
  },
  {
    name: "amounts in cents",
    changes: { amount: "((i * 37 % 1000 + 0.25) * 100)::DECIMAL(18,2)" },
    accept: "amount",
    says: ["amount: the sum of amounts goes from 250875.00 to "],
  },
];

const fall = { clauses: `FROM range(${rows}) t(i) WHERE i < 440` };

describe("a sync that the gate refuses", () => {
  let warehouse = "";
  let data = "";
  const run = (environment: Record<string, string> = {}): Promise<Ended> =>
    runCommand(["sync"], { WAREHOUSE: warehouse, DATA: data, ...environment });

  /** Gives the test its own copy of a release that is made once. */
  async function start(): Promise<string> {
    const made = join(folder.root, "made");
    data = join(folder.home, "data");
    warehouse = await put("w.parquet", base, `FROM range(${rows}) t(i)`);
    if (!(await pathExists(made))) await syncHere(warehouse, made);
    await cp(made, data, { recursive: true, verbatimSymlinks: true });
    return findRelease(data);
  }

  it.each(nights)("because of $name changes nothing until it is accepted", async (night) => {
    const release = await start();
    const [kept, others] = [await digestFolder(release), await readdir(join(data, "releases"))];
    await put("w.parquet", { ...base, ...night.changes }, night.clauses ?? `FROM range(${rows}) t(i)`);
    const refused = await run();
    expect(refused).toMatchObject({ code: 3, stdout: "" });
    const [head, ...lines] = refused.stderr.slice(refused.stderr.indexOf("sync: ")).trimEnd().split("\n");
    expect(head).toBe("sync: the release is refused; the current release is still being served:");
    expect(lines.pop()).toBe(`to accept it: make sync ACCEPT=${night.accept}`);
    expect(lines.map((line, index) => line.trim().slice(0, night.says[index]?.length))).toEqual(night.says);
    expect(await findRelease(data)).toBe(release);
    expect(await digestFolder(release)).toEqual(kept);
    expect(await readdir(join(data, "releases"))).toEqual(others);
    await expectNoLeftovers(data, "refused");
    expect((await readdir(join(data, "refused"))).sort()).toEqual(["rejects.parquet", "report.json"]);
    expect(refused.stderr, "nothing is built before the gate").not.toMatch(
      /^(write|cut|build|find (peers|lines)|verify) /m,
    );

    const accepted = await syncHere(warehouse, data, { ACCEPT: night.accept });
    expect(accepted > release).toBe(true);
    await expectNoLeftovers(data);
    expect(await digestFolder(release)).toEqual(kept);
  });

  it("is kept until the next build, which may be refused again", async () => {
    const release = await start();
    await put("w.parquet", base, fall.clauses);
    expect((await run()).code).toBe(3);
    await writeFile(join(data, "refused/note"), "");
    expect((await run()).code).toBe(3);
    expect(await readdir(join(data, "refused"))).not.toContain("note");
    expect(await readdir(join(data, "refused"))).toContain("report.json");
    expect(await findRelease(data)).toBe(release);
  });

  it("names the rules that are not accepted yet, and suggests accepting them with those that are", async () => {
    await start();
    await put("w.parquet", { ...base, amount: "900000::DECIMAL(18,2)" }, fall.clauses);
    const { code, stderr } = await run({ ACCEPT: "records" });
    expect(code).toBe(3);
    expect(stderr).not.toContain("  records:");
    expect(stderr).toContain("to accept it: make sync ACCEPT=records,amount\n");
  });

  it("is compared with the newest kept release if the current manifest is damaged", async () => {
    const kept = await start();
    const current = await syncHere(warehouse, data, { FORCE: "1" });
    await truncate(join(current, "manifest.json"), 100);
    await put("w.parquet", base, fall.clauses);
    const { code, stderr } = await run();
    expect(stderr).toContain(`the gate compares with release ${basename(kept)}\n`);
    expect(stderr).toContain("records: records fall from 500 to 440");
    expect(code).toBe(3);
  });

  it("reads its limits from the settings", async () => {
    await start();
    await put("w.parquet", base, fall.clauses); // 12 % fewer
    expect((await run({ MAX_FALL: "11.99" })).stderr).toContain("at most 11.99 % is allowed");
    expect((await run({ MAX_FALL: "12" })).code).toBe(0);
  });
});

describe("the first sync", () => {
  it("is refused when too many of 1,000 rows are rejected, and leaves no release", async () => {
    const warehouse = await put(
      "w.parquet",
      { ...base, funder_ein: "CASE WHEN i < 21 THEN 0 ELSE 100000000 + i % 10 END" },
      "FROM range(1000) t(i)",
    );
    const data = join(folder.home, "data");
    const { code, stderr } = await runCommand(["sync"], { WAREHOUSE: warehouse, DATA: data });
    expect(stderr).toContain("rejected: 2.10 % of 1000 rows are rejected; at most 2 % is allowed");
    expect(code).toBe(3);
    expect(await readdir(join(data, "releases"))).toEqual([]);
    await syncRelease(warehouse, data, { MAX_REJECTED: "2.1" });
    await expectNoLeftovers(data);
  });
});

describe("an invalid setting of the gate", () => {
  let data = "";
  beforeAll(async () => {
    data = join(folder.root, "settings");
    await mkdir(data);
  });

  it.each([
    [
      { ACCEPT: "records,nothing" },
      /^sync: ACCEPT must name rules of rejected, records, .*, got "nothing"\n$/,
    ],
    [{ ACCEPT: "nulls:id" }, /^sync: ACCEPT must name rules of .*, got "nulls:id"\n$/],
    [{ MAX_FALL: "-1" }, /^sync: MAX_FALL must be a percentage such as 2 or 0\.5, got "-1"\n$/],
    [{ MAX_NULLS: "20%" }, /^sync: MAX_NULLS must be a percentage such as 2 or 0\.5, got "20%"\n$/],
  ])("ends the command before it changes anything: %o", async (environment, message) => {
    const ended = await runCommand(["sync"], { DATA: join(data, "none"), ...environment });
    expect(ended.stderr).toMatch(message);
    expect(ended.code).toBe(2);
    expect(await readdir(data)).toEqual([]);
  });
});
