// Tests that the suite covers every filter, limit and offset, and that the API parses its requests as intended.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { href } from "../../../api-static/contract/operations/searches.ts";
import { parseRequest } from "../../../api-static/contract/request.ts";
import type { FilterName } from "../../../tools/bench/peers/where.ts";
import { pickValues } from "../../../tools/bench/picks.ts";
import { buildSuite, type Case } from "../../../tools/bench/suite.ts";
import { findByHand, writeFixture } from "./grants.fixture.ts";

let folder: string;
let suite: readonly Case[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "suite-test-"));
  suite = buildSuite(await pickValues(await writeFixture(folder), join(folder, "spill")));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const filters: Record<FilterName, true> = {
  funderEin: true,
  recipientEin: true,
  transactionYear: true,
  purpose: true,
  recipientName: true,
  minAmountCents: true,
};

describe("the suite", () => {
  test("has at least 150 requests and no duplicate", () => {
    expect(suite.length).toBeGreaterThanOrEqual(150);
    expect(new Set(suite.map(({ request }) => href(request))).size).toBe(suite.length);
  });

  test("formats requests that the API parses back unchanged", () => {
    for (const { request } of suite) {
      const url = new URL(href(request), "http://localhost");
      expect(parseRequest(url.pathname, url.search)).toEqual(request);
    }
  });

  test("has each filter alone, many pairs, and all six together", () => {
    const combinations = suite.map(({ request }) => Object.keys(request.filters).sort().join("+"));
    for (const name of ["", ...Object.keys(filters)]) expect(combinations).toContain(name);
    expect(
      new Set(combinations.filter((names) => names.split("+").length === 2)).size,
    ).toBeGreaterThanOrEqual(10);
    expect(combinations).toContain(Object.keys(filters).sort().join("+"));
  });

  test("has limits of 1, 100 and 1000 at offsets 0, 1,000 and 1,000,000", () => {
    expect(new Set(suite.map(({ request }) => request.limit))).toEqual(new Set([1, 100, 1000]));
    const offsets = new Set(suite.map(({ request }) => request.offset));
    for (const offset of [0, 1_000, 1_000_000]) expect(offsets).toContain(offset);
  });

  test("finds grants with most of its requests", () => {
    const found = suite.filter(({ request }) => findByHand(request).total > 0);
    expect(found.length).toBeGreaterThan(suite.length / 2);
  });
});
