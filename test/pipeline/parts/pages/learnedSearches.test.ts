// Tests what a sync learns from the search log: the most frequent searches, and nothing from broken entries.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { searchName } from "../../../../api-static/contract/operations/searches.ts";
import { readLearned } from "../../../../pipeline/parts/pages/learnedSearches.ts";
import { noise } from "../../../api-static/contract/arbitraries.ts";
import { useFolder, useParquet } from "../../warehouse/warehouse.fixture.ts";

const folder = useFolder();
const { connection } = useParquet(folder);

const now = new Date("2026-11-20T04:00:00Z");
let warnings: string[] = [];

beforeEach(() => {
  warnings = [];
});

async function put(name: string, content: string | Buffer, data = folder.home): Promise<void> {
  await mkdir(join(data, "search-log"), { recursive: true });
  await writeFile(join(data, "search-log", name), content);
}

/** A line of the log. */
function line(query: string, count: number, time = "2026-11-19T10:00:00.000Z"): string {
  const window = `${query === "" ? "?" : `?${query}&`}limit=100&offset=0`;
  return `${JSON.stringify({ time, request: `/v1/history${window}`, path: "search", count, milliseconds: 1, total: 9 })}\n`;
}

/** Names of the learned searches, in order. */
async function learn(most = 10, data = folder.home): Promise<(string | undefined)[]> {
  const filters = await readLearned(connection(), data, now, most, (text) => warnings.push(text));
  return filters.map(searchName);
}

describe("the searches learned", () => {
  it("are the most frequent of all files, by name if equally frequent, and no more than wanted", async () => {
    await put("20261118T000000Z-1.ndjson", line("purpose=a", 2) + line("purpose=b", 3) + line("", 1));
    await put("20261119T000000Z-2.ndjson", line("purpose=a", 2) + line("transaction_year=2020", 3));
    expect(await learn()).toEqual(["purpose=a", "purpose=b", "transaction_year=2020", "all"]);
    expect(await learn(2)).toEqual(["purpose=a", "purpose=b"]);
    expect(await learn(0)).toEqual([]);
    expect(warnings).toEqual([]);
  });

  it("are read from a data folder whose name looks like a glob", async () => {
    const data = join(folder.home, "data[1]*?");
    await put("20261118T000000Z-1.ndjson", line("purpose=a", 1), data);
    expect(await learn(10, data)).toEqual(["purpose=a"]);
    expect(warnings).toEqual([]);
  });

  it("are empty if there is no log", async () => {
    expect(await learn()).toEqual([]);
    expect(warnings).toEqual([]);
  });

  it("are those of the last thirty days", async () => {
    await put("20261021T000000Z-1.ndjson", line("purpose=late", 1, "2026-10-21T04:00:00.000Z"));
    await put("20261021T010000Z-1.ndjson", line("purpose=early", 9, "2026-10-21T03:59:59.999Z"));
    await put("20261020T000000Z-1.ndjson", line("purpose=older", 9));
    expect(await learn()).toEqual(["purpose=late"]);
  });

  it("are counted by requests for the first page, at any limit", async () => {
    const request = (query: string, count: number) =>
      `${JSON.stringify({ time: "2026-11-19T10:00:00.000Z", request: `/v1/history?${query}`, count })}\n`;
    await put(
      "20261119T000000Z-1.ndjson",
      request("purpose=walked&limit=100&offset=100", 50) +
        request("purpose=walked&limit=100&offset=0", 1) +
        request("purpose=begun&limit=100&offset=0", 1) +
        request("purpose=begun&limit=7&offset=0", 1) +
        request("limit=3&offset=0", 4),
    );
    expect(await learn()).toEqual(["all", "purpose=begun", "purpose=walked"]);
  });

  it("are also counted by requests for totals", async () => {
    const request = (path: string, count: number) =>
      `${JSON.stringify({ time: "2026-11-19T10:00:00.000Z", request: path, count })}\n`;
    await put(
      "20261119T000000Z-1.ndjson",
      request("/v1/history/summary?purpose=a", 2) +
        request("/v1/history?purpose=a&limit=100&offset=0", 2) +
        request("/v1/history?purpose=b&limit=100&offset=0", 3) +
        request("/v1/funders/131635294/history/summary?purpose=a", 1) +
        request("/v1/history/summary", 1) +
        request("/v1/history?purpose=a&sort=amount&limit=100&offset=0", 9),
    );
    expect(await learn()).toEqual(["purpose=a", "purpose=b", "funder_ein=131635294&purpose=a", "all"]);
  });

  it("are parsed as requests: entries that are not requests, or cannot have a page of a search, are skipped", async () => {
    const lines = [
      ...["purpose=", "sort=amount", "purpose=a&purpose=b", "transaction_year=20"],
      ...[
        "funder_ein=131635294",
        `purpose=${"a".repeat(190)}`,
        `recipient_name=${"a".repeat(190)}`,
        "../../etc",
      ],
    ].map((query) => line(query, 9));
    const others = ["/v1/status", "", "?", "/etc/passwd"];
    lines.push(...others.map((request) => `${JSON.stringify({ time: "2026-11-19", request, count: 9 })}\n`));
    await put("20261119T000000Z-1.ndjson", `${lines.join("")}${line("purpose=fine", 1)}`);
    expect(await learn(100)).toEqual([`purpose=${"a".repeat(190)}`, "purpose=fine"]);
  });

  it("are canonical, however they were written", async () => {
    await put("20261119T000000Z-1.ndjson", line("min_amount=5&purpose=MUSIC%20Hall", 1));
    expect(await learn()).toEqual(["purpose=music+hall&min_amount=5.00"]);
  });

  it.each<[string, string | Buffer]>([
    ["a line that was cut off", line("purpose=fine", 1).repeat(2).slice(0, -40)],
    [
      "lines of noise",
      `}}{{\n\0\0\0\n[1]\nnull\n"x"\n{"request":{}}\n{"count":"x"}\n${line("purpose=fine", 1)}`,
    ],
    ["counts that are not positive", `${line("purpose=bad", -5)}${line("purpose=fine", 1)}`],
    [
      "bytes that are not text",
      Buffer.concat([
        Buffer.from('{"request":"'),
        Buffer.from([0xff, 0xfe, 0x0a]),
        Buffer.from(line("purpose=fine", 1)),
      ]),
    ],
    ["zeros at the end", Buffer.concat([Buffer.from(line("purpose=fine", 1)), Buffer.alloc(4096)])],
    ["a line of megabytes", `${line(`purpose=${"x".repeat(8e6)}`, 9)}${line("purpose=fine", 1)}`],
  ])("come from the other lines of a file with %s", async (_, content) => {
    await put("20261119T000000Z-1.ndjson", content);
    expect(await learn()).toEqual(["purpose=fine"]);
    expect(warnings).toEqual([]);
  });

  it("are empty, without a failure, if the log cannot be read", async () => {
    await writeFile(join(folder.home, "search-log"), "");
    expect(await learn()).toEqual([]);
    expect(warnings).toEqual([expect.stringMatching(/^warning: no searches were learned: ENOTDIR/)]);
  });

  it("are names that a page key can have, whatever the log contains", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(noise, fc.integer())), async (lines) => {
        const text = lines.map(([query, count]) => line(query, count)).join("");
        await put("20261119T000000Z-1.ndjson", text || "\n");
        for (const name of await learn(50)) expect(name).toMatch(/^(all|[a-z_]+=[A-Za-z0-9*._+%=&-]+)$/);
        expect(warnings).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });
});
