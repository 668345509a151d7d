// Tests that verification finds and names any damage of a sealed release.

import { cp, mkdir, readdir, readFile, rename, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { checkBuiltRelease } from "../../../pipeline/verify/verify.ts";
import { proofs, spreadOf } from "../../proofs.ts";
import { itWhole } from "../../whole.ts";
import { fewSearches, runCommand } from "../release.fixture.ts";
import { findProblems, findRelease, sealAgain, spread, syncHere } from "../trust.fixture.ts";
import { useFolder, useParquet } from "../warehouse/warehouse.fixture.ts";

const folder = useFolder();
const { put } = useParquet(folder);

/** A sealed release of 12 funders, one of them with pages of both sizes. */
let release = "";
let files: readonly string[] = [];
/** The start of the paths of a funder's page files. */
const pagesOf = (ein: string) => `public/v1/funders/${ein}/history`;
const large = pagesOf("100000000");
const year = "public/v1/history/transaction_year=2020";

beforeAll(async () => {
  const data = join(folder.root, "data");
  await mkdir(join(folder.root, "none"), { recursive: true });
  const changes = { ...spread(12), funder_ein: "100000000 + CASE WHEN i < 1150 THEN 0 ELSE i % 12 END" };
  // `put` writes into the folder of a test, and no test has started yet.
  const warehouse = await put("../first.parquet", changes, "FROM range(1400) t(i)");
  release = await syncHere(warehouse, data, fewSearches);
  const entries = await readdir(release, { recursive: true, withFileTypes: true });
  files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(release.length + 1))
    .filter((path) => !path.startsWith("public/v1/changes/")) // linked: no part of the release
    .sort();
});

/** Damages the release, expects verification to name the paths, repairs it, and returns the problems found. */
async function expectFound(
  paths: readonly string[],
  damage: () => Promise<unknown>,
  mend: () => Promise<unknown>,
): Promise<string> {
  await damage();
  try {
    const problems = await findProblems(release);
    for (const path of paths) expect(problems).toContain(path);
    return problems;
  } finally {
    await mend();
  }
}

/** A random file of the release; parts and pages are equally likely. */
const anyFile = fc.tuple(fc.boolean(), fc.nat()).map(([isPage, pick]) => {
  const own = files.filter((file) => file.startsWith("public/v1/") === isPage);
  return own[pick % own.length] ?? "";
});

describe("verification", () => {
  it("accepts an intact release", async () => {
    expect(files.length).toBeGreaterThan(40);
    expect(await findProblems(release)).toBe("");
  });

  it("names the version of a release that has another layout", async () => {
    const copy = join(folder.home, "other");
    await cp(release, copy, { recursive: true, verbatimSymlinks: true });
    await sealAgain(copy, { schema_version: 16 });
    expect(await findProblems(copy)).toMatch(
      /^release .* was made by another version, which can verify it: schema_version is 16, expected \d+$/,
    );
  });

  it("finds a flipped bit anywhere in any file", async () => {
    const nat = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    await fc.assert(
      fc.asyncProperty(anyFile, nat, fc.integer({ min: 0, max: 7 }), async (file, place, bit) => {
        const path = join(release, file);
        const before = await readFile(path);
        const at = Math.floor(place * before.length);
        fc.pre(before.length > 0);
        const flipped = Buffer.from(before);
        flipped.writeUInt8(before.readUInt8(at) ^ (1 << bit), at);
        await expectFound(
          [file],
          () => writeFile(path, flipped),
          () => writeFile(path, before),
        );
      }),
      { numRuns: proofs.damagedFiles },
    );
    expect(await findProblems(release)).toBe("");
  });

  it("finds a flipped bit in each part and each kind of page, the manifest among them", async () => {
    const kinds = [...files.filter((file) => !file.startsWith("public/v1/"))];
    kinds.push("public/v1/history/all/100-100.json.gz", `${year}/1000-0.json.gz`);
    kinds.push(`${large}-100-0.json.gz`, `${large}-100-1100.json.gz`, `${large}-1000-1000.json.gz`);
    expect(kinds).toEqual(expect.arrayContaining(["manifest.json", "index.duckdb", "records", "pages"]));
    for (const file of spreadOf("parts and kinds of pages with a flipped bit", kinds, 5)) {
      const path = join(release, file);
      const before = await readFile(path);
      if (before.length === 0) continue; // no organizations
      const flipped = Buffer.from(before);
      flipped.writeUInt8(before.readUInt8(before.length - 1) ^ 1, before.length - 1);
      await expectFound(
        [file],
        () => writeFile(path, flipped),
        () => writeFile(path, before),
      );
    }
  });

  it("finds a funder table that claims billions of records, without searching for their pages", async () => {
    const path = join(release, "funders");
    const before = await readFile(path);
    const flipped = Buffer.from(before);
    flipped.writeUInt8(before.readUInt8(before.length - 1) ^ 0x80, before.length - 1);
    const problems = await expectFound(
      ["funders has unexpected content"],
      () => writeFile(path, flipped),
      () => writeFile(path, before),
    );
    expect(problems.split("\n")).toHaveLength(2);
  });

  it("finds a file that was cut off or grew", async () => {
    await fc.assert(
      fc.asyncProperty(anyFile, fc.nat(), async (file, size) => {
        const path = join(release, file);
        const before = await readFile(path);
        const cut = size % (before.length + 10);
        fc.pre(cut !== before.length);
        await expectFound(
          [file],
          () => truncate(path, cut),
          () => writeFile(path, before),
        );
      }),
      { numRuns: proofs.damagedFiles },
    );
  });

  it("finds a missing file", async () => {
    await fc.assert(
      fc.asyncProperty(anyFile, async (file) => {
        const path = join(release, file);
        await expectFound(
          [file],
          () => rename(path, join(folder.home, "away")),
          () => rename(join(folder.home, "away"), path),
        );
      }),
      { numRuns: proofs.damagedFiles },
    );
  });
});

describe("verification of a release just built", () => {
  itWhole("finds contents that contradict each other", async () => {
    const check = () => checkBuiltRelease(release, { memory: "1GB", threads: 1, spillFolder: "" });
    const expectDamaged = async (file: string, change: (bytes: Buffer) => Buffer, problem: string) => {
      const path = join(release, file);
      const before = await readFile(path);
      try {
        await writeFile(path, change(Buffer.from(before)));
        await expect(check()).rejects.toThrow(problem);
      } finally {
        await writeFile(path, before);
      }
    };
    await check();
    const damage = (bytes: Buffer) => bytes.fill(0, 100, 200);
    const page = `${pagesOf("100000003")}-100-0.json.gz`; // few funders: the pages of each are a sample
    await expectDamaged(page, damage, "v1/funders/100000003/history-100-0.json: file and answer differ");
    const firstSearch = "history/all/100-0.json"; // a sample
    await expectDamaged(`public/v1/${firstSearch}.gz`, damage, `${firstSearch}: file and answer differ`);
    const change = (bytes: Buffer) => Buffer.from(bytes.toString("latin1").replace(/.25,/, ".26,"), "latin1");
    await expectDamaged("records", change, "position 0 differs from its record");
    await check();
  });
});

describe("verification of unexpected files", () => {
  const unexpected = [
    "extra",
    ".hidden",
    "index.duckdb.wal",
    "public/extra.html",
    "public/assets/extra.js",
    "public/v1/extra.json.gz",
    "public/v1/funders/extra",
    "public/v1/funders/100000003/extra.json",
    `${large}-100-1200.json.gz`,
    `${large}-100-0.json`,
    `${large}-100-00.json.gz`,
    `${pagesOf("100000003")}-100-0.json.gz.tmp`,
    "public/v1/funders/100000012/history-100-0.json.gz",
    "public/v1/funders/100000003/history/100-0.json.gz",
    "public/v1/funders/100000003/history-1000-0.json.gz",
    "public/extra/page.html",
    "public/v1/history/100-0.json.gz",
    "public/v1/history/all/100-200.json.gz",
    "public/v1/history/all/100-0.json",
    "public/v1/history/purpose=x/100-0.json.gz",
    `${year}/deeper/100-0.json.gz`,
  ];
  it.each(spreadOf("files that should not be there", unexpected, 5))("finds %s", async (file) => {
    const path = join(release, file);
    // The topmost added path is named: an unexpected folder, or the file itself.
    let top = file;
    while (await isMissing(join(release, top, ".."))) top = join(top, "..");
    await expectFound(
      [`${top} is not part of the release`],
      async () => {
        await mkdir(join(path, ".."), { recursive: true });
        await writeFile(path, "{}");
      },
      () => rm(join(release, top), { recursive: true }),
    );
  });

  it("finds a folder that is empty", async () => {
    const names = [
      "empty",
      "public/empty",
      "public/assets/empty",
      "public/v1/funders/100000099",
      "public/v1/history/empty",
    ];
    for (const name of spreadOf("empty folders", names, 3)) {
      await expectFound(
        [`${name} is not part of the release`],
        () => mkdir(join(release, name)),
        () => rm(join(release, name), { recursive: true }),
      );
    }
  });

  it("names both paths of a renamed page", async () => {
    const [from, to] = [`${large}-100-1100.json.gz`, `${large}-100-1200.json.gz`];
    await expectFound(
      [`${from} is missing`, `${to} is not part of the release`],
      () => rename(join(release, from), join(release, to)),
      () => rename(join(release, to), join(release, from)),
    );
  });
});

async function isMissing(path: string): Promise<boolean> {
  return readdir(path).then(
    () => false,
    () => true,
  );
}

describe("verification of misplaced files", () => {
  it("finds two pages that were swapped", async () => {
    const pages = [`${pagesOf("100000004")}-100-0.json.gz`, `${pagesOf("100000005")}-100-0.json.gz`];
    const [one = "", other = ""] = pages.map((page) => join(release, page));
    const swap = async () => {
      await rename(one, join(folder.home, "aside"));
      await rename(other, one);
      await rename(join(folder.home, "aside"), other);
    };
    await expectFound(pages, swap, swap);
  });

  const names = [
    "records",
    "pages",
    "manifest.json",
    "public",
    "public/v1",
    "public/v1/funders",
    "public/v1/funders/100000007",
    "public/v1/funders/100000000",
    "searches",
    "public/v1/history",
    "public/v1/history/all",
    `${year}/100-0.json.gz`,
    `${large}-1000-0.json.gz`,
  ];
  it.each(spreadOf("files and folders missing or of another kind", names, 6))(
    "finds that %s is missing, empty, or of another kind",
    async (name) => {
      const [path, away] = [join(release, name), join(folder.home, "away")];
      const mend = async () => {
        await rm(path, { recursive: true, force: true });
        await rename(away, path);
      };
      await expectFound([name], () => rename(path, away), mend);
      for (const put of [() => mkdir(path), () => writeFile(path, "")]) {
        await expectFound([name], () => rename(path, away).then(put), mend);
      }
    },
  );
});

describe("make verify", () => {
  it("names the file and the release, which defaults to the current one", async () => {
    const data = join(folder.home, "data");
    await cp(join(release, "../.."), data, { recursive: true, verbatimSymlinks: true });
    const copy = await findRelease(data);
    const whole = await runCommand(["verify"], { DATA: data });
    const id = copy.split("/").at(-1) ?? "";
    expect(whole).toMatchObject({
      code: 0,
      stdout: `verify: release ${id} matches its manifest, and its parts agree\n`,
    });
    await writeFile(join(copy, "records.old"), "");
    const damaged = await runCommand(["verify"], { DATA: data, RELEASE: id });
    expect(damaged.code).toBe(2);
    expect(damaged.stderr).toBe(
      `verify: release ${copy} does not match its manifest:\n  records.old is not part of the release\n`,
    );
  });

  it("lists the existing releases if RELEASE names another", async () => {
    const data = join(release, "../..");
    const { code, stderr } = await runCommand(["verify"], { DATA: data, RELEASE: "20200101T000000Z" });
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^verify: RELEASE must name a release \(one of \d{8}T\d{6}Z\), got "20200101T000000Z"\n$/,
    );
  });
});
