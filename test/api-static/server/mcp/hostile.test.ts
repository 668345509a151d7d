// Sends noise to the service for agents: every answer is a declared one, names no file, and leaves the service working.
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { proofs } from "../../../proofs.ts";
import { createTestApp, useRelease } from "../release.fixture.ts";
import { serveAgents } from "./agents.fixture.ts";
import { modernRequest } from "./modernRequest.ts";

const served = useRelease({ sampleRows: 1_000 });
const lines: Record<string, unknown>[] = [];
let agents: Awaited<ReturnType<typeof serveAgents>>;
beforeAll(async () => {
  agents = await serveAgents(createTestApp(served().release, (line) => lines.push(JSON.parse(line))));
});
afterAll(() => agents.close());

/** The statuses that the service declares for a POST; 404 is a method that the protocol lacks. */
const declared = [200, 202, 400, 403, 404, 413, 415];

async function expectDeclared(body: string | Uint8Array, headers: Record<string, string> = {}) {
  const response = await agents.post(body, headers);
  const text = await response.text();
  const sent = typeof body === "string" ? body : Buffer.from(body).toString("hex");
  expect(declared, `${sent.slice(0, 500)} ${text}`).toContain(response.status);
  const isStream = response.headers.get("content-type") === "text/event-stream";
  const texts = isStream ? [...text.matchAll(/^data: (.*)$/gm)].map(([, line]) => line) : [text];
  for (const one of texts) if (one) expect(() => JSON.parse(one), text).not.toThrow();
  expect(text).not.toMatch(/node_modules|\.ts:\d|\.mjs|at Object\.|ZodError|internal/i);
  return { status: response.status, text };
}

const toolNames = [
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

const argumentNames = [
  "funder_ein",
  "ein",
  "name",
  "purpose",
  "match",
  "by",
  "sort",
  "limit",
  "offset",
  "release",
  "since",
  "min_amount",
  "__proto__",
  "constructor",
  "toString",
];

/** Values that a model or a fuzzer may give. */
const value = fc.oneof(
  fc.constantFrom<unknown>(
    "131635294",
    "funder",
    "amount",
    "words",
    2020,
    -1,
    1e300,
    "",
    " ",
    "\u0000",
    "\ud800",
    "../..",
    "%00",
    "'; DROP",
    true,
    null,
    [],
    {},
  ),
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.integer(),
  fc.double(),
  fc.jsonValue({ maxDepth: 3 }),
);

const call = fc.record({
  name: fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...toolNames) },
    { weight: 1, arbitrary: fc.string() },
  ),
  arguments: fc.oneof(
    {
      weight: 9,
      arbitrary: fc.dictionary(fc.oneof(fc.constantFrom(...argumentNames), fc.string()), value, {
        maxKeys: 6,
      }),
    },
    { weight: 1, arbitrary: fc.jsonValue() },
  ),
});

const methods = [
  "initialize",
  "ping",
  "tools/list",
  "tools/call",
  "server/discover",
  "subscriptions/listen",
  "notifications/cancelled",
  "resources/list",
  "completion/complete",
  "logging/setLevel",
];

/** Messages that are nearly of the protocol. */
const message = fc.record(
  {
    jsonrpc: fc.constantFrom<unknown>("2.0", "1.0", 2, null),
    id: fc.oneof(fc.integer(), fc.string(), fc.constantFrom<unknown>(null, 1.5, [], {})),
    method: fc.oneof(fc.constantFrom<unknown>(...methods), fc.string(), fc.jsonValue({ maxDepth: 1 })),
    params: fc.oneof(call, fc.jsonValue()),
    result: fc.jsonValue(),
    error: fc.jsonValue(),
  },
  { requiredKeys: [] },
);

const header = fc.oneof(
  fc.constantFrom("2026-07-28", "2025-11-25", "2024-11-05", "1", "tools/call", "search_grants"),
  fc.stringMatching(/^[!-~]{1,40}$/),
);

const headers = fc.record(
  {
    "mcp-protocol-version": header,
    "mcp-method": header,
    "mcp-name": header,
    "mcp-session-id": header,
    accept: header,
  },
  { requiredKeys: [] },
);

const numRuns = proofs.agentMessages;

it(`answers ${numRuns} random calls of tools`, async () => {
  await fc.assert(
    fc.asyncProperty(call, async (params) => {
      const { body, headers } = modernRequest("tools/call", params as never);
      const name = { "mcp-name": encodeURIComponent(params.name.toWellFormed()) || "none" };
      await expectDeclared(body, { ...headers, ...name });
      await expectDeclared(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }));
    }),
    { numRuns },
  );
});

it(`answers ${numRuns} random messages`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(message, fc.array(message), fc.jsonValue()), headers, async (body, headers) => {
      await expectDeclared(JSON.stringify(body) ?? "", headers);
    }),
    { numRuns },
  );
});

it(`answers ${numRuns} bodies of random bytes`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.string(), async (bytes, text) => {
      expect((await expectDeclared(bytes)).status).toBe(400);
      await expectDeclared(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${text}`);
    }),
    { numRuns },
  );
});

it("answers deep and wide bodies", async () => {
  const { body, headers } = modernRequest("tools/call", { name: "search_grants" });
  const nested = (open: string, close: string) => open.repeat(60_000 / (open.length + close.length)) + close.repeat(60_000 / (open.length + close.length)); // biome-ignore format: a row
  for (const deep of [nested("[", "]"), `${nested('{"a":', "}").replace(":}", ":1}")}`]) {
    for (const [sent, given] of [
      [deep, {}],
      [body.replace('"params":{', `"params":{"arguments":${deep},`), headers],
      [body.replace('"params":{', `"params":{"arguments":{"purpose":${deep}},`), headers],
      [body.replace('"params":{', `"params":{"deep":${deep},`), headers],
      [body.replace('"id":1', `"id":${deep}`), headers],
      [
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_grants","arguments":{"purpose":${deep}}}}`,
        {},
      ],
      [`{"jsonrpc":"2.0","id":1,"method":"initialize","params":${deep}}`, {}],
    ] as const)
      await expectDeclared(sent, given);
  }
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`a${index}`, 1]));
  const wide = await expectDeclared(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "search_grants", arguments: many } })); // biome-ignore format: a row
  expect(wide.text.length).toBeLessThan(20_000);
  expect((await expectDeclared(`[${`${body},`.repeat(100)}${body}]`, headers)).status).toBe(400);
  expect((await expectDeclared(" ".repeat(65_537))).status).toBe(413);
});

it("still answers, and logged no failure", async () => {
  const { body, headers } = modernRequest("tools/call", { name: "search_grants", arguments: { limit: 1 } });
  expect((await expectDeclared(body, headers)).text).toContain('"structuredContent"');
  expect(lines.filter(({ level }) => level === "error")).toEqual([]);
});
