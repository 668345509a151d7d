// Reads a block of a source into lines of JSON.
import type { OpenSource } from "./members.ts";
import { IdRangeError } from "./objectIds.ts";
import { addRows, type Lines } from "./rows.ts";
import { MemberError } from "./zipMember.ts";

/** Counts of a block. */
export type BlockResult = {
  /** Bytes in the source. */
  readonly bytes: number;
  readonly returns: number;
  /** Bytes of XML. */
  readonly xmlBytes: number;
  /** Why the run must end: grants that cannot have an id. */
  readonly refusal?: string;
};

/** Reads the block, and adds its lines to `lines`. */
export function readBlock(source: OpenSource, block: number, lines: Lines): BlockResult {
  let [returns, xmlBytes] = [0, 0];
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
}
