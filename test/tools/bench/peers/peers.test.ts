// Tests that peers give the answers of a brute-force search for any text, and what happens to a slow or missing one.
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Ein } from "../../../../api-static/contract/ein.ts";
import type { Filters } from "../../../../api-static/contract/filters.ts";
import type { HistoryRequest } from "../../../../api-static/contract/operations/searches.ts";
import { canonicalText } from "../../../../api-static/contract/text/text.ts";
import { peerKinds } from "../../../../tools/bench/peers/names.ts";
import { type Grants, type Peer, Unavailable } from "../../../../tools/bench/peers/peer.ts";
import { PeerProcess } from "../../../../tools/bench/peers/process.ts";
import { awkwardTexts, findByHand, fixtureGrants, writeFixture } from "../grants.fixture.ts";

let folder: string;
let grants: Grants;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "peers-test-"));
  await chmod(folder, 0o711);
  grants = await writeFixture(folder);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Texts of grants, parts of them, and texts of no grant. */
const pattern = fc
  .oneof(
    fc.constantFrom(...awkwardTexts),
    fc
      .tuple(fc.constantFrom(...awkwardTexts), fc.nat(12), fc.integer({ min: 1, max: 12 }))
      .map(([text, from, length]) => [...text].slice(from, from + length).join("")),
    fc.constantFrom(
      "%",
      "_",
      "\\",
      '"',
      "'",
      "''",
      "e",
      "é",
      "東",
      "li",
      "lib",
      "library of number 3",
      "absent",
    ),
  )
  .map(canonicalText)
  .filter((text) => text !== "");

const filters = fc.record(
  {
    funderEin: fc.constantFrom("131635294" as Ein, "010211513" as Ein, "999999999" as Ein),
    recipientEin: fc.constantFrom("462353712" as Ein, "462353713" as Ein),
    transactionYear: fc.integer({ min: 2014, max: 2020 }),
    purpose: pattern,
    recipientName: pattern,
    minAmountCents: fc.constantFrom(-100n, 0n, 500_000n, 10n ** 12n),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Filters>;

const request: fc.Arbitrary<HistoryRequest> = fc.record({
  kind: fc.constant("history" as const),
  scope: fc.constant("search" as const),
  filters,
  limit: fc.constantFrom(1, 7, 100),
  offset: fc.constantFrom(0, 1, 50, 1_000_000),
});

/** chdb has hundreds of megabytes; only the benchmark installs it. */
const tested = ["duckdb", "sqlite", "postgres"];

describe.each(tested)("%s", (name) => {
  let peer: Peer | undefined;
  let reason = "";

  beforeAll(async () => {
    const own = join(folder, name);
    await mkdir(own);
    try {
      await peerKinds[name]?.load(grants, own);
      peer = await peerKinds[name]?.open(grants, own);
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      reason = error.message;
    }
  });

  afterAll(() => peer?.close());

  test("returns the totals and ids of a brute-force search", async (context) => {
    if (peer === undefined) {
      console.warn(`${name} is skipped: ${reason}`);
      return context.skip(reason);
    }
    const { answer } = peer;
    await fc.assert(
      fc.asyncProperty(request, async (given) => {
        expect(await answer(given)).toEqual(findByHand(given));
      }),
      { numRuns: 300 },
    );
  });

  test("returns every grant without filters", async (context) => {
    if (peer === undefined) return context.skip(reason);
    const found = await peer.answer({
      kind: "history",
      scope: "search",
      filters: {},
      limit: 1000,
      offset: 0,
    });
    expect(found.total).toBe(fixtureGrants.length);
    expect(new Set(found.ids)).toEqual(new Set(fixtureGrants.map(({ id }) => id)));
  });
});

describe("a peer's process", () => {
  const all: HistoryRequest = { kind: "history", scope: "search", filters: {}, limit: 3, offset: 0 };

  test("answers, aborts a slow request, and answers again", async () => {
    const own = join(folder, "process");
    await mkdir(own);
    const peer = new PeerProcess("sqlite", own, grants);
    try {
      await peer.load();
      expect(await peer.open()).toMatch(/^SQLite \d/);
      const first = await peer.answer(all, 60_000);
      expect(first).toMatchObject(findByHand(all));
      process.kill(peer.pid, "SIGSTOP"); // it stops answering
      expect(await peer.answer(all, 50)).toBeUndefined();
      expect(await peer.answer(all, 60_000)).toMatchObject(findByHand(all));
    } finally {
      await peer.close();
    }
  });

  test("reports why a system is unavailable", async () => {
    const own = join(folder, "missing");
    await mkdir(own);
    const path = process.env.PATH;
    process.env.PATH = "/nowhere";
    const peer = new PeerProcess("clickhouse", own, grants);
    process.env.PATH = path;
    try {
      await expect(peer.load()).rejects.toThrow(Unavailable);
    } finally {
      await peer.close();
    }
  });
});
