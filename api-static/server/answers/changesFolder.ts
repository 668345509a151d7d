// Reads the index of the changes between releases from the data folder.
import { readFile, stat } from "node:fs/promises";
import { type ChangesIndex, changesIndexName, parseChain } from "../../contract/answers/changes.ts";
import { chainPath } from "../../release/chain.ts";
import { digestBody } from "../../release/pageFileFormat.ts";
import { isAbsence } from "../../release/systemErrors.ts";
import type { Content } from "../http/reply.ts";

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
