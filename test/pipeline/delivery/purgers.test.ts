// Tests what Cloudflare and CloudFront are asked to purge.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { purge } from "../../../pipeline/delivery/purgers.ts";
import { readPublishSettings } from "../../../pipeline/delivery/settings.ts";

type Asked = { readonly url: string; readonly token: string; readonly body: string };

let server: Server;
let asked: Asked[] = [];
let status = 200;

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { url = "", headers } = request;
    asked.push({ url, token: headers.authorization ?? "", body: Buffer.concat(chunks).toString() });
    response.writeHead(status, { "Content-Type": "application/json" }).end('{"success":true}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

afterAll(() => void server.close());

beforeEach(() => {
  asked = [];
  status = 200;
});

function purgeCloudflare(paths: readonly string[]): Promise<void> {
  const { port } = server.address() as AddressInfo;
  const environment = {
    TO: "s3://bucket",
    PURGE: "cloudflare",
    PURGE_URL: "https://grants.example.org/",
    CLOUDFLARE_ZONE: "zone1",
    CLOUDFLARE_API_TOKEN: "secret",
    CLOUDFLARE_API: `http://127.0.0.1:${port}/client/v4`,
  };
  return purge(readPublishSettings(environment, "TO").purge, paths, "once");
}

const listFunders = (count: number) =>
  Array.from({ length: count }, (_, index) => `/v1/funders/${131635294 + index}/*`);
const shared = ["/v1/history*", "/v1/funders/*/summary", "/v1/funders/*/peers", "/v1/recipients/*"];

it("asks Cloudflare to purge prefixes, tags and URLs, 100 of them per request", async () => {
  await purgeCloudflare([...shared, ...listFunders(120), "/funder.html", "/funder"]);
  expect(asked.map(({ url }) => url)).toEqual(Array(4).fill("/client/v4/zones/zone1/purge_cache"));
  expect(asked.map(({ token }) => token)).toEqual(Array(4).fill("Bearer secret"));
  const bodies = asked.map(({ body }) => JSON.parse(body) as Record<string, string[]>);
  const prefixes = ["history", "recipients/", ...listFunders(120).map((path) => path.slice(4, -1))];
  expect([...(bodies[0]?.prefixes ?? []), ...(bodies[1]?.prefixes ?? [])]).toEqual(
    prefixes.map((path) => `grants.example.org/v1/${path}`),
  );
  expect(bodies[0]?.prefixes).toHaveLength(100);
  const origin = "https://grants.example.org";
  expect(bodies.slice(2)).toEqual([
    { tags: ["summaries", "site"] },
    { files: [`${origin}/funder.html`, `${origin}/funder`] },
  ]);
});

it.each([
  ["everything is to be purged", ["/*"]],
  ["there are thousands of paths", listFunders(2_301)],
])("asks Cloudflare for the whole host if %s", async (_, paths) => {
  await purgeCloudflare(paths);
  expect(asked.map(({ body }) => JSON.parse(body))).toEqual([{ hosts: ["grants.example.org"] }]);
});

it("asks nobody if there is nothing to purge", async () => {
  await purgeCloudflare([]);
  await purgeCloudfront([]);
  expect(asked).toEqual([]);
});

it("fails if Cloudflare refuses", async () => {
  status = 403;
  await expect(purgeCloudflare(["/v1/names*"])).rejects.toThrow(/Cloudflare refused to purge \(403\)/);
});

async function purgeCloudfront(paths: readonly string[]): Promise<void> {
  status = 201;
  const { port } = server.address() as AddressInfo;
  process.env.AWS_ENDPOINT_URL_CLOUDFRONT = `http://127.0.0.1:${port}`;
  const environment = {
    ...{ TO: "s3://bucket", PURGE: "cloudfront", CLOUDFRONT_DISTRIBUTION: "E1" },
    ...{ AWS_ACCESS_KEY_ID: "test", AWS_SECRET_ACCESS_KEY: "testtest" },
  };
  try {
    await purge(readPublishSettings(environment, "TO").purge, paths, "reference 1").catch(() => {}); // the answer is not CloudFront's
  } finally {
    delete process.env.AWS_ENDPOINT_URL_CLOUDFRONT;
  }
}

it.each([
  [
    ["/v1/funders/*", "/v1/history*", "/v1/names*", "/v1/recipients/*"],
    [...shared, ...listFunders(3_000), "/v1/names*"],
  ],
  [
    ["/", "/docs", "/docs.html", "/index.html", "/openapi.json"],
    ["/docs.html", "/docs", "/index.html", "/", "/openapi.json"],
  ],
  [["/*"], ["/*"]],
])("asks CloudFront for few paths: %j", async (expected, paths) => {
  await purgeCloudfront(paths);
  expect(asked[0]?.url).toBe("/2020-05-31/distribution/E1/invalidation");
  const items = expected.map((path) => `<Path>${path}</Path>`).join("");
  expect(asked[0]?.body).toContain(`<Quantity>${expected.length}</Quantity><Items>${items}</Items>`);
  expect(asked[0]?.body).toContain("<CallerReference>reference 1</CallerReference>");
});
