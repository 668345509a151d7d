// Tests that the suite's values come from the grants and are the same each time.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findByHand, fixtureGrants, writeFixture } from "./grants.fixture.ts";
import { type Picks, pickValues } from "./picks.ts";
import { buildSuite } from "./suite.ts";

let folder: string;
let picks: Picks;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "picks-test-"));
  picks = await pickValues(await writeFixture(folder), join(folder, "spill"));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const total = (filters: Parameters<typeof findByHand>[0]["filters"]) =>
  findByHand({ kind: "history", scope: "search", filters, limit: 1, offset: 0 }).total;

test("picks the same values from the same grants", async () => {
  const again = await pickValues(await writeFixture(folder), join(folder, "spill"));
  expect(again).toEqual(picks);
});

test("picks the largest, the median and the smallest funder and recipient", () => {
  const counts = (eins: readonly (number | null)[]) =>
    [
      ...Map.groupBy(
        eins.filter((ein) => ein !== null),
        String,
      ).values(),
    ]
      .map(({ length }) => length)
      .sort((a, b) => b - a);
  const funders = counts(fixtureGrants.map(({ funder }) => funder));
  const recipients = counts(fixtureGrants.map(({ recipient }) => recipient));
  expect(
    [picks.funders.large, picks.funders.median, picks.funders.small].map((funderEin) => total({ funderEin })),
  ).toEqual(funders);
  expect(total({ recipientEin: picks.recipients.large })).toBe(recipients[0]);
  expect(total({ recipientEin: picks.recipients.small })).toBe(recipients.at(-1));
});

test("picks frequent, rare and non-ASCII texts that grants really have", () => {
  const { purposes, names } = picks;
  expect(total({ purpose: purposes.frequentWord })).toBeGreaterThanOrEqual(
    total({ purpose: purposes.commonWord }),
  );
  expect(total({ recipientName: names.frequentWord })).toBeGreaterThan(300);
  expect(total({ recipientName: names.rareText })).toBe(1);
  expect(total({ purpose: purposes.rareWord })).toBe(1);
  expect(Buffer.byteLength(purposes.foreignWord)).toBeGreaterThan(purposes.foreignWord.length);
  for (const purpose of Object.values(purposes)) expect(total({ purpose }), purpose).toBeGreaterThan(0);
});

test("picks six filters that a grant matches", () => {
  expect(total(picks.grant)).toBeGreaterThan(0);
  expect(buildSuite(picks).filter(({ request }) => total(request.filters) > 0).length).toBeGreaterThan(40);
});
