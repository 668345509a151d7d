// Publishes the changes between releases to a bucket, and pulls them.
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { changesFolder, changesIndexName, parseChain } from "../../api-static/contract/changes.ts";
import { chainPath, readChain } from "../../api-static/release/chain.ts";
import { digestFile, digestIfPresent } from "../base/digests.ts";
import { InputError } from "../base/failure.ts";
import { flushPath, makeFolder, replaceFile } from "../base/files.ts";
import type { Bucket } from "../bucket/bucket.ts";
import { formatChain, nameOf } from "../releases/changes/chain.ts";
import { buildFolder } from "../releases/folders.ts";
import { headersOf, publicStart } from "./objects.ts";

/** Where the changes are in a bucket. */
export const changesStart = `${publicStart}${changesFolder}/`;

/** What a bucket's changes need to become those of a data folder. */
type ChainPlan = {
  readonly index: Buffer;
  /** Files to upload, and their sizes. */
  readonly files: readonly { readonly name: string; readonly bytes: number }[];
  /** Objects that the index does not name any more. */
  readonly others: readonly string[];
};

/** Compares the changes of a data folder with those in a bucket; undefined if the folder has no index. */
export async function planChain(bucket: Bucket, data: string): Promise<ChainPlan | undefined> {
  const chain = await readChain(data);
  if (chain === undefined) return undefined;
  const stored = new Map<string, number>();
  for await (const { name, bytes } of bucket.list(changesStart))
    stored.set(name.slice(changesStart.length), bytes);
  const all = new Map(chain.entries.flatMap(({ files }) => files.map((file) => [nameOf(file), file.bytes])));
  return {
    index: Buffer.from(formatChain(chain)),
    files: [...all].flatMap(([name, bytes]) => (stored.get(name) === bytes ? [] : [{ name, bytes }])),
    others: [...stored.keys()].filter((name) => !all.has(name) && name !== changesIndexName),
  };
}

/**
 * Makes a bucket hold the changes of a data folder: files before the index that names them, and files that it no longer names are
 * deleted last.
 */
export async function publishChain(bucket: Bucket, data: string): Promise<void> {
  const plan = await planChain(bucket, data);
  if (plan === undefined) return;
  const headers = (name: string) => headersOf(`${changesFolder}/${name}`);
  for (const { name, bytes } of plan.files)
    await bucket.upload(changesStart + name, chainPath(data, name), bytes, headers(name));
  await bucket.put(changesStart + changesIndexName, plan.index, headers(changesIndexName));
  for (const name of plan.others) await bucket.delete(changesStart + name);
}

/**
 * Makes a data folder hold the changes of a bucket. Does nothing if the bucket has no index, or the folder has the same.
 * @throws InputError if a file is not what the index says; the folder then keeps its own index
 */
export async function pullChain(bucket: Bucket, data: string): Promise<void> {
  const text = (await bucket.get(changesStart + changesIndexName))?.body.toString() ?? "";
  const chain = parseChain(text);
  const own = await readChain(data);
  if (chain === undefined || (own !== undefined && formatChain(own) === text)) return;
  const draft = join(buildFolder(data), "changes");
  await makeFolder(buildFolder(data));
  for (const file of chain.entries.flatMap(({ files }) => files)) {
    const name = nameOf(file);
    if ((await digestIfPresent(chainPath(data, name)))?.sha256 === file.sha256) continue;
    const isThere = await bucket.download(changesStart + name, draft);
    if (!isThere || (await digestFile(draft)).sha256 !== file.sha256)
      throw new InputError(`${changesStart}${name} in the bucket is not what its index says`);
    await flushPath(draft);
    await rename(draft, chainPath(data, name));
  }
  await replaceFile(chainPath(data, changesIndexName), text);
}
