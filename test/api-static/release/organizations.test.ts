// Tests that an organization and its profile are found by its EIN wherever their lines are, however long the lines are.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { formatEin } from "../../../api-static/contract/ein.ts";
import { parts } from "../../../api-static/release/layout.ts";
import {
  emptyProfile,
  Organizations,
  organizationBytesMax,
  profileBytesMax,
} from "../../../api-static/release/organizations.ts";

const folder = mkdtempSync(join(tmpdir(), "organizations-"));
afterAll(() => rmSync(folder, { recursive: true }));

type Listed = { readonly ein: number; readonly name: string; readonly mission: string | undefined };

const lineOf = ({ ein, name }: Pick<Listed, "ein" | "name">) =>
  JSON.stringify({ ein: formatEin(ein), name, city: null, state: "NY" });

const profileOf = ({ mission }: Pick<Listed, "mission">) =>
  mission === undefined ? emptyProfile : { ...emptyProfile, subsection: "03", mission };

const profileLineOf = (one: Pick<Listed, "ein" | "mission">) =>
  JSON.stringify({ ein: formatEin(one.ein), ...profileOf(one) });

/** Opens files with organizations, and with the profiles of those that have a mission. */
function open(listed: readonly Listed[]): Organizations {
  writeFileSync(join(folder, parts.organizations), listed.map((one) => `${lineOf(one)}\n`).join(""));
  const profiles = listed.filter(({ mission }) => mission !== undefined);
  writeFileSync(join(folder, parts.profiles), profiles.map((one) => `${profileLineOf(one)}\n`).join(""));
  return new Organizations(folder);
}

/** The longest name: a line feed makes its line as long as it may be. */
const longest = "x".repeat(organizationBytesMax - lineOf({ ein: 1, name: "" }).length - 1);

/** The longest mission. */
const longestMission = "x".repeat(profileBytesMax - profileLineOf({ ein: 1, mission: "" }).length - 1);

const listed = fc
  .uniqueArray(
    fc.record({
      ein: fc.integer({ min: 1, max: 999_999_999 }),
      name: fc.oneof(
        fc.string({ minLength: 1, maxLength: 60 }),
        fc.constantFrom(longest, '","ein":"131635294"', '{"ein":"131635294"', "\u2028\n\r", "é".repeat(600)),
      ),
      mission: fc.oneof(
        fc.constant(undefined),
        fc.string(),
        fc.constantFrom(longestMission, '{"ein":"131635294"'),
      ),
    }),
    { selector: ({ ein }) => ein, maxLength: 200 },
  )
  .map((list) => list.sort((a, b) => a.ein - b.ein));

describe("the organizations of a release", () => {
  it("are found by EIN, and no others", () => {
    fc.assert(
      fc.property(listed, fc.array(fc.integer({ min: 1, max: 999_999_999 })), (list, others) => {
        const organizations = open(list);
        try {
          for (const one of list) {
            const ein = formatEin(one.ein);
            const line = lineOf(one);
            expect(organizations.find(ein)?.toString()).toBe(line);
            const whole = JSON.stringify({ ...JSON.parse(line), ...profileOf(one) });
            expect(organizations.findWhole(ein)?.toString()).toBe(whole);
          }
          const known = new Set(list.map(({ ein }) => ein));
          const beside = list.flatMap(({ ein }) => [ein - 1, ein + 1]);
          for (const ein of [...others, ...beside, 131_635_294].filter((one) => !known.has(one)))
            expect([organizations.find(formatEin(ein)), organizations.findWhole(formatEin(ein))]).toEqual([
              undefined,
              undefined,
            ]);
        } finally {
          organizations.close();
        }
      }),
      { numRuns: 50 },
    );
  });

  it("are none in an empty file", () => {
    const organizations = open([]);
    expect(organizations.find(formatEin(131_635_294))).toBeUndefined();
    organizations.close();
  });
});
