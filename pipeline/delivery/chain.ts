// Publishes the changes between releases to a bucket, and pulls them.
import { rename } from "node:fs/promises";
import { join } from "node:path";
import {
  type ChangesFile,
  type ChangesIndex,
  changesFolder,
  changesIndexName,
  parseChain,
} from "../../api-static/contract/answers/changes.ts";
import { chainPath, readChain } from "../../api-static/release/chain.ts";
import type { Bucket } from "../base/bucket/bucket.ts";
import { digestFile, digestIfPresent } from "../base/digests.ts";
import { InputError } from "../base/failure.ts";
import { flushPath, makeFolder, replaceFile } from "../base/files.ts";
import { formatChain, nameOf, removeOthers } from "../releases/changes/chain.ts";
import { buildFolder } from "../releases/folders.ts";
import { headersOf, publicStart } from "./objects.ts";

/** Where the changes are in a bucket. */
export const changesStart = `${publicStart}${changesFolder}/`;

/**
 * Makes a bucket hold the changes of a data folder: files before the index that names them, and files that it no longer names are
 * deleted last. Files are compared by the digests in both indexes, and by the sizes of the objects.
 * @param isForced to upload all files
 */
export async function publishChain(bucket: Bucket, data: string, isForced: boolean): Promise<void> {
  const chain = await readChain(data);
  if (chain === undefined) return;
  const stored = new Map<string, number>();
  for await (const { name, bytes } of bucket.list(changesStart))
    stored.set(name.slice(changesStart.length), bytes);
  const named = parseChain((await bucket.get(changesStart + changesIndexName))?.body.toString() ?? "");
  const digests = new Map(filesOf(named).map((file) => [nameOf(file), file.sha256]));
  const headers = (name: string) => headersOf(`${changesFolder}/${name}`);
  for (const file of filesOf(chain)) {
    const name = nameOf(file);
    const isStored = stored.get(name) === file.bytes && digests.get(name) === file.sha256;
    stored.delete(name);
    if (isForced || !isStored)
      await bucket.upload(changesStart + name, chainPath(data, name), file.bytes, headers(name));
  }
  await bucket.put(
    changesStart + changesIndexName,
    Buffer.from(formatChain(chain)),
    headers(changesIndexName),
  );
  stored.delete(changesIndexName);
  for (const name of stored.keys()) await bucket.delete(changesStart + name);
}

function filesOf(chain: ChangesIndex | undefined): ChangesFile[] {
  return chain?.entries.flatMap(({ files }) => files) ?? [];
}

/**
 * Makes a data folder hold the changes of a bucket, and no others. Does nothing if the bucket has no index.
 * @throws InputError if a file is not what the index says; the folder then keeps its own index
 */
export async function pullChain(bucket: Bucket, data: string): Promise<void> {
  const text = (await bucket.get(changesStart + changesIndexName))?.body.toString() ?? "";
  const chain = parseChain(text);
  if (chain === undefined) return;
  const own = await readChain(data);
  if (own === undefined || formatChain(own) !== text) await pullEntries(bucket, data, chain, text);
  await removeOthers(data, chain.entries);
}

async function pullEntries(bucket: Bucket, data: string, chain: ChangesIndex, text: string): Promise<void> {
  const draft = join(buildFolder(data), "changes");
  await makeFolder(buildFolder(data));
  for (const file of filesOf(chain)) {
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
