// Tests the responses about organizations and with their names, on a release with some and on one without.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parts } from "../../../../api-static/release/layout.ts";
import { isRealTested, realWarehouse } from "../../../realWarehouse.ts";
import { useRelease } from "../release.fixture.ts";

/** Characters of the start of a line: the EIN. */
const einLength = '{"ein":"131635294"'.length;

describe("an organization", () => {
  const served = useRelease({ sampleRows: 4_000 });

  it("is answered with its line and its profile", async () => {
    const { folder, ask } = served();
    const read = (part: string) => readFileSync(join(folder, part), "utf8").split("\n").slice(0, -1);
    const lines = read(parts.organizations);
    const profiles = new Map(read(parts.profiles).map((line) => [line.slice(0, einLength), line]));
    expect([lines.length > 20, profiles.size > 20]).toEqual([true, true]);
    for (const line of lines) {
      const { ein } = JSON.parse(line) as { ein: string };
      const answer = await ask(`/v1/organizations/${ein}`);
      const profile = profiles.get(line.slice(0, einLength))?.slice(einLength);
      const data = `${line.slice(0, -1)}${profile}`;
      expect([answer.status, await answer.text()]).toEqual([200, `{"success":true,"data":${data}}\n`]);
    }
  });

  it("is named among others, in the order of the request; those that are not on the list are left out", async () => {
    const { folder, askText, facts } = served();
    const lines = readFileSync(join(folder, parts.organizations), "utf8").split("\n").slice(0, -1);
    const data = lines.slice(0, 99).map((line) => JSON.parse(line) as Record<string, string | null>);
    for (const listed of [data, data.toReversed()]) {
      const eins = [facts.unknownEin, ...listed.map(({ ein }) => ein)];
      const named = listed.map(({ ein, name, city, state }) => ({ ein, name, city, state }));
      expect(JSON.parse(await askText(`/v1/names?eins=${eins}`))).toEqual({ success: true, data: named });
    }
    expect(await askText(`/v1/names?eins=${facts.unknownEin}`)).toBe('{"success":true,"data":[]}\n');
  });
});

describe.skipIf(!isRealTested("organizations"))("a release without organizations", () => {
  const served = useRelease({ warehouse: realWarehouse });

  it("answers 404 for every EIN, and everything else", async () => {
    const { ask, facts } = served();
    expect(facts.organizationEin).toBeUndefined();
    const answer = await ask(`/v1/organizations/${facts.big.ein}`);
    const { code } = (await answer.json()) as { code: string };
    expect([answer.status, code]).toEqual([404, "organization_not_found"]);
    expect((await ask(`/v1/funders/${facts.big.ein}/summary`)).status).toBe(200);
  });
});
