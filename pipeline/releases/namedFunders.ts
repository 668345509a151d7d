// Finds the funders that have a name.
import { join } from "node:path";
import { findFunderRow, parts } from "../../api-static/release/layout.ts";
import { lineFeed, readLineBlocks } from "../base/lines.ts";

/** Where the nine digits of an organization's line start: after `{"ein":"`. */
const einStart = '{"ein":"'.length;
const einDigits = 9;

/** A funder of the release with its line in `organizations`, which has no line feed. */
export type NamedFunder = {
  readonly ein: string;
  readonly records: number;
  readonly line: Buffer;
  /** Where the line starts in `organizations`. */
  readonly start: number;
};

/**
 * Reads `organizations`, and calls `found` with each that is a funder, in order of EIN. Returns the number of all lines.
 * @throws Error if the last line is not whole
 */
export async function findNamedFunders(
  folder: string,
  funders: Buffer,
  found: (funder: NamedFunder) => void,
): Promise<number> {
  let [lines, blockStart] = [0, 0];
  for await (const block of readLineBlocks(join(folder, parts.organizations))) {
    for (let start = 0; start < block.length; lines += 1) {
      const end = block.indexOf(lineFeed, start);
      if (end < 0) throw new Error(`${parts.organizations} does not end with a whole line`);
      const ein = block.toString("latin1", start + einStart, start + einStart + einDigits);
      const row = findFunderRow(funders, Number(ein));
      if (row !== undefined) {
        const line = block.subarray(start, end);
        found({ ein, records: row.records, line, start: blockStart + start });
      }
      start = end + 1;
    }
    blockStart += block.length;
  }
  return lines;
}
