// Tests that each part of a release has its turn.
import { expect, it } from "vitest";
import { turnOf } from "../../../pipeline/releases/turns.ts";

const idOf = (day: number) =>
  `${new Date(Date.UTC(2026, 10, 1 + day)).toISOString().slice(0, 10).replaceAll("-", "")}T040000Z`;

it.each([1, 2, 5, 7, 8, 10])("verifies each part if a sync runs every %i days", (days) => {
  for (const parts of [1, 3, 8, 10]) {
    const found = Array.from({ length: 40 }, (_, sync) => turnOf(idOf(sync * days), parts));
    expect([...new Set(found)].sort((one, other) => one - other)).toEqual(
      Array.from({ length: parts }, (_, part) => part),
    );
  }
});

it("verifies the same part if the release is the same", () => {
  expect(turnOf("20261120T040000Z", 8)).toBe(turnOf("20261120T235959Z", 8));
});
