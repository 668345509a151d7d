// Tests the tools for agents with the SDK's client, in both eras of the protocol.
import { EventEmitter } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ChangesIndex, changesUrl } from "../../../../api-static/contract/answers/changes.ts";
import { ChangesFolder } from "../../../../api-static/server/answers/changesFolder.ts";
import { Clients } from "../../../../api-static/server/http/clients.ts";
import { Exchange } from "../../../../api-static/server/http/exchange.ts";
import { Asker } from "../../../../api-static/server/mcp/ask.ts";
import { makeFolder } from "../../../../pipeline/base/files.ts";
import { formatChain } from "../../../../pipeline/releases/changes/chain.ts";
import { createTestApp, repository, useRelease } from "../release.fixture.ts";
import { eras, serveAgents, textOf, valuesOf } from "./agents.fixture.ts";
import { modernRequest } from "./modernRequest.ts";

type Page = { data: { id: number | string }[]; total: number; next: Record<string, unknown> | null };

const [first, second, third] = ["20261118T040000Z", "20261119T040000Z", "20261120T040000Z"] as const;
const entry = { at: "2026-11-19T04:01:00Z", added: 1, changed: 0, removed: 0, records: 5, digest: "" };
const fileOf = (from: string, to: string) =>
  ({ format: "parquet", url: changesUrl({ from, to }, "parquet"), bytes: 1, sha256: "" }) as const;
const chain: ChangesIndex = {
  current: third,
  entries: [
    { from: null, to: first, ...entry, added: null, files: [], reason: "first_release" },
    { from: first, to: second, ...entry, files: [fileOf(first, second)] },
    {
      from: second,
      to: third,
      ...entry,
      files: [fileOf(second, third)],
      download: "/v1/downloads/grants.parquet",
    },
  ],
};

const served = useRelease({ sampleRows: 1_000 });
let data = "";
let agents: Awaited<ReturnType<typeof serveAgents>>;
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), "agents-"));
  await makeFolder(join(data, "changes"));
  await writeFile(join(data, "changes/index.json"), formatChain(chain));
  const changes = new ChangesFolder(data);
  agents = await serveAgents(createTestApp(served().release, undefined, { changes }));
});
afterAll(async () => {
  await agents.close();
  await rm(data, { recursive: true });
});

/** The body of the API's own answer, without `success`. */
async function askApi(path: string): Promise<Record<string, unknown>> {
  const { success, ...body } = JSON.parse(await served().askText(path));
  return body;
}

const pathOf = (url: unknown) => String(url).replace(/^http:\/\/[^/]+/, "");

const names = [
  "search_grants",
  "summarize_search",
  "find_organizations",
  "get_organization",
  "list_likely_funders",
  "describe_data",
  "list_changes",
  "search",
  "fetch",
];

describe.each(eras)("a client of the era %s", (era) => {
  let agent: Awaited<ReturnType<typeof agents.connect>>;
  beforeAll(async () => {
    agent = await agents.connect(era);
  });
  afterAll(() => agent.close());

  it("lists the tools, which only read", async () => {
    const { tools } = await agent.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(names);
    for (const { description, annotations, inputSchema, outputSchema } of tools) {
      expect(description).toMatch(/^Use this when /);
      expect(annotations).toMatchObject({ readOnlyHint: true, idempotentHint: true });
      expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
      expect(outputSchema).toMatchObject({ type: "object" });
    }
  });

  it("gets the API's answers, from one release, with links", async () => {
    const { big, year, purposeWord } = served().facts;
    const pairs: [string, Record<string, unknown>, string][] = [
      [
        "search_grants",
        { purpose: purposeWord, sort: "amount" },
        "/v1/history?limit=20&sort=amount&purpose=",
      ],
      ["search_grants", { limit: 3, offset: 3, transaction_year: year }, `/v1/history?limit=3&offset=3&transaction_year=${year}&purpose=`], // biome-ignore format: a row
      ["summarize_search", {}, "/v1/history/summary?purpose="],
      ["summarize_search", { by: "funder", limit: 5 }, "/v1/history/groups?by=funder&limit=5&purpose="],
    ];
    for (const [tool, args, path] of pairs) {
      const values = valuesOf(await agent.call(tool, { ...args, purpose: purposeWord, recipient_ein: null }));
      const { release, url, csv, next, names, ...answer } = values;
      expect(answer, path).toEqual(await askApi(path + purposeWord));
      expect(release).toBe(served().release.facts.release);
      expect(url).toContain(`/r/${release}/v1/history`);
      expect(await served().askText(pathOf(csv))).toContain("funder_ein");
      expect(await askApi(pathOf(url))).toEqual(answer);
    }
    const { organization, as_funder, as_recipient } = valuesOf(
      await agent.call("get_organization", { ein: `${big.ein.slice(0, 2)}-${big.ein.slice(2)}` }),
    );
    expect([organization, as_recipient]).toEqual([null, null]);
    expect({ data: as_funder }).toEqual(await askApi(`/v1/funders/${big.ein}/summary`));
    const status = await askApi("/v1/status");
    expect(valuesOf(await agent.call("describe_data"))).toMatchObject({ data: status });
  });

  it("finds an organization and its name", async () => {
    const ein = String(served().facts.organizationEin);
    const { data } = valuesOf<{ data: { name: string }[] }>(
      await agent.call("find_organizations", { name: ein }),
    );
    const { names } = valuesOf<{ names: object }>(await agent.call("search_grants", { funder_ein: ein }));
    expect(names).toEqual({ [ein]: data[0]?.name });
  });

  it("reads the documents that a search finds, as JSON in the text too", async () => {
    type Result = { id: string; title: string; url: string };
    const document = async (id: string) => {
      const result = await agent.call("fetch", { id });
      const values = valuesOf<Result & { text: string; metadata: object }>(result);
      expect(result.content.map(({ text }) => JSON.parse(text ?? ""))).toEqual([values]);
      return values;
    };
    const found = await agent.call("search", { query: served().facts.purposeWord.toUpperCase() });
    const { results } = valuesOf<{ results: Result[] }>(found);
    expect(found.content.map(({ text }) => JSON.parse(text ?? ""))).toEqual([{ results }]);
    const grants = results.filter(({ id }) => id.startsWith("grant:"));
    expect(grants.length).toBeGreaterThan(0);
    for (const grant of grants.slice(0, 2)) {
      const { text, metadata, ...values } = await document(grant.id);
      expect(values).toEqual(grant);
      expect(await askApi(pathOf(grant.url))).toEqual(JSON.parse(text));
      expect(metadata).toEqual({ release: served().release.facts.release });
    }
    const id = `organization:${served().facts.organizationEin}`;
    const { data } = (await askApi(`/v1/organizations?name=${id.slice(13)}`)) as { data: { name: string }[] };
    const listed = valuesOf<{ results: Result[] }>(
      await agent.call("search", { query: String(data[0]?.name) }),
    );
    expect(listed.results.map((result) => result.id)).toContain(id);
    const { title, url, text } = await document(id);
    expect([title, pathOf(url)]).toEqual([
      data[0]?.name,
      expect.stringMatching(/^\/(funder|recipient)\?ein=\d{9}$/),
    ]);
    expect(JSON.parse(text)).toMatchObject({ organization: { ein: id.slice(13) } });
  });

  it("walks through all pages by `next`", async () => {
    let args: Record<string, unknown> | null = { recipient_name: "e", limit: 100 };
    const ids = new Set<number | string>();
    let total = 0;
    while (args !== null) {
      const page: Page = valuesOf<Page>(await agent.call("search_grants", args));
      for (const { id } of page.data) ids.add(id);
      ({ next: args, total } = page);
    }
    expect(total).toBeGreaterThan(200);
    expect(ids.size).toBe(total);
  });

  it("lists changes, newest first, and those after a release", async () => {
    const entries = chain.entries.map((entry) => ({
      ...entry,
      files: entry.files.map((file) => ({ ...file, url: new URL(file.url, agents.url).href })),
      ...(entry.download && { download: new URL(entry.download, agents.url).href }),
    }));
    const changes = async (args: object) => valuesOf(await agent.call("list_changes", { ...args }));
    expect(await changes({})).toMatchObject({ total: 3, data: entries.toReversed() });
    expect(await changes({ limit: 1 })).toMatchObject({ total: 3, data: [entries[2]] });
    expect(await changes({ since: second })).toMatchObject({ total: 1, data: [entries[2]] });
    expect(await changes({ since: third })).toMatchObject({ total: 0, data: [], release: third });
  });

  it("reads the rule and the valid values in an error", async () => {
    const refused: [string, Record<string, unknown>, string[]][] = [
      ["search_grants", { limit: 500, year: 2020 }, ["invalid_parameter: limit must be an integer from 1 to 100", "year is not a parameter", "it accepts funder_ein"]], // biome-ignore format: a row
      ["search_grants", { purpose: { a: [1] }, min_year: 2020, transaction_year: 2020 }, ["min_year must not be"]], // biome-ignore format: a row
      ["search_grants", { release: "../../etc" }, ["release must be an id such as"]],
      ["search_grants", { release: "20200101T000000Z" }, ["release_not_found: no release with this id"]],
      ["summarize_search", { by: "city" }, ["by must be one of funder, recipient", '"enum":["funder"']],
      ["summarize_search", { limit: 3 }, ["limit must not be given without by"]],
      ["find_organizations", {}, ["name must be given", "name: Words of the name"]],
      ["get_organization", { ein: "1" }, ["ein must be nine digits"]],
      ["get_organization", { ein: served().facts.unknownEin }, ["organization_not_found: "]],
      ["search", { query: " " }, ["query must not be blank"]],
      ["fetch", { id: "13-1635294" }, ["id must be organization: with an EIN", "id: `organization:` with"]],
      ["fetch", { id: "grant:0" }, ["grant_not_found: "]],
      ["list_changes", { since: "20200101T000000Z" }, ["release_too_old: ", "since: Id of a release"]],
    ];
    for (const [tool, args, parts] of refused) {
      const result = await agent.call(tool, args);
      expect(result.isError, tool).toBe(true);
      for (const part of parts) expect(textOf(result)).toContain(part);
    }
    await expect(agent.call("no_such_tool")).rejects.toThrow(/no_such_tool/);
  });
});

it("docs/agents.md lists the tools, and calls that they accept", async () => {
  const text = await readFile(join(repository, "docs/agents.md"), "utf8");
  expect([...text.matchAll(/^- `(\w+)`:/gm)].map(([, name]) => name).sort()).toEqual(names.toSorted());
  const calls = [...text.matchAll(/^\{ "name": .*$/gm)].map(([line]) => JSON.parse(line));
  const agent = await agents.connect("2026-07-28");
  for (const { name, arguments: args } of calls)
    expect((await agent.call(name, args)).isError).toBeUndefined();
  expect(calls.length).toBe(2);
  await agent.close();
});

it("lists the tools in 22 KB", async () => {
  const response = await agents.post(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }));
  expect((await response.text()).length).toBeLessThan(22_000);
});

it("acknowledges a subscription, and ends it because no tool changes", async () => {
  const agent = await agents.connect("2026-07-28");
  const subscription = await agent.client.listen({ toolsListChanged: true });
  expect(await subscription.closed).toBe("graceful");
  await agent.close();
});

it("answers batches to clients of the revision that has them", async () => {
  const call = { jsonrpc: "2.0", method: "tools/call", params: { name: "describe_data", arguments: null } };
  const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 2 } };
  const batch = [{ jsonrpc: "2.0", id: 1, method: "ping" }, { ...call, id: 2 }, cancelled];
  for (const headers of [{}, { "mcp-protocol-version": "2025-03-26" }]) {
    const answers = await (
      await agents.post(JSON.stringify(batch), headers as Record<string, string>)
    ).json();
    expect(answers).toMatchObject([
      { id: 1, result: {} },
      { id: 2, result: { structuredContent: {} } },
    ]);
  }
  const refused = await agents.post(JSON.stringify(Array.from({ length: 21 }, () => batch[0])));
  expect([refused.status, await refused.text()]).toEqual([
    400,
    expect.stringContaining("1 to 20 messages, got 21"),
  ]);
  expect((await agents.post("[]")).status).toBe(400);
});

it.each([
  ["tools/list", null, "result"],
  ["tools/call", { name: "describe_data", arguments: null }, "result"],
  ["tools/call", null, "params: "],
  ["tools/call", { name: "describe_data", arguments: "x" }, "params.arguments: "],
  ["tools/call", { name: null }, "params.name: "],
  ["initialize", { protocolVersion: "2025-03-26" }, "params.capabilities: "],
])("takes nulls for absent and names what is invalid: %s with %j", async (method, params, expected) => {
  const response = await agents.post(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
  const { result, error } = (await response.json()) as { result?: object; error?: { message: string } };
  if (expected === "result") expect(result).toBeDefined();
  else expect(error).toEqual({ code: -32602, message: expect.stringContaining(expected) });
  expect(error?.message ?? "").not.toMatch(/[{}[\]\n]/);
});

it("lets lists of tools be cached until the next sync", async () => {
  for (const method of ["tools/list", "server/discover"]) {
    const { body, headers } = modernRequest(method);
    const response = await agents.post(body, headers);
    expect(await response.json()).toMatchObject({ result: { ttlMs: 5.5 * 3_600_000, cacheScope: "public" } });
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect([...response.headers.keys()]).not.toContain("mcp-session-id");
  }
});

it("counts searches of agents as searches of their clients, in the log too", async () => {
  const lines: Record<string, unknown>[] = [];
  const clients = new Clients({ searchesPerMinute: 1, trustedProxies: ["loopback"] }, () => 0);
  const app = createTestApp(served().release, (line) => lines.push(JSON.parse(line)), { clients });
  const limited = await serveAgents(app);
  const { body, headers } = modernRequest("tools/call", {
    name: "search_grants",
    arguments: { purpose: "a", recipient_name: "e" },
  });
  const send = async (address: string) =>
    (
      await limited.post(body, { ...headers, "x-forwarded-for": address, "x-request-id": `of-${address}` })
    ).json();
  expect(await send("192.0.2.1")).toMatchObject({ result: { structuredContent: {} } });
  expect(await send("192.0.2.2")).toMatchObject({ result: { structuredContent: {} } });
  const text = expect.stringMatching(/^rate_limited: .*\(retry after 60 seconds\)$/);
  expect(await send("192.0.2.1")).toMatchObject({ result: { isError: true, content: [{ text }] } });
  const ofFirst = lines.filter(({ request_id }) => request_id === "of-192.0.2.1");
  expect(ofFirst.map(({ path, status }) => `${path} ${status}`)).toEqual([
    expect.stringMatching(/history 200$/),
    "/mcp 200",
    expect.stringMatching(/history 429$/),
    "/mcp 200",
  ]);
  await limited.close();
});

it("keeps every digit of an id", async () => {
  const [id, purpose] = ["-1234567890123456789", 'an "id":1234567890123456789'];
  const body = `{"success":true,"data":[{"id":${id},"purpose":${JSON.stringify(purpose)}}]}`;
  const api = { handle: () => ({ status: 200, headers: [], body: Buffer.from(body) }), siteUrl: "" };
  const exchange = new Exchange({ method: "POST", url: "/mcp", headers: {} }, () => "id-1");
  const releases = { current: undefined, enter: async () => undefined };
  const { data } = await new Asker({ ...api, releases }, exchange, undefined).ask("/v1/history");
  expect(data).toEqual([{ id, purpose }]);
});

it("reports an agent that went away as such", async () => {
  const { body, headers } = modernRequest("tools/call", { name: "describe_data" });
  const request = {
    ...{ method: "POST", url: "/mcp", socket: Object.assign(new EventEmitter(), { destroyed: true }) },
    headers: { ...headers, host: "localhost", "content-type": "application/json" },
  };
  const sent = Object.assign(Readable.from([Buffer.from(body)]), request);
  expect((await served().app.handle(sent as never)).status).toBe(499);
});

it("answers before the first release", async () => {
  const early = await serveAgents(createTestApp(undefined));
  const agent = await early.connect("2026-07-28");
  for (const [name, args] of [
    ["search_grants"],
    ["describe_data"],
    ["get_organization", { ein: "131635294" }],
  ] as const)
    expect(textOf(await agent.call(name, args))).toMatch(/^not_ready: .*\(retry after 5 seconds\)$/);
  await agent.close();
  await early.close();
});

describe("a request that is no call", () => {
  const { body, headers } = modernRequest("tools/list");

  it("is refused as HTTP and JSON-RPC declare", async () => {
    const cases: [string | Uint8Array, Record<string, string>, number, RegExp][] = [
      ["x".repeat(65_537), {}, 413, /"code":"content_too_large"/],
      [body, { "content-type": "text/plain" }, 415, /"code":"unsupported_media_type"/],
      ["{", {}, 400, /"code":-32700/],
      ["", {}, 400, /"code":-32700/],
      ["7", {}, 400, /"code":-32600/],
      [`[${body}]`, headers, 400, /"code":-32600/],
      [body, {}, 400, /"code":-32/],
      [body, { ...headers, origin: "https://evil.example" }, 403, /MCP_HOSTS/],
      [body, { ...headers, origin: "null" }, 403, /MCP_HOSTS/],
      [body, { ...headers, origin: "http://localhost:5173" }, 200, /"tools"/],
    ];
    for (const [sent, given, status, text] of cases) {
      const response = await agents.post(sent, given);
      expect([response.status, await response.text()]).toEqual([status, expect.stringMatching(text)]);
    }
  });

  it("must be for a host that is allowed", async () => {
    const post = async (host: string) => {
      const { status } = await served().app.handle({
        method: "POST",
        url: "/mcp",
        headers: { ...headers, host, "content-type": "application/json" },
      });
      return status;
    };
    expect(await post("evil.example")).toBe(403);
    expect(await post("127.0.0.1.evil.example:80")).toBe(403);
    expect(await post("LOCALHOST:80")).toBe(400); // no body
  });

  it("has another method", async () => {
    for (const method of ["GET", "HEAD", "DELETE", "PUT"]) {
      const response = await fetch(agents.url, { method });
      expect([response.status, response.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
      if (method === "GET") expect(await response.text()).toContain("GET is not allowed; use POST");
    }
    expect((await fetch(agents.url, { method: "OPTIONS" })).headers.get("allow")).toBe("POST, OPTIONS");
  });
});
