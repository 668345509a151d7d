// Tests `report.json` and the page formatted from it: every number against rows chosen for it.
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { readManifest, sizesOf } from "../../../pipeline/releases/manifest.ts";
import { formatReport } from "../../../pipeline/report/page.ts";
import { type Report, readReport } from "../../../pipeline/report/report.ts";
import { runCommand, syncRelease } from "../release.fixture.ts";
import { useFolder, useParquet } from "../warehouse/warehouse.fixture.ts";

const folder = useFolder();
const { put } = useParquet(folder);

let data = "";
let warehouse = "";
let first: Report;
let second: Report;
let page = "";

/** 60 grants of two years and three funders and six rejected rows; then a night on which one funder changes. */
beforeAll(async () => {
  warehouse = join(folder.root, "w");
  const rows = "FROM range(60) t(i)";
  const changing = (funder: string) => ({
    id: "i",
    funder_ein: funder,
    transaction_year: "2019 + (i % 4 = 0)::INTEGER",
    amount: "(i * 100 + 0.05)::DECIMAL(18,2)",
    purpose: "CASE WHEN i % 3 > 0 THEN 'P' END",
    extra: "1",
  });
  await put(join(warehouse, "a.parquet"), changing("('13163529' || (i % 3))"), rows);
  await put(
    join(warehouse, "b.parquet"),
    {
      id: "CASE WHEN i > 0 THEN 100 + i END",
      funder_ein: "'12\u001b'",
      amount: "NULL::DECIMAL(18,2)",
      extra: "1",
    },
    "FROM range(6) t(i)",
  );
  data = join(folder.root, "data");
  const allowing = { MAX_REJECTED: "50" };
  first = await readReport(await syncRelease(warehouse, data, allowing));
  // Funder 131635290 makes one more grant, of -7.50, and funder 131635299 is new.
  await put(
    join(warehouse, "c.parquet"),
    { id: "200 + i", funder_ein: "'13163529' || (i * 9)", amount: "-7.50::DECIMAL(18,2)", extra: "1" },
    "FROM range(2) t(i)",
  );
  const release = await syncRelease(warehouse, data, allowing);
  second = await readReport(release);
  const sizes = sizesOf(await readManifest(release));
  page = formatReport(second, { state: "current", isBold: false, sizes });
}, 60_000);

describe("report.json", () => {
  it("counts rows by outcome, with up to three examples per reason", () => {
    expect(first.rows).toMatchObject({ read: 66, accepted: 60, rejected: 6 });
    expect(first.rows.rejected_by_reason).toMatchObject({
      id_missing: 1,
      funder_ein_invalid: 5,
      duplicate_id: 0,
    });
    const example = {
      source_file: join(warehouse, "b.parquet"),
      id: "101",
      values: { funder_ein: "12\u001b" },
    };
    expect(first.rows.rejected_examples.funder_ein_invalid).toEqual([
      { ...example, source_row: 1 },
      { ...example, source_row: 2, id: "102" },
      { ...example, source_row: 3, id: "103" },
    ]);
    expect(first.rows.rejected_examples.id_missing).toEqual([
      { ...example, source_row: 0, id: null, values: { id: null } },
    ]);
    expect(first.rows.rejected_examples.duplicate_id).toEqual([]);
    expect(first.unknown_columns).toEqual(["extra"]);
  });

  it("lists null shares, years newest first, and the funders with the largest sums", () => {
    expect(first.null_shares).toEqual({
      ...{ recipient_name: 0, recipient_ein: 0, type: 0 },
      ...{ non_cash_amount: 1, non_cash_description: 1, purpose: 20 / 60 },
    });
    // i = 0, 4, 8, …, 56: 15 grants of 42,000.00 and 15 times 0.05.
    expect(first.years).toEqual([
      { year: 2020, records: 15, amount: "42000.75" },
      { year: 2019, records: 45, amount: "135002.25" },
    ]);
    expect(first.largest_funders).toEqual([
      { funder_ein: "131635292", records: 20, amount: "61001.00" },
      { funder_ein: "131635291", records: 20, amount: "59001.00" },
      { funder_ein: "131635290", records: 20, amount: "57001.00" },
    ]);
  });

  it("lists what changed since the previous release, exact to the cent", () => {
    expect(first.changes).toMatchObject({
      since: null,
      funders_added: 3,
      records_difference: 60,
      amount_difference: "177003.00",
    });
    expect(second.changes).toEqual({
      since: first.release,
      ...{ funders_added: 1, funders_changed: 1, funders_removed: 0, funders_same: 2 },
      ...{ records_difference: 2, amount_difference: "-15.00" },
    });
    expect(second.pages).toMatchObject({ files: 4, linked: 2 });
  });

  it("lists time and memory of every step", () => {
    expect(second.steps.map(({ name }) => name).toSorted()).toEqual([
      "build index",
      "check rows",
      "count totals",
      "cut pages",
      "cut searches",
      "find lines",
      "find peers",
      "find recipients",
      "find repeats",
      "index names",
      "list funders",
      "order grants",
      "rank funders",
      "read finances",
      "read names",
      "write downloads",
      "write matches",
      "write names",
      "write records",
      "write tables",
    ]);
    for (const step of second.steps) {
      expect(step.seconds, step.name).toBeGreaterThan(0);
      expect(step.peak_memory_bytes, step.name).toBeGreaterThan(10 ** 7);
      expect(step.peak_memory_bytes, step.name).toBeLessThanOrEqual(second.peak_memory_bytes);
    }
  });

  it("uses snake_case for every key", () => {
    const keys: string[] = [];
    JSON.parse(JSON.stringify(second), (key, value: unknown) => {
      keys.push(key);
      return value;
    });
    expect(keys.filter((key) => !/^[a-z0-9_]*$/.test(key))).toEqual([]);
  });

  it("cannot be read if it is missing, damaged or of another version, with a message that says so", async () => {
    for (const [text, found] of [
      [undefined, "there is none"],
      ["{", "it is damaged or of another version"],
      ['{"report_version":1}', "it is damaged or of another version"],
    ]) {
      if (text !== undefined) await writeFile(join(folder.home, "report.json"), text);
      expect(await folder.refusal(readReport(folder.home))).toBe(
        `"/report.json": expected a report of version 8, but ${found}`,
      );
    }
  });
});

describe("the page", () => {
  const section = (heading: string) => page.split("\n\n").find((part) => part.startsWith(heading)) ?? "";

  it("aligns columns and draws a bar for each year", () => {
    expect(section("Grants by year")).toBe(
      [
        "Grants by year",
        "  year  grants      amount",
        "  2020      17   41,985.75  ███████████",
        "  2019      45  135,002.25  ██████████████████████████████",
      ].join("\n"),
    );
  });

  it("lists the funders and years with repeated grants, and their sum", () => {
    expect(second.repeated).toEqual({ records: 0, amount: "0.00", years: [], largest: [] });
    expect(section("Grants in more than one filing")).toBe("");
    const one = { funder_ein: "200253310", transaction_year: 2015, filings: 2 };
    const sums = { records: 137, amount: "2798959.00" };
    const repeated = { ...sums, years: [{ year: 2015, ...sums }], largest: [{ ...one, ...sums }] };
    const text = formatReport({ ...second, repeated }, { state: "kept", isBold: false });
    expect(text.split("\n\n").find((part) => part.startsWith("Grants in"))).toBe(
      [
        "Grants in more than one filing",
        "  EIN        year  filings  repeated grants        amount",
        "  200253310  2015        2              137  2,798,959.00",
        "  all                                   137  2,798,959.00",
      ].join("\n"),
    );
  });

  it("names the previous release and signs the differences", () => {
    expect(section("Changes")).toBe(
      [
        `Changes since release ${first.release}`,
        "  funders added           1",
        "  funders changed         1",
        "  funders removed         0",
        "  funders unchanged       2",
        "  grants                 +2",
        "  amount             -15.00",
      ].join("\n"),
    );
  });

  it("shows rejected rows with their values, without their control characters", () => {
    expect(section("Rejected rows")).toContain(
      `    ${warehouse}/b.parquet row 1: id "101", funder_ein "12\\u001b"`,
    );
    expect(section("Rejected rows")).toContain(`    ${warehouse}/b.parquet row 0: id null\n`);
    expect(page).not.toMatch(/[^\P{Cc}\n]/u);
  });

  it("lists the size of each part, and their sum", () => {
    const sizes = { public: 1_200_000, records: 34_567, peers: 0 };
    const text = formatReport(second, { state: "kept", isBold: false, sizes });
    expect(text.split("\n\n").at(-1)?.split("\n")).toEqual([
      "Size",
      "  public    1.2 MB",
      "  records  34.6 kB",
      "  peers          0",
      "  total     1.2 MB",
    ]);
  });

  it("omits rejected rows if there are none, and makes headings bold only on request", () => {
    const none = { ...second, rows: { ...second.rows, rejected: 0 } };
    const bold = formatReport(none, { state: "kept", isBold: true });
    expect(bold).not.toContain("Rejected rows");
    expect(bold.split("\n")[0]).toBe(`\u001B[1mRelease ${second.release} (kept, not current)\u001B[22m`);
  });
});

describe("the command", () => {
  it("prints the current, a named and the refused release, each with its state", async () => {
    const current = await runCommand(["report"], { DATA: data });
    expect(current).toEqual({ code: 0, stdout: `${page}\n`, stderr: "" });
    const kept = await runCommand(["report"], { DATA: data, RELEASE: first.release });
    expect(kept.stdout).toContain(`Release ${first.release} (kept, not current)\n`);

    const missing = await runCommand(["report"], { DATA: data, RELEASE: "refused" });
    expect(missing).toEqual({
      code: 2,
      stdout: "",
      stderr: `report: RELEASE is "refused", but DATA "${data}" has no refused release\n`,
    });
    await rename(join(warehouse, "a.parquet"), join(warehouse, "x"));
    const refusing = { WAREHOUSE: warehouse, DATA: data, MAX_REJECTED: "100", ACCEPT: "funders" };
    expect((await runCommand(["sync"], refusing)).code).toBe(3);
    const refused = await runCommand(["report"], { DATA: data, RELEASE: "refused" });
    expect(refused.stdout).toMatch(
      /^Release \w+ \(refused, not served\)\n {2}refused: records: records fall from 62 to 2/,
    );
    expect(refused.stdout).toContain("\n  accepted: funders: funders fall from 4 to 2");
    expect(refused.stdout).toMatch(
      new RegExp(`Changes since release ${second.release}\\n  grants +-60\\n  amount +-`),
    );
  });

  it("omits the sizes of a release whose manifest is damaged", async () => {
    await writeFile(join(data, "releases", first.release, "manifest.json"), "{");
    const { code, stdout } = await runCommand(["report"], { DATA: data, RELEASE: first.release });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Release .*\nSteps\n(?!.*\nSize\n)/s)]);
  });

  it("lists the releases if the requested one does not exist", async () => {
    const ended = await runCommand(["report"], { DATA: data, RELEASE: "20200101T000000Z" });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain(`RELEASE must name a release (one of ${first.release}`);
    expect(ended.stderr).toContain('got "20200101T000000Z"');
  });
});
