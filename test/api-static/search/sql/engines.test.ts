// Tests that SQL gives the bytes of the index for every request that a search answers.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lineEnd } from "../../../../api-static/contract/envelope.ts";
import { parseRequest } from "../../../../api-static/contract/request.ts";
import { toBuffer } from "../../../../api-static/release/bytes.ts";
import { answerBySearch, hasTopic } from "../../../../api-static/search/answer.ts";
import { Release } from "../../../../api-static/search/release.ts";
import { duckdbEngine } from "../../../../api-static/search/sql/duckdb.ts";
import { walkMatches } from "../../../../api-static/search/walk.ts";
import { spreadOf } from "../../../proofs.ts";
import { requestTable } from "../../requestTable.ts";
import { useRelease } from "../../server/release.fixture.ts";

const served = useRelease({ sampleRows: 4_000 });
let other: Release;

beforeAll(async () => {
  const openEngine = async (_: string, ...[database, records]: Parameters<typeof duckdbEngine>) =>
    duckdbEngine(database, records);
  other = await Release.open(served().release.folder, { openEngine });
});

afterAll(async () => {
  other.leave();
  await other.closed;
});

/** What a release answers to a request; undefined if no search answers it. */
async function answer(release: Release, path: string): Promise<string | undefined> {
  const { pathname, search } = new URL(path, "http://127.0.0.1");
  const request = parseRequest(pathname, search);
  if (request.kind === "history" && hasTopic(release, request))
    return toBuffer((await answerBySearch(release, request)).body).toString();
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

describe("DuckDB", () => {
  it("has the bytes of the index for every request of the table", async () => {
    const compared = new Map<string, number>();
    for (const { path } of spreadOf("requests by SQL", requestTable(served().facts), 4)) {
      const expected = await answer(served().release, path);
      if (expected === undefined) continue;
      expect(await answer(other, path), path).toBe(expected);
      const [kind = ""] = path.split("?");
      compared.set(kind, (compared.get(kind) ?? 0) + 1);
    }
    console.log(compared);
  });
});
