// Tests the answers of the Reconciliation API: the service's description, candidates, suggestions and previews.
import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { openapi } from "../../../../api-static/openapi/document.ts";
import { Clients } from "../../../../api-static/server/http/clients.ts";
import { findProblems, type JsonSchema } from "../../jsonSchema.ts";
import { expectConforming } from "../../reconciliationSchemas.ts";
import { createTestApp } from "../release.fixture.ts";
import { fakeRelease, found } from "./fakeRelease.fixture.ts";

const path = "/v1/reconcile";
const sum = (records: number, amount = 100n) => ({ records, amount });

/** Sends a form without a socket. */
async function post(
  app: ReturnType<typeof createTestApp>,
  form: string,
  type = "application/x-www-form-urlencoded",
) {
  const request = { method: "POST", url: path, headers: { "content-type": type } };
  const { status, headers, body } = await app.handle(
    Object.assign(Readable.from([Buffer.from(form)]), request) as never,
  );
  return { status, headers, text: String(body) };
}

const formOf = (queries: unknown) => String(new URLSearchParams({ queries: JSON.stringify(queries) }));

type Candidates = Record<string, { result: { id: string; score: number; match: boolean }[] }>;

/** The candidates of a batch, by GET; POST must have the same bytes. */
async function reconcile(fake: ReturnType<typeof fakeRelease>, queries: unknown): Promise<Candidates> {
  const app = createTestApp(fake.release);
  const answer = await app.request(`${path}?${formOf(queries)}`);
  const text = await answer.text();
  expect(answer.status, text).toBe(200);
  expectConforming("reconciliation-result-batch", text);
  expect((await post(app, formOf(queries))).text).toBe(text);
  return JSON.parse(text) as Candidates;
}

describe("the description of the service", () => {
  const app = createTestApp(fakeRelease({}).release);
  const describeAt = async (url: string, headers: Record<string, string> = {}, siteUrl = "") => {
    const site = createTestApp(fakeRelease({}).release, undefined, { siteUrl });
    const answer = await site.request(url, { headers });
    const text = await answer.text();
    expectConforming("manifest", text);
    return { answer, manifest: JSON.parse(text) };
  };

  it("is as the specification says, and not cached", async () => {
    const { answer, manifest } = await describeAt(path);
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
    expect(answer.headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(manifest).toMatchObject({ versions: ["0.2"], batchSize: 50 });
    expect(manifest.extend).toBeUndefined();
  });

  it("leads to SITE_URL, or to the host that was asked", async () => {
    const urls = async (...given: Parameters<typeof describeAt>) => {
      const { manifest } = await describeAt(...given);
      const { entity } = manifest.suggest;
      return [manifest.view.url, manifest.preview.url, entity.service_url + entity.service_path];
    };
    const expected = (origin: string, prefix = "") => [
      `${origin}/recipient?ein={{id}}`,
      `${origin}${prefix}/v1/reconcile/preview?id={{id}}`,
      `${origin}${prefix}/v1/reconcile/suggest/entity`,
    ];
    expect(await urls(path, { host: "a.example:81" })).toStrictEqual(expected("http://a.example:81"));
    const forwarded = { host: "a", "x-forwarded-host": "b.example", "x-forwarded-proto": "https" };
    expect(await urls(path, forwarded)).toStrictEqual(expected("https://b.example"));
    expect(await urls(path, { host: "a", "x-forwarded-host": 'b"/<' })).toStrictEqual(expected("http://a"));
    const site = "https://grants.example.org";
    expect(await urls(path, forwarded, site)).toStrictEqual(expected(site));
    const pin = "/r/20261120T040000Z";
    expect(await urls(pin + path, {}, site)).toStrictEqual(expected(site, pin));
  });

  it("is refused to a POST without queries, and to a blank or unknown parameter", async () => {
    for (const form of ["", "queries=", "other=1", "extend=%7B%7D"]) {
      const { status, text } = await post(app, form);
      expect([status, JSON.parse(text).code], form).toStrictEqual([400, "invalid_parameter"]);
    }
    expect(JSON.parse((await post(app, "")).text).details).toStrictEqual([
      {
        ...{ parameter: "queries", code: "blank" },
        message: "queries must be given: a JSON object of queries, in the form",
      },
    ]);
    expect((await app.request(`${path}?callback=a`)).status).toBe(400);
  });
});

describe("a batch", () => {
  it("is found in one turn, by name, place and role, or by EIN first", async () => {
    const fake = fakeRelease({ "530196605": [found(530_196_605)], b: [found(1)] });
    const app = createTestApp(fake.release);
    const properties = [
      { pid: "ein", v: "53-0196605" },
      { pid: "state", v: "NY" },
      { pid: "city", v: "Albany" },
    ];
    const queries = {
      q0: { query: "A", limit: 1 },
      q1: { query: "B", type: "funder", properties },
      q2: { query: "B", properties: [{ pid: "ein", v: "111111111" }] },
      q3: { properties: [{ pid: "city", v: "Albany" }] },
    };
    const { text } = await post(app, formOf(queries));
    expect(fake.turns).toStrictEqual([
      [
        { name: "a", limit: 2 },
        { name: "530196605", limit: 1 },
        { name: "b", state: "NY", place: "albany", role: "funder", limit: 10 },
        { name: "111111111", limit: 1 },
        { name: "b", limit: 10 },
      ],
    ]);
    const ids = Object.entries(JSON.parse(text) as Candidates).map(([key, { result }]) => [
      key,
      result.map(({ id }) => id),
    ]);
    expect(ids).toStrictEqual([
      ["q0", []],
      ["q1", ["530196605"]],
      ["q2", ["000000001"]],
      ["q3", []],
    ]);
  });

  it("has candidates with place, types and grants, the highest score first", async () => {
    const organizations = [
      found(1, { score: 70, match: "prefix", given: sum(2), received: sum(1_000), also: "POST 7" }),
      found(2, { score: 72, match: "words", city: null, received: sum(1) }),
      found(3, { score: 72, match: "typo", name: null, city: null, state: null }),
    ];
    const { q0 } = await reconcile(fakeRelease({ a: organizations }), { q0: { query: "a" } });
    const organization = { id: "organization", name: "Organization" };
    const funder = { id: "funder", name: "Funder" };
    const recipient = { id: "recipient", name: "Recipient" };
    expect(q0?.result).toStrictEqual([
      {
        ...{ id: "000000002", name: "ORGANIZATION 2", description: "NY; 1 grant received" },
        ...{ type: [organization, recipient], score: 72, match: false },
      },
      {
        ...{ id: "000000003", name: "EIN 00-0000003", description: "no grants" },
        ...{ type: [organization], score: 72, match: false },
      },
      {
        ...{ id: "000000001", name: "ORGANIZATION 1" },
        description: "POST 7; ALBANY, NY; 2 grants made, 1,000 grants received",
        ...{ type: [organization, funder, recipient], score: 70, match: false },
      },
    ]);
  });

  it.each([
    ["exact", 100, undefined, true],
    ["words", 90, undefined, true],
    ["words", 89.9, undefined, false],
    ["exact", 95, 92, true],
    ["exact", 95, 92.5, false],
    ["exact", 100, 100, false],
    ["prefix", 100, undefined, false],
    ["typo", 99, 10, false],
  ] as const)("matches %s with a score of %d, before one of %s: %s", async (match, score, second, isSure) => {
    const others = second === undefined ? [] : [found(2, { score: second })];
    const fake = fakeRelease({ a: [found(1, { match, score }), ...others] });
    for (const limit of [1, 10]) {
      const { q0 } = await reconcile(fake, { q0: { query: "a", limit } });
      expect(q0?.result.map((each) => each.match)).toStrictEqual(
        [isSure, false].slice(0, Math.min(limit, 1 + others.length)),
      );
    }
  });

  it.each([
    ["houston ballet", "HOUSTON BALLET FOUNDATION", false],
    ["houston ballet fund", "HOUSTON BALLET", false],
    ["houston ballet trust", "HOUSTON BALLET FOUNDATION TRUST", false],
    ["houston ballet fdn", "HOUSTON BALLET FOUNDATION", true],
    ["nm mesa", "MESA TO MESA", false],
    ["mt mesa", "MOUNT MESA", true],
    ["ballet in houston", "HOUSTON BALLET", true],
  ])("for %j, takes %s as sure: %s", async (query, name, isSure) => {
    const fake = fakeRelease({ [query]: [found(1, { name })] });
    const { q0 } = await reconcile(fake, { q0: { query } });
    expect(q0?.result.map((each) => each.match)).toStrictEqual([isSure]);
  });

  it("takes the organization of an EIN as sure, whatever its name", async () => {
    const fake = fakeRelease({ "000000001": [found(1, { name: "HOUSTON BALLET FOUNDATION" })] });
    const { q0 } = await reconcile(fake, {
      q0: { query: "ballet", properties: [{ pid: "ein", v: "000000001" }] },
    });
    expect(q0?.result[0]?.match).toBe(true);
  });

  it("keeps every key, and is not cached", async () => {
    const queries = JSON.parse('{"__proto__":{"query":"a"},"constructor":{"query":"a"},"":{"query":"a"}}');
    expect(Object.keys(await reconcile(fakeRelease({}), queries))).toStrictEqual(Object.keys(queries));
    const { headers } = await post(createTestApp(fakeRelease({}).release), formOf({}));
    expect(headers[headers.indexOf("Cache-Control") + 1]).toBe("no-store");
  });

  it("without a name or an EIN takes no turn", async () => {
    const fake = fakeRelease({});
    expect(await reconcile(fake, {})).toStrictEqual({});
    expect(await reconcile(fake, { q0: { query: " " } })).toStrictEqual({ q0: { result: [] } });
    expect(fake.turns).toStrictEqual([]);
  });

  it("may spell its form otherwise", async () => {
    const app = createTestApp(fakeRelease({ "café a": [found(1)] }).release);
    const expected = (await post(app, formOf({ q0: { query: "Café A" } }))).text;
    for (const form of [
      'queries={"q0":{"query":"Café A"}}',
      "&queries=%7B%22q0%22:%7B%22query%22:%22Caf%C3%A9+A%22%7D%7D&",
    ])
      expect((await post(app, form, "Application/X-WWW-Form-Urlencoded; charset=UTF-8")).text).toBe(expected);
  });

  it("is refused in the one error shape, with the place, the rule and the value", async () => {
    const app = createTestApp(fakeRelease({}).release);
    const batch = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`q${index}`, { query: "a" }]));
    const form = "application/x-www-form-urlencoded";
    for (const [body, type, status, code, message] of [
      [formOf(batch), form, 400, "invalid_parameter", "queries must have at most 50 queries, got 51"],
      ["queries={", form, 400, "invalid_parameter", 'queries must be a JSON object, got "{"'],
      ["queries=%FF", form, 400, "invalid_parameter", 'queries must be UTF-8 text, got "%FF"'],
      ["queries={}&queries={}", form, 400, "invalid_parameter", "queries must be given once, got 2 values"],
      [
        formOf({ q0: { query: "a", limit: -1 } }),
        ...[form, 400, "invalid_parameter"],
        'queries.q0.limit must be an integer of at least 1, got "-1"',
      ],
      [
        '{"q0":{"query":"a"}}',
        ...["application/json", 415, "unsupported_media_type"],
        'Content-Type must be application/x-www-form-urlencoded, got "application/json"',
      ],
      [
        `queries=${"a".repeat(65_529)}`,
        ...[form, 413, "content_too_large", "the body must be at most 65536 bytes"],
      ],
    ] as [string, string, number, string, string][]) {
      const answer = await post(app, body, type);
      const error = JSON.parse(answer.text);
      expect([answer.status, error.success, error.code, error.error]).toStrictEqual([
        status,
        false,
        code,
        message,
      ]);
    }
    expect((await post(app, `queries=${"a".repeat(65_528)}`)).status).toBe(400); // as long as allowed, but no JSON
  });

  it("counts as one search of its client", async () => {
    const log: Record<string, unknown>[] = [];
    const app = createTestApp(fakeRelease({}).release, (line) => log.push(JSON.parse(line)), {
      clients: new Clients({ searchesPerMinute: 1, trustedProxies: [] }, () => 0),
    });
    const form = formOf({ q0: { query: "a" }, q1: { query: "b" } });
    expect([(await post(app, form)).status, (await post(app, form)).status]).toStrictEqual([200, 429]);
    expect((await app.request(path)).status).toBe(200);
    expect(log).toMatchObject([
      { method: "POST", path, status: 200, answered_by: "search" },
      { method: "POST", path, status: 429, code: "rate_limited" },
      { method: "GET", path, status: 200 },
    ]);
  });
});

describe("suggestions", () => {
  const organizations = Array.from({ length: 25 }, (_, index) => found(index + 1, { given: sum(index) }));
  const suggest = async (of: string, query: string, fake = fakeRelease({ har: organizations })) => {
    const answer = await createTestApp(fake.release).request(`${path}/suggest/${of}?${query}`);
    const text = await answer.text();
    expect([answer.status, answer.headers.get("Cache-Control")], text).toStrictEqual([200, "no-store"]);
    return text;
  };
  const idsOf = (text: string) =>
    (JSON.parse(text) as { result: { id: string }[] }).result.map(({ id }) => id);

  it("are organizations, ten at a time", async () => {
    const eins = organizations.map(({ ein }) => ein);
    for (const cursor of [0, 10, 20, 30, 95, 1_000_000_000]) {
      const text = await suggest("entity", `prefix=Har&cursor=${cursor}&type_strict=any`);
      expectConforming("suggest-entities-response", text);
      expect(idsOf(text)).toStrictEqual(eins.slice(cursor, cursor + 10));
    }
  });

  it("are of one role, or none for no text, without a search", async () => {
    const fake = fakeRelease({});
    await suggest("entity", "prefix=A&type=recipient", fake);
    expect(await suggest("entity", "prefix=+", fake)).toBe('{"result":[]}\n');
    expect(fake.turns).toStrictEqual([[{ name: "a", role: "recipient", limit: 10 }]]);
  });

  it("are properties and types that start with the text", async () => {
    const cases = {
      property: ["ein", "state", "city", "role"],
      type: ["organization", "funder", "recipient"],
    };
    for (const [of, all] of Object.entries(cases)) {
      const text = await suggest(of, "prefix=");
      expectConforming(of === "type" ? "suggest-types-response" : "suggest-properties-response", text);
      expect(idsOf(text)).toStrictEqual(all);
    }
    expect(idsOf(await suggest("property", "prefix=CI"))).toStrictEqual(["city"]);
    expect(idsOf(await suggest("type", "prefix=x"))).toStrictEqual([]);
  });
});

describe("a preview", () => {
  const preview = (query: string, organization = found(131_635_294)) =>
    createTestApp(fakeRelease({ "131635294": [organization] }).release).request(`${path}/preview?${query}`, {
      headers: { host: "a.example" },
    });

  it("is a page that any site may frame and that loads nothing", async () => {
    const answer = await preview("id=13-1635294");
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "cache-control": "no-store",
      "content-security-policy": expect.stringMatching(
        /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; base-uri 'none'; form-action 'none'; frame-ancestors \*$/,
      ),
      "content-type": "text/html; charset=utf-8",
    });
    const text = await answer.text();
    expect(text).toContain(
      "<h1>ORGANIZATION 131635294</h1><p>EIN 13-1635294 · ALBANY, NY</p><p>No grants in the data</p>",
    );
    expect(text).not.toMatch(/<script|<img|<link/);
  });

  it("leads to the pages of its grants, and escapes its texts", async () => {
    const changes = {
      name: '<script>alert("&")</script>',
      also: "A < B",
      given: sum(2, 123_456_789n),
      received: sum(1),
    };
    const text = await (await preview("id=131635294", found(131_635_294, changes))).text();
    expect(text).toContain("<h1>&#60;script&#62;alert(&#34;&#38;&#34;)&#60;/script&#62;</h1>");
    expect(text).toContain("A &#60; B, ALBANY, NY");
    expect(text).toContain(
      '<a href="http://a.example/funder?ein=131635294" target="_blank" rel="noopener">2 grants, $1,234,567.89 made</a>',
    );
    expect(text).toContain(
      '<a href="http://a.example/recipient?ein=131635294" target="_blank" rel="noopener">1 grant, $1.00 received</a>',
    );
  });
});

it("the OpenAPI document describes the answers", async () => {
  const fake = fakeRelease({ a: [found(1, { given: sum(1) })] });
  const { schemas } = openapi.components;
  const resolve = (reference: string) =>
    schemas[reference.split("/").at(-1) as keyof typeof schemas] as JsonSchema;
  for (const [url, schema] of [
    [path, schemas.ReconcileAnswer],
    [path, schemas.ReconcileService],
    [`${path}?${formOf({ q0: { query: "a" } })}`, schemas.ReconcileResults],
    [`${path}/suggest/entity?prefix=a`, schemas.SuggestedOrganizations],
    [`${path}/suggest/property`, schemas.SuggestedTerms],
    [`${path}/suggest/type`, schemas.SuggestedTerms],
  ] as const) {
    const value = await (await createTestApp(fake.release).request(url)).json();
    expect(findProblems(schema, value, resolve), url).toStrictEqual([]);
  }
});
