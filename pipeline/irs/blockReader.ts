// Reads blocks of a source into files of JSON lines: the work of one thread.
import { join } from "node:path";
import { LineFile } from "./lineFile.ts";
import type { OpenSource } from "./members.ts";
import { IdRangeError } from "./objectIds.ts";
import { addRows, type Lines } from "./rows.ts";
import { MemberError } from "./zipMember.ts";

/** What a block had. */
export type BlockResult = {
  /** Bytes in the source. */
  readonly bytes: number;
  readonly returns: number;
  /** Bytes of XML. */
  readonly xmlBytes: number;
  /** Why the run must end: grants that cannot have an id. */
  readonly refusal?: string;
};

/** Reads the block, and writes its lines of JSON into `folder`: `returns-7.ndjson` and `grants-7.ndjson` for block 7. */
export function readBlock(source: OpenSource, block: number, folder: string): BlockResult {
  const lines: Lines = {
    returns: new LineFile(join(folder, `returns-${block}.ndjson`)),
    grants: new LineFile(join(folder, `grants-${block}.ndjson`)),
  };
  let [returns, xmlBytes] = [0, 0];
  try {
    for (const member of source.read(block)) {
      returns += 1;
      if (!(member.content instanceof MemberError)) xmlBytes += member.content.length;
      try {
        addRows(member, lines);
      } catch (error) {
        if (!(error instanceof IdRangeError)) throw error;
        return { bytes: 0, returns, xmlBytes, refusal: `"${member.name}": ${error.message}` };
      }
    }
    return { bytes: source.bytesOf(block), returns, xmlBytes };
  } finally {
    lines.returns.close();
    lines.grants.close();
  }
}
