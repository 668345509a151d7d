// Tests that the bucket policy in deploy/s3 grants what a publish and a pull request, and nothing else.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Progress } from "../../../pipeline/base/progress.ts";
import { pull } from "../../../pipeline/delivery/pull.ts";
import { activateRelease } from "../../../pipeline/releases/current.ts";
import { readDocument } from "../../docs/markdown.fixture.ts";
import { Store, type StoreRequest } from "../base/bucket/store.fixture.ts";
import { spread, syncHere } from "../trust.fixture.ts";
import { useFolder, useParquet } from "../warehouse/warehouse.fixture.ts";
import { openBucket, prefix, publishHere } from "./publish.fixture.ts";

type Statement = {
  readonly Effect: string;
  readonly Principal: { readonly AWS?: string | string[]; readonly Service?: string };
  readonly Action: string | string[];
  readonly Resource: string;
};

const statements: Statement[] = JSON.parse(readDocument("deploy/s3/bucket-policy.json")).Statement;

/** "action resource" of all that the policy allows to a role. */
function findGranted(role: string): string[] {
  const own = statements.filter(({ Principal }) =>
    [Principal.AWS ?? []].flat().some((arn) => arn.endsWith(`:role/${role}`)),
  );
  return own
    .flatMap(({ Action, Resource }) => [Action].flat().map((action) => `${action} ${Resource}`))
    .sort();
}

const [wholeBucket, ownObjects] = ["arn:aws:s3:::grants", "arn:aws:s3:::grants/live/*"];

/** "action resource" that S3 wants for a request (https://docs.aws.amazon.com/AmazonS3/latest/API/, section of each request). */
function findNeeded(store: Store, { method, key, query }: StoreRequest): string[] {
  const parameters = new URLSearchParams(query);
  if (key === "") {
    expect(parameters.get("prefix")).toMatch(/^live\//);
    return [`s3:ListBucket${parameters.has("uploads") ? "MultipartUploads" : ""} ${wholeBucket}`];
  }
  expect(key.startsWith(prefix)).toBe(true);
  if (method === "PUT" || method === "POST") return [`s3:PutObject ${ownObjects}`];
  if (method === "DELETE")
    return [`s3:${parameters.has("uploadId") ? "AbortMultipartUpload" : "DeleteObject"} ${ownObjects}`];
  // S3 answers 404 only to those who may list the bucket.
  const isAbsent = !store.objects.has(key);
  return [`s3:GetObject ${ownObjects}`, ...(isAbsent ? [`s3:ListBucket ${wholeBucket}`] : [])];
}

const folder = useFolder();
const { put } = useParquet(folder);
let root = "";
let store: Store;
let needed = new Set<string>();

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "policy-"));
  store = await Store.start();
  store.onRequest = (request) => {
    for (const text of findNeeded(store, request)) needed.add(text);
  };
});

afterAll(async () => {
  await store.stop();
  await rm(root, { recursive: true });
});

async function pullHere(): Promise<void> {
  const bucket = openBucket(store);
  const progress = new Progress({ write: () => true }, () => 0);
  const settings = { data: join(root, "pulled"), keep: 3, isForced: false, memory: "1GB", threads: 1 };
  await pull(bucket, settings, progress).finally(() => bucket.close());
}

describe("the bucket policy", () => {
  it("lets a role publish and a role pull, and grants nothing that they do not use", async () => {
    const data = join(root, "data");
    await expect(pullHere()).rejects.toThrow("holds no published release");
    const neededToPull = needed;
    needed = new Set();
    const make = async (rows: number) => {
      const warehouse = await put("../warehouse.parquet", spread(10), `FROM range(${rows}) t(i)`);
      return (await syncHere(warehouse, data, { MAX_FALL: "100" })).split("/").at(-1) ?? "";
    };
    const [first, second] = [await make(30), await make(25)];
    await activateRelease(data, first);
    await publishHere(store, data);
    store.uploads.set("left", { key: `${prefix}releases/left`, headers: {}, parts: new Map() });
    await activateRelease(data, second);
    await publishHere(store, data, { keep: 1 });
    expect(findGranted("grants-publish")).toEqual([...needed].sort());
    needed = neededToPull;
    await pullHere();
    expect(findGranted("grants-pull")).toEqual([...needed].sort());
  });

  it("lets CloudFront read the public files only", () => {
    const own = statements.filter(({ Principal }) => Principal.Service === "cloudfront.amazonaws.com");
    expect(own).toMatchObject([
      {
        Action: "s3:GetObject",
        Resource: "arn:aws:s3:::grants/live/public/*",
        Condition: { StringEquals: { "AWS:SourceArn": expect.stringContaining(":distribution/") } },
      },
    ]);
  });
});
