// Tests that the suite of our own requests covers each new filter, order, totals and groups, and that the API accepts it.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseRequest } from "../../../api-static/contract/request.ts";
import { buildOwnSuite, type OwnCase } from "../../../tools/bench/ownSuite.ts";
import { pickValues } from "../../../tools/bench/picks.ts";
import { writeFixture } from "./grants.fixture.ts";

let folder: string;
let suite: readonly OwnCase[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "own-suite-test-"));
  suite = buildOwnSuite(await pickValues(await writeFixture(folder), join(folder, "spill")));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const parsed = () =>
  suite.map(({ request }) => {
    const [path = "", query = ""] = request.split("?");
    return parseRequest(path, query);
  });

test("has no request twice, and only requests that the API accepts", () => {
  expect(new Set(suite.map(({ request }) => request)).size).toBe(suite.length);
  expect(new Set(parsed().map(({ kind }) => kind))).toEqual(new Set(["history", "totals", "groups"]));
});

test("has each new filter alone and with another, and the order by amount at several offsets", () => {
  const histories = parsed().filter((request) => request.kind === "history");
  const combinations = histories.map(({ filters }) => Object.keys(filters).sort().join("+"));
  for (const name of ["minYear", "maxYear", "maxAmountCents", "funderEins", "recipientEins", "type"]) {
    expect(combinations).toContain(name);
    expect(combinations.some((names) => names.split("+").length > 1 && names.includes(name))).toBe(true);
  }
  const byAmount = histories.filter(({ sort }) => sort === "amount");
  expect(new Set(byAmount.map(({ offset }) => offset))).toEqual(new Set([0, 1_000, 100_000]));
});

test("adds up the same matches for totals and for groups by each key", () => {
  const totals = parsed().flatMap((request) => (request.kind === "totals" ? [request.filters] : []));
  expect(totals.length).toBeGreaterThan(15);
  for (const key of ["funder", "recipient", "year", "type"]) {
    const groups = parsed().flatMap((request) =>
      request.kind === "groups" && request.by === key ? [request.filters] : [],
    );
    expect(groups).toEqual(totals);
  }
});
