// Tests what Cloudflare and CloudFront are asked to purge.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { openPurger } from "../../../pipeline/publish/purgers.ts";
import { readPublishSettings } from "../../../pipeline/publish/settings.ts";

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

function openCloudflare() {
  const { port } = server.address() as AddressInfo;
  const environment = {
    PURGE: "cloudflare",
    PURGE_URL: "https://grants.example.org/",
    CLOUDFLARE_ZONE: "zone1",
    CLOUDFLARE_API_TOKEN: "secret",
    CLOUDFLARE_API: `http://127.0.0.1:${port}/client/v4`,
  };
  return openPurger(readPublishSettings(environment).purge);
}

it("asks Cloudflare to purge prefixes and URLs, 30 of them per request", async () => {
  const urls = Array.from({ length: 40 }, (_, index) => `/v1/funders/${131635294 + index}/summary`);
  await openCloudflare().purge(["/v1/history*", "/v1/funders/131635293/*", ...urls], "once");
  expect(asked.map(({ url }) => url)).toEqual(Array(3).fill("/client/v4/zones/zone1/purge_cache"));
  expect(asked.map(({ token }) => token)).toEqual(Array(3).fill("Bearer secret"));
  const bodies = asked.map(({ body }) => JSON.parse(body));
  expect(bodies[0]).toEqual({
    prefixes: ["grants.example.org/v1/history", "grants.example.org/v1/funders/131635293/"],
  });
  expect([...bodies[1].files, ...bodies[2].files]).toEqual(
    urls.map((path) => `https://grants.example.org${path}`),
  );
  expect(bodies[1].files.length).toBe(30);
});

it("asks Cloudflare for one prefix if there are thousands of URLs", async () => {
  const urls = Array.from({ length: 3_001 }, (_, index) => `/v1/funders/${100000000 + index}/summary`);
  await openCloudflare().purge([...urls, "/funder"], "once");
  expect(asked.map(({ body }) => JSON.parse(body))).toEqual([
    { prefixes: ["grants.example.org/v1/"] },
    { files: ["https://grants.example.org/funder"] },
  ]);
});

it("fails if Cloudflare refuses", async () => {
  status = 403;
  await expect(openCloudflare().purge(["/v1/status"], "once")).rejects.toThrow(
    /Cloudflare refused to purge \(403\)/,
  );
});

it.each([
  ["/v1/*", ["/v1/history*", "/v1/status"]],
  ["/*", ["/v1/history*", "/funder"]],
])("asks CloudFront for one path: %s", async (path, paths) => {
  status = 201;
  const { port } = server.address() as AddressInfo;
  process.env.AWS_ENDPOINT_URL_CLOUDFRONT = `http://127.0.0.1:${port}`;
  const environment = {
    ...{ PURGE: "cloudfront", CLOUDFRONT_DISTRIBUTION: "E1" },
    ...{ AWS_ACCESS_KEY_ID: "test", AWS_SECRET_ACCESS_KEY: "testtest" },
  };
  try {
    await openPurger(readPublishSettings(environment).purge)
      .purge(paths, "reference 1")
      .catch(() => {}); // the answer is not CloudFront's
  } finally {
    delete process.env.AWS_ENDPOINT_URL_CLOUDFRONT;
  }
  expect(asked[0]?.url).toBe("/2020-05-31/distribution/E1/invalidation");
  expect(asked[0]?.body).toContain(`<Quantity>1</Quantity><Items><Path>${path}</Path></Items>`);
  expect(asked[0]?.body).toContain("<CallerReference>reference 1</CallerReference>");
});
