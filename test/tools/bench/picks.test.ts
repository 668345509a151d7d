// Tests that the suite's values are drawn from the grants and are the same each time.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bands, type Picks, pickValues } from "../../../tools/bench/picks.ts";
import { findByHand, fixtureGrants, writeFixture } from "./grants.fixture.ts";

let folder: string;
let picks: Picks;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "picks-test-"));
  picks = await pickValues(await writeFixture(folder), join(folder, "spill"));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const total = (filters: Parameters<typeof findByHand>[0]["filters"]) =>
  findByHand({ kind: "history", scope: "search", filters, limit: 1, offset: 0 }).total;

test("draws the same values from the same grants", async () => {
  const again = await pickValues(await writeFixture(folder), join(folder, "spill"));
  expect(again).toEqual(picks);
});

test("finds the largest funder and recipient, and draws others", () => {
  const largest = (eins: readonly (number | null)[]) => {
    const present = eins.filter((ein) => ein !== null);
    return Math.max(...[...Map.groupBy(present, String).values()].map(({ length }) => length));
  };
  expect(total({ funderEin: picks.funders.largest })).toBe(
    largest(fixtureGrants.map(({ funder }) => funder)),
  );
  expect(total({ recipientEin: picks.recipients.largest })).toBe(
    largest(fixtureGrants.map(({ recipient }) => recipient)),
  );
  for (const recipientEin of picks.recipients.drawn) expect(total({ recipientEin })).toBeGreaterThan(0);
  expect(picks.recipients.drawn.length).toBeGreaterThan(4);
});

test("draws words that grants really have, from bands of falling frequency", () => {
  const mean = (totals: readonly number[]) => totals.reduce((sum, one) => sum + one, 0) / totals.length;
  const purposes = bands.map((band) => mean(picks.purposes[band].map((purpose) => total({ purpose }))));
  const names = bands.map((band) => mean(picks.names[band].map((recipientName) => total({ recipientName }))));
  for (const means of [purposes, names]) {
    expect(means[0]).toBeGreaterThan(means[3] as number);
    expect(Math.min(...means)).toBeGreaterThan(0);
  }
  for (const word of [...picks.purposes.foreign, ...picks.names.foreign])
    expect(Buffer.byteLength(word)).toBeGreaterThan(word.length);
});

test("draws whole grants, each found by its own values", () => {
  for (const grant of picks.grants) expect(total(grant)).toBeGreaterThan(0);
  expect(new Set(picks.grants.map(({ funderEin }) => funderEin)).size).toBeGreaterThan(1);
});
