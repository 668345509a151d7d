// Reads blocks of a source into files of JSON lines: the work of one thread.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
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

/** Bytes of lines that are kept before they are written, roughly. */
const linesMax = 20_000;

/** Names of the files of lines of a block. */
const linesNames = (block: number) =>
  ({ returns: `returns-${block}.ndjson`, grants: `grants-${block}.ndjson` }) as const;

/** Reads the block, and writes its lines into `folder`. */
export function readBlock(source: OpenSource, block: number, folder: string): BlockResult {
  const lines: Lines = { returns: [], grants: [] };
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
    if (lines.returns.length + lines.grants.length > linesMax) writeLines(lines, block, folder);
  }
  writeLines(lines, block, folder);
  return { bytes: source.bytesOf(block), returns, xmlBytes };
}

function writeLines(lines: Lines, block: number, folder: string): void {
  const names = linesNames(block);
  for (const kind of ["returns", "grants"] as const) {
    if (lines[kind].length > 0) appendFileSync(join(folder, names[kind]), `${lines[kind].join("\n")}\n`);
    lines[kind].length = 0;
  }
}
