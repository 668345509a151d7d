// Owns the proof of the quality gate through the command: a refusal changes nothing, says how to accept it, and that does.

import { cp, mkdir, readdir, truncate, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { pathExists } from "fs-extra/esm";
import { beforeAll, describe, expect, it } from "vitest";
import { spreadOf } from "../../proofs.ts";
import { digestFolder, type Ended, runCommand, syncRelease } from "../release.fixture.ts";
import { expectNoLeftovers, findRelease, spread, syncHere } from "../trust.fixture.ts";
import { useFolder, useParquet } from "../warehouse/warehouse.fixture.ts";

const folder = useFolder();
const { put } = useParquet(folder);

const rows = 500;
const base = spread(10);

/** The warehouse a night later: its rows `i`, changed so that the named rules fail; `says` is part of the message. */
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
    says: ["rejected: 5.00 % of 500 rows are rejected, at most 2 % may be"],
  },
  {
    name: "fewer records and funders",
    changes: {},
    clauses: `FROM range(${rows}) t(i) WHERE i % 10 < 8`,
    accept: "records,funders",
    says: [
      "records: records fall from 500 to 400, by 20.00 %; at most 10 % may be",
      "funders: funders fall from 10 to 8, by 20.00 %; at most 10 % may be",
    ],
  },
  {
    name: "purposes that went missing",
    changes: { purpose: "CASE WHEN i % 4 > 0 THEN 'P' END", created_at: "TIMESTAMP '2026-11-20 03:59:59'" },
    accept: "created_at,nulls:purpose",
    says: [
      "created_at: the newest created_at is 2026-11-20T03:59:59Z, older than 2026-11-20T04:00:00Z before",
      "nulls:purpose: purpose is null in 25.00 % of records, in 0.00 % before; a rise of at most 20 points may be",
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

  /** Gives the test a release of its own, a copy of one that is made once. */
  async function start(): Promise<string> {
    const made = join(folder.root, "made");
    data = join(folder.home, "data");
    warehouse = await put("w.parquet", base, `FROM range(${rows}) t(i)`);
    if (!(await pathExists(made))) await syncHere(warehouse, made);
    await cp(made, data, { recursive: true, verbatimSymlinks: true });
    return findRelease(data);
  }

  it.each(spreadOf("nights that are refused", nights, 2))(
    "for $name changes nothing until it is accepted",
    async (night) => {
      const release = await start();
      const [kept, others] = [await digestFolder(release), await readdir(join(data, "releases"))];
      await put("w.parquet", { ...base, ...night.changes }, night.clauses ?? `FROM range(${rows}) t(i)`);
      const refused = await run();
      expect(refused).toMatchObject({ code: 3, stdout: "" });
      const [head, ...lines] = refused.stderr.slice(refused.stderr.indexOf("sync: ")).trimEnd().split("\n");
      expect(head).toBe("sync: the release is refused, the current one stays:");
      expect(lines.pop()).toBe(`to accept it: make sync ACCEPT=${night.accept}`);
      expect(lines.map((line, index) => line.trim().slice(0, night.says[index]?.length))).toEqual(night.says);
      expect(await findRelease(data)).toBe(release);
      expect(await digestFolder(release)).toEqual(kept);
      expect(await readdir(join(data, "releases"))).toEqual(others);
      await expectNoLeftovers(data, "refused");
      expect((await readdir(join(data, "refused"))).sort()).toEqual(["rejects.parquet", "report.json"]);
      expect(refused.stderr, "nothing is built before the gate").not.toMatch(
        /^(write|cut|build|find|verify) /m,
      );

      const accepted = await syncHere(warehouse, data, { ACCEPT: night.accept });
      expect(accepted > release).toBe(true);
      await expectNoLeftovers(data);
      expect(await digestFolder(release)).toEqual(kept);
    },
  );

  it("keeps what was refused until the next run, which may be refused again", async () => {
    const release = await start();
    await put("w.parquet", base, fall.clauses);
    expect((await run()).code).toBe(3);
    await writeFile(join(data, "refused/note"), "");
    expect((await run()).code).toBe(3);
    expect(await readdir(join(data, "refused"))).not.toContain("note");
    expect(await readdir(join(data, "refused"))).toContain("report.json");
    expect(await findRelease(data)).toBe(release);
  });

  it("asks for the rules that are not accepted yet, and keeps those that are in its advice", async () => {
    await start();
    await put("w.parquet", { ...base, amount: "900000::DECIMAL(18,2)" }, fall.clauses);
    const { code, stderr } = await run({ ACCEPT: "records" });
    expect(code).toBe(3);
    expect(stderr).not.toContain("  records:");
    expect(stderr).toContain("to accept it: make sync ACCEPT=records,amount\n");
  });

  it("is compared with the newest that is kept where the current one's manifest is damaged", async () => {
    const kept = await start();
    const current = await syncHere(warehouse, data, { FORCE: "1" });
    await truncate(join(current, "manifest.json"), 100);
    await put("w.parquet", base, fall.clauses);
    const { code, stderr } = await run();
    expect(stderr).toContain(`the gate compares with release ${basename(kept)}\n`);
    expect(stderr).toContain("records: records fall from 500 to 440");
    expect(code).toBe(3);
  });

  it("takes its bounds from the settings", async () => {
    await start();
    await put("w.parquet", base, fall.clauses); // 12 % fewer
    expect((await run({ MAX_FALL: "11.99" })).stderr).toContain("at most 11.99 % may be");
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
    expect(stderr).toContain("rejected: 2.10 % of 1000 rows are rejected, at most 2 % may be");
    expect(code).toBe(3);
    expect(await readdir(join(data, "releases"))).toEqual([]);
    await syncRelease(warehouse, data, { MAX_REJECTED: "2.1" });
    await expectNoLeftovers(data);
  });
});

describe("a setting of the gate that makes no sense", () => {
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
    [{ MAX_FALL: "-1" }, /^sync: MAX_FALL must be a number of percent such as 2 or 0\.5, got "-1"\n$/],
    [{ MAX_NULLS: "20%" }, /^sync: MAX_NULLS must be a number of percent such as 2 or 0\.5, got "20%"\n$/],
  ])("ends the command before anything is touched: %o", async (environment, message) => {
    const ended = await runCommand(["sync"], { DATA: join(data, "none"), ...environment });
    expect(ended.stderr).toMatch(message);
    expect(ended.code).toBe(2);
    expect(await readdir(data)).toEqual([]);
  });
});
