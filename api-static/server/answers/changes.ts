// Answers with the index of the changes between releases, or with a file of changes, from the data folder.
import { readFile, stat } from "node:fs/promises";
import {
  type ChangesIndex,
  type ChangesRequest,
  changesIndexName,
  changesTypes,
  findChangesFile,
  parseChain,
} from "../../contract/changes.ts";
import { cacheBriefly, cacheForever } from "../../contract/headers.ts";
import { nothingHere } from "../../contract/refusals.ts";
import { chainPath } from "../../release/chain.ts";
import { digestBody } from "../../release/pageFileFormat.ts";
import { isAbsence } from "../../release/systemErrors.ts";
import type { Exchange } from "../http/exchange.ts";
import { type Content, prepare, prepareContent, prepareError, type Reply } from "../http/reply.ts";
import { answerFile, type FileContext } from "./download.ts";

/** Maximum bytes of an index: that of 60 days with a sync every ten minutes has less. */
const indexBytesMax = 8 * 2 ** 20;

/** The index, and its bytes as they are sent. */
export type ReadChain = { readonly chain: ChangesIndex; readonly content: Content };

/** The folder of changes. Its index is read again when it was replaced. */
export class ChangesFolder {
  readonly #data: string;
  #read: { readonly version: string; readonly found: ReadChain | undefined } | undefined;

  /** @param data the data folder */
  constructor(data: string) {
    this.#data = data;
  }

  /** The index; undefined if there is none, or it is damaged. @throws Error if it is too large */
  async read(): Promise<ReadChain | undefined> {
    const path = this.pathOf(changesIndexName);
    const found = await stat(path).catch((error: unknown) => {
      if (!isAbsence(error)) throw error;
    });
    if (found === undefined) return undefined;
    if (found.size > indexBytesMax) throw new Error(`${path} has more than ${indexBytesMax} bytes`);
    const version = `${found.ino} ${found.size} ${found.mtimeMs}`;
    if (this.#read?.version !== version) this.#read = { version, found: readContent(await readFile(path)) };
    return this.#read.found;
  }

  /** The path of a file with a name of the index. */
  pathOf(name: string): string {
    return chainPath(this.#data, name);
  }
}

function readContent(body: Buffer): ReadChain | undefined {
  const chain = parseChain(body.toString());
  return chain && { chain, content: { digest: digestBody(body), body } };
}

/** Answers from the index only, so that no path is made from a request's text. The changes are the same whatever release is pinned. */
export async function answerChanges(
  exchange: Exchange,
  { name }: ChangesRequest,
  changes: ChangesFolder,
  context: FileContext,
): Promise<Reply> {
  const read = await changes.read();
  if (read === undefined) return prepareError(exchange, nothingHere);
  if (name === changesIndexName) {
    const headers = { "Cache-Control": cacheBriefly };
    return prepareContent(exchange, read.content, { headers, isUntilSync: false });
  }
  const file = findChangesFile(read.chain, name);
  if ("code" in file) return prepareError(exchange, file);
  const about = {
    ...{ path: changes.pathOf(name), type: changesTypes[file.format] },
    ...{ size: file.bytes, digest: file.sha256 },
  };
  return answerFile(exchange, about, context, (headers, details) =>
    prepare(exchange, 200, { ...headers, "Cache-Control": cacheForever }, details),
  );
}
