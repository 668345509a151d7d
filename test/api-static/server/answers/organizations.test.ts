// Tests the answers to searches for organizations by name.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openapi } from "../../../../api-static/openapi/document.ts";
import { Clients } from "../../../../api-static/server/http/clients.ts";
import { findProblems, type JsonSchema } from "../../jsonSchema.ts";
import { createTestApp, useRelease } from "../release.fixture.ts";

type Found = {
  readonly data: readonly {
    readonly ein: string;
    readonly name: string | null;
    readonly given: { readonly records: number; readonly amount: number };
    readonly received: { readonly records: number; readonly amount: number };
    readonly state: string | null;
    readonly match: string;
  }[];
  readonly total: number;
};

const path = "/v1/organizations";
const served = useRelease({ sampleRows: 4_000 });

async function search(query: Readonly<Record<string, string>>): Promise<Found> {
  return JSON.parse(await served().askText(`${path}?${new URLSearchParams(query)}`)) as Found;
}

const readLines = () => readFileSync(join(served().folder, "organizations"), "utf8").split("\n").slice(0, -1);

/** The records and the amount of a summary; zeros if there is none. */
async function sumOf(side: "funders" | "recipients", ein: string) {
  const { data } = (await (await served().ask(`/v1/${side}/${ein}/summary`)).json()) as {
    data?: { records: number; amount: number };
  };
  return { records: data?.records ?? 0, amount: data?.amount ?? 0 };
}

describe("a search for organizations", () => {
  it("finds an organization by its EIN, with what it gave and received", async () => {
    const { facts } = served();
    const eins = [facts.big.ein, facts.small.ein, facts.recipientEin, ...readLines().slice(0, 3).map(einOf)];
    for (const ein of eins)
      for (const name of [ein, `${ein.slice(0, 2)}-${ein.slice(2)}`]) {
        const { data, total } = await search({ name });
        expect(total).toBe(1);
        const [given, received] = [await sumOf("funders", ein), await sumOf("recipients", ein)];
        expect(data).toMatchObject([{ ein, given, received, match: "exact" }]);
      }
    expect(await search({ name: facts.unknownEin })).toStrictEqual({ success: true, data: [], total: 0 });
  });

  it("finds organizations by their names, also in capitals and with more spaces", async () => {
    for (const line of readLines().slice(0, 20)) {
      const { ein, name } = JSON.parse(line) as { ein: string; name: string };
      const found = await search({ name, limit: "100" });
      expect(found.data.map((each) => each.ein)).toContain(ein);
      expect(found.data[0]?.match).toBe("exact");
      const spaced = await search({ name: ` ${name.toLowerCase().replaceAll(" ", "  ")} `, limit: "100" });
      expect(spaced).toStrictEqual(found);
    }
  });

  it("has an organization on each line, in the order of its schema", async () => {
    const text = await served().askText(`${path}?name=${served().facts.organizationEin}`);
    const [head, line = "", end] = text.split("\n");
    expect([head, end]).toStrictEqual(['{"success":true,"data":[', '],"total":1}']);
    expect(Object.keys(JSON.parse(line)).filter((field) => field !== "also")).toStrictEqual([
      ...["ein", "name", "city", "state", "given", "received", "match"],
    ]);
    expect(line).toMatch(
      /"given":\{"records":\d+,"amount":\d+\.\d\d\},"received":\{"records":\d+,"amount":\d+\.\d\d\}/,
    );
    const { schemas } = openapi.components;
    const resolve = (): JsonSchema => schemas.Error;
    for (const name of ["foundation", served().facts.big.ein])
      expect(findProblems(schemas.Organizations, await search({ name }), resolve)).toStrictEqual([]);
  });

  it("lists those of a state, and those that gave or received", async () => {
    const states = readLines().map((line) => (JSON.parse(line) as { state: string | null }).state);
    const state = String(states.find((each) => each !== null));
    for (const each of (await search({ name: "foundation", state: state.toLowerCase(), limit: "100" })).data)
      expect(each).toMatchObject({ state });
    for (const [role, side] of [
      ["funder", "given"],
      ["recipient", "received"],
    ] as const)
      for (const each of (await search({ name: "foundation", role, limit: "100" })).data)
        expect(each[side].records).toBeGreaterThan(0);
    const { data, total } = await search({ name: "foundation", limit: "1" });
    expect([data.length, total > 1]).toStrictEqual([1, true]);
  });

  it("counts as a search of its client, is logged, and is not prepared by syncs", async () => {
    const { release } = served();
    const log: Record<string, unknown>[] = [];
    const noted: unknown[] = [];
    const app = createTestApp(release, (line) => log.push(JSON.parse(line)), {
      clients: new Clients({ searchesPerMinute: 1, trustedProxies: [] }, () => 0),
      searchLog: { note: (search) => noted.push(search) },
    });
    const statuses = [];
    for (const query of ["?name=a", "?name=", "?name=b"])
      statuses.push((await app.request(path + query)).status);
    expect(statuses).toStrictEqual([200, 400, 429]);
    expect(log).toMatchObject([
      { path, status: 200, answered_by: "search" },
      { path, status: 400, code: "invalid_parameter" },
      { path, status: 429, code: "rate_limited" },
    ]);
    expect(noted).toStrictEqual([]);
  });
});

function einOf(line: string): string {
  return (JSON.parse(line) as { ein: string }).ein;
}
