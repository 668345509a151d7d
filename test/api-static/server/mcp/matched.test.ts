// Tests that agents see filed and likely grants apart.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { recipients } from "../../../pipeline/matches.fixture.ts";
import { createTestApp, useRelease } from "../release.fixture.ts";
import { eras, serveAgents, textOf, valuesOf } from "./agents.fixture.ts";

const served = useRelease({ withMatches: true });
let agents: Awaited<ReturnType<typeof serveAgents>>;
beforeAll(async () => {
  agents = await serveAgents(createTestApp(served().release));
});
afterAll(() => agents.close());

describe("the tools for agents", () => {
  it("show likely grants apart from what an organization received", async () => {
    const agent = await agents.connect(eras[0]);
    const found = await agent.call("get_organization", { ein: recipients.unfiled });
    expect(textOf(found)).toBe("Harbor Observatory: what it received, 5 likely grants apart.");
    expect(valuesOf(found).as_recipient).toMatchObject({
      ...{ records: 0, largest_grant: null, filed: { records: 0 } },
      matched: { records: 5, rules: [{ match_rule: "name_and_place", records: 5 }] },
    });
    const filed = await agent.call("get_organization", { ein: recipients.filed, role: "recipient" });
    expect(textOf(filed)).toBe("Mesa Clinic: what it received.");
  });

  it("count them in the description of the data", async () => {
    const agent = await agents.connect(eras[0]);
    expect(textOf(await agent.call("describe_data"))).toContain(
      "380 grants without an EIN with a likely recipient.",
    );
  });
});
