// Tests that SQL gives the bytes of the index for every request that a search answers.
import { describe, expect, it } from "vitest";
import { lineEnd } from "../../../../api-static/contract/answers/envelope.ts";
import { parseRequest } from "../../../../api-static/contract/request.ts";
import { answerBySearch, hasTopic } from "../../../../api-static/search/answer.ts";
import { Release } from "../../../../api-static/search/release.ts";
import { duckdbEngine } from "../../../../api-static/search/sql/open.ts";
import { walkMatches } from "../../../../api-static/search/walk.ts";
import { recipients } from "../../../pipeline/matches.fixture.ts";
import { isWhole, spreadOf } from "../../../proofs.ts";
import { requestTable } from "../../requestTable.ts";
import { useRelease } from "../../server/release.fixture.ts";

const sample = useRelease({ sampleRows: 4_000 });
const matched = useRelease({ withMatches: true });

/** Opens the release again, with DuckDB instead of its index. */
async function withDuckdb(folder: string, work: (release: Release) => Promise<void>): Promise<void> {
  const openEngine = async (_: string, ...opened: Parameters<typeof duckdbEngine>) => duckdbEngine(...opened);
  const release = await Release.open(folder, { openEngine });
  try {
    await work(release);
  } finally {
    release.leave();
    await release.closed;
  }
}

/** What a release answers to a request; undefined if no search answers it. */
async function answer(release: Release, path: string): Promise<string | undefined> {
  const { pathname, search } = new URL(path, "http://127.0.0.1");
  const request = parseRequest(pathname, search);
  if (request.kind === "history" && hasTopic(release, request))
    return (await answerBySearch(release, request)).body.toString();
  if (request.kind === "totals") return (await release.search.findTotals(request.filters)).body.toString();
  if (request.kind === "groups") {
    const { lines, ...found } = await release.search.findGroups(request.filters, request);
    return JSON.stringify({ ...found, amount: String(found.all.amount), all: found.all.records }) + lines;
  }
  if (request.kind === "export" && hasTopic(release, request)) return walk(release, request.filters);
  return undefined;
}

/** All matches, found 700 at a time. */
async function walk(release: Release, filters: Parameters<typeof walkMatches>[1]): Promise<string> {
  const client = { network: "", gone: new AbortController().signal };
  const found: string[] = [];
  for await (const { positions, json } of await walkMatches(release.search, filters, client, {
    maxLength: 700,
    pause: 1,
  }))
    found.push(...(json ?? release.records.readLines(positions).toString().split(lineEnd).slice(0, -1)));
  return found.join("\n");
}

/** Expects the same answers to paths, and returns how many were compared. */
async function expectSame(release: Release, paths: readonly string[]): Promise<number> {
  let compared = 0;
  await withDuckdb(release.folder, async (other) => {
    for (const path of paths) {
      const expected = await answer(release, path);
      if (expected === undefined) continue;
      expect(await answer(other, path), path).toBe(expected);
      compared += 1;
    }
  });
  return compared;
}

describe("DuckDB", () => {
  it("has the bytes of the index for every request of the table", async () => {
    const { release, facts } = sample();
    const paths = requestTable(facts).map(({ path }) => path);
    const compared = await expectSame(release, spreadOf("requests by SQL", paths, 8));
    expect(compared).toBeGreaterThan(isWhole ? 1_000 : 120);
  });

  it("has the bytes of the index for likely grants", async () => {
    const paths = Object.values(recipients).flatMap((ein) =>
      ["", ".csv"].flatMap((form) =>
        ["include", "only", "exclude"].flatMap((value) =>
          ["", "&sort=amount", "&min_amount=100", "&limit=2&offset=1", "&recipient_state=TX"].map(
            (more) => `/v1/recipients/${ein}/history${form}?matched=${value}${more}`,
          ),
        ),
      ),
    );
    expect(await expectSame(matched().release, paths)).toBeGreaterThan(60);
  });
});
