// Tests that a bucket of the store in memory and one of a real store behave alike.
import { mkdtemp, readFile, readlink, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CreateMultipartUploadCommand, S3Client } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  Bucket,
  ChangedObject,
  type ListedObject,
  sizeOfParts,
} from "../../../../pipeline/base/bucket/bucket.ts";
import { readStoreSettings } from "../../../../pipeline/delivery/settings.ts";
import { useRelease } from "../../../api-static/server/release.fixture.ts";
import { isInstalled } from "../../../programs.ts";
import { isWhole } from "../../../proofs.ts";
import { digestFolder, runCommand } from "../../release.fixture.ts";
import { Radosgw, type TestBucket } from "./radosgw.fixture.ts";
import { Store } from "./store.fixture.ts";

const served = useRelease({ sampleRows: 0 });

type Started = TestBucket & { stop(): Promise<void> };

const hasRadosgw = isInstalled("radosgw", "the conformance test on Ceph's S3 server");
if (!isWhole)
  console.log(
    "short form: the conformance test runs on the store in memory only; make proofs runs it on Ceph too",
  );

async function collect(objects: AsyncIterable<ListedObject>): Promise<ListedObject[]> {
  const listed: ListedObject[] = [];
  for await (const object of objects) listed.push(object);
  return listed;
}

const stores: [string, () => Promise<Started>, boolean][] = [
  ["the store in memory", () => Store.start(), true],
  ["Ceph's radosgw", () => Radosgw.start(), isWhole && hasRadosgw],
];

describe.each(stores)("a bucket of %s", (_, start, isRun) => {
  let store: Started;
  let bucket: Bucket;
  let folder = "";

  beforeAll(async () => {
    if (!isRun) return;
    store = await start();
    bucket = new Bucket({ bucket: store.bucket, prefix: "pre/fix/" }, readStoreSettings(store.environment));
    folder = await mkdtemp(join(tmpdir(), "bucket-"));
  });

  afterAll(async () => {
    if (!isRun) return;
    bucket.close();
    await store.stop();
    await rm(folder, { recursive: true });
  });

  const headers = {
    ContentType: "application/json; charset=utf-8",
    ContentEncoding: "gzip",
    CacheControl: "public, max-age=300",
    Metadata: { digest: "0123", "cache-tag": "funder-1" },
  };

  it.runIf(isRun)("keeps bodies and metadata under any key, and forgets what is deleted", async () => {
    for (const name of ["plain", "a b", "v1/history/purpose=a%20b%2Bc+d/100-0.json", "ü/é", "q?a=1&b=<2>"]) {
      const body = Buffer.from(`body of ${name}`);
      await bucket.put(name, body, headers);
      expect((await bucket.get(name))?.body.toString(), name).toBe(body.toString());
      expect(await bucket.head(name)).toEqual({ bytes: body.length, metadata: headers.Metadata });
      const listed = await collect(bucket.list(name));
      expect(listed).toMatchObject([
        { name, bytes: body.length, etag: expect.stringMatching(/^[0-9a-f]{32}$/) },
      ]);
      await bucket.delete(name);
      await bucket.delete(name);
      expect(await bucket.get(name)).toBeUndefined();
      expect(await bucket.head(name)).toBeUndefined();
    }
  });

  it.runIf(isRun)("writes a state only if nobody else changed it", async () => {
    const write = (text: string, etag?: string) =>
      bucket.putIfSame("state", Buffer.from(text), { ContentType: "text/plain" }, etag);
    const first = await write("1");
    await expect(write("other")).rejects.toThrow(ChangedObject);
    const second = await write("2", first);
    await expect(write("3", first)).rejects.toThrow(ChangedObject);
    expect((await bucket.get("state"))?.body.toString()).toBe("2");
    // A write whose response was lost is repeated with the old ETag.
    expect(await write("2", first)).toBe(second);
    await bucket.delete("state");
    await expect(write("4", second)).rejects.toThrow(ChangedObject);
  });

  it.runIf(isRun)("reads an object only in the version that was listed", async () => {
    await bucket.put("read", Buffer.from("first"), headers);
    const [listed] = await collect(bucket.list("read"));
    const path = join(folder, "read");
    expect(await bucket.download("read", path, listed?.etag)).toBe(true);
    expect(await readFile(path, "utf8")).toBe("first");
    await bucket.put("read", Buffer.from("second"), headers);
    await expect(bucket.download("read", path, listed?.etag)).rejects.toThrow(ChangedObject);
    expect(await bucket.download("none", path)).toBe(false);
  });

  it.runIf(isRun)("lists all objects, page by page", async () => {
    if (store instanceof Store) store.pageSize = 3;
    const count = store instanceof Store ? 10 : 1_005;
    const names = Array.from({ length: count }, (_, index) => `listed/${String(index).padStart(4, "0")}`);
    for (let at = 0; at < count; at += 48)
      await Promise.all(names.slice(at, at + 48).map((name) => bucket.put(name, Buffer.from("x"), headers)));
    const listed = await collect(bucket.list("listed/"));
    expect(listed.map(({ name }) => name)).toEqual(names);
    expect(await collect(bucket.list("none/"))).toEqual([]);
  });

  it.runIf(isRun)("uploads a large file in parts, and aborts uploads that did not end", async () => {
    const body = Buffer.alloc(sizeOfParts(0) + 1_000_000, "large ");
    const path = join(folder, "large");
    await writeFile(path, body);
    await bucket.upload("parts/large", path, body.length, headers);
    expect((await bucket.get("parts/large"))?.body.equals(body)).toBe(true);
    expect((await bucket.head("parts/large"))?.metadata).toEqual(headers.Metadata);
    const { endpoint = "", region = "", credentials } = readStoreSettings(store.environment);
    const client = new S3Client({
      endpoint,
      region,
      forcePathStyle: true,
      ...(credentials && { credentials }),
    });
    const place = { Bucket: store.bucket, Key: "pre/fix/parts/left" };
    await client.send(new CreateMultipartUploadCommand(place));
    client.destroy();
    expect(await bucket.abortUploads("parts/")).toBe(1);
    expect(await bucket.abortUploads("parts/")).toBe(0);
  });

  // publish.test.ts and pull.test.ts do this on the store in memory.
  it.runIf(isRun && isWhole)("holds a release that another machine pulls", async () => {
    const address = `s3://${store.bucket}/release`;
    const published = await runCommand(["publish"], {
      ...store.environment,
      TO: address,
      DATA: served().data,
    });
    expect(published.code, published.stderr).toBe(0);
    const data = join(folder, "data");
    const pulled = await runCommand(["pull"], { ...store.environment, FROM: address, DATA: data });
    expect(pulled.code, pulled.stderr).toBe(0);
    const release = join(data, await readlink(join(data, "current")));
    expect(await digestFolder(release)).toEqual(await digestFolder(served().folder));
  });
});
