// Tests that a failed request names its status and what to do about it.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Bucket } from "../../../../pipeline/base/bucket/bucket.ts";
import { readStoreSettings } from "../../../../pipeline/delivery/settings.ts";
import { testKeys } from "./store.fixture.ts";

/** Answers every request with the status that its key names, and a page of a proxy as body. */
const server = createServer((request, response) => {
  const [, status = 200] = /\/(\d{3})$/.exec(new URL(request.url ?? "", "http://store").pathname) ?? [];
  response.writeHead(Number(status), { "Content-Type": "text/html" }).end("<html>a proxy</html>");
});
let bucket: Bucket;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings = readStoreSettings({ ...testKeys, AWS_ENDPOINT_URL_S3: endpoint });
  bucket = new Bucket({ bucket: "grants", prefix: "" }, settings, { random: () => 0, sleep: async () => {} });
});

afterAll(() => {
  bucket.close();
  server.close();
});

describe("a host that is no store", () => {
  it("is named when it answers a list with a page", async () => {
    const failure = bucket.list().next();
    await expect(failure).rejects.toThrow("answered something that is no list of objects");
  });
});

describe("a request that fails without the store's words", () => {
  const requests = ["head", "get", "delete"] as const;

  it.each([
    [301, "the bucket is in another region. Set AWS_REGION"],
    [400, "the store refused the request. Check AWS_ENDPOINT_URL_S3, AWS_REGION and this machine's clock"],
    [403, "access is denied. Let these credentials list, read, write and delete objects there"],
    [501, "the store refused the request. Check AWS_ENDPOINT_URL_S3, AWS_REGION and this machine's clock"],
    [503, "the store did not answer, in several attempts. Run the command again later"],
  ])("says that its status is %d, and what to do", async (status, advice) => {
    for (const method of requests) {
      const failed = bucket[method](`${status}`);
      const start = `s3://grants/${status}: ${advice}. (status ${status}`;
      await expect(failed, method).rejects.toMatchObject({
        exitCode: 2,
        message: expect.stringContaining(start),
      });
      await expect(failed, method).rejects.not.toThrow(/Unknown/);
    }
  });

  it("counts as an absent object only if the status is 404", async () => {
    expect(await bucket.head("404")).toBeUndefined();
    expect(await bucket.get("404")).toBeUndefined();
  });
});
