// Answers with the index of the changes between releases, or with a file of changes, from the data folder.
import {
  type ChangesRequest,
  changesIndexName,
  changesTypes,
  findChangesFile,
} from "../../contract/changes.ts";
import { cacheBriefly, cacheForever } from "../../contract/headers.ts";
import { nothingHere } from "../../contract/refusals.ts";
import { prepare, prepareContent, prepareError, type Reply } from "../http/reply.ts";
import type { Asked } from "./asked.ts";
import { answerFile } from "./download.ts";

/** Answers from the index only, so that no path is made from a request's text. The changes are the same whatever release is pinned. */
export async function answerChanges(asked: Asked, { name }: ChangesRequest): Promise<Reply> {
  const { exchange } = asked;
  const { changes } = asked.context;
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
  return answerFile(asked, about, "changes", (headers, details) =>
    prepare(exchange, 200, { ...headers, "Cache-Control": cacheForever }, details),
  );
}
