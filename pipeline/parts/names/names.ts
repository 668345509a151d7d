// Writes the files that name funders, by the first digits of their EINs.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { lineEnd, listParts } from "../../../api-static/contract/answers/envelope.ts";
import { einPrefix, namesKey } from "../../../api-static/contract/text/names.ts";
import { findFunderRow, formatNamesKeys, formatPageRow, parts } from "../../../api-static/release/layout.ts";
import { compressLines, formatStoredFile } from "../../../api-static/release/pageFileFormat.ts";
import { lineFeed, readLineBlocks } from "../../base/lines.ts";
import { type KnownFiles, makePageFolder, placePage } from "../pages/pageFiles.ts";

export type MadeNames = Awaited<ReturnType<typeof writeNames>>;

/**
 * Writes the files that name the funders of a release, and `names`. Without organizations there are no such files. Returns the rows of
 * the files by key, in the order of `names`, how many are links, the number of organizations, and that of funders with a name.
 * @param funders the funder table
 * @param onProgress called with the number of funders that have a file by EIN
 */
export async function writeNames(
  folder: string,
  funders: Buffer,
  known: KnownFiles | undefined,
  onProgress: (funders: number) => void,
) {
  const files: NamesFiles = { folder, known, rows: new Map(), linked: 0 };
  let organizations = 0;
  let named = 0;
  let prefix = "";
  let lines: Buffer[] = [];
  for await (const block of readLineBlocks(join(folder, parts.organizations)))
    for (const line of linesOf(block)) {
      organizations += 1;
      const ein = line.toString("latin1", einStart, einStart + einDigits);
      if (findFunderRow(funders, Number(ein)) === undefined) continue;
      if (einPrefix(ein) !== prefix) {
        placeNames(files, prefix, lines);
        prefix = einPrefix(ein);
        lines = [];
        onProgress(named);
      }
      lines.push(Buffer.from(line)); // a copy: the line is a part of a large block
      named += 1;
    }
  placeNames(files, prefix, lines);
  onProgress(named);
  const { rows, linked } = files;
  await writeFile(join(folder, parts.names), formatNamesKeys([...rows.keys()]));
  return { rows, linked, organizations, funders: named };
}

/** Where the nine digits of an organization's line start: after `{"ein":"`. */
const einStart = '{"ein":"'.length;
const einDigits = 9;

/** The lines of a block of `organizations`, without their line feeds. @throws Error if the last one is not whole */
function* linesOf(block: Buffer): Generator<Buffer> {
  for (let start = 0; start < block.length; ) {
    const end = block.indexOf(lineFeed, start);
    if (end < 0) throw new Error(`${parts.organizations} does not end with a whole line`);
    yield block.subarray(start, end);
    start = end + 1;
  }
}

/** The files of names that are written so far. */
type NamesFiles = {
  readonly folder: string;
  readonly known: KnownFiles | undefined;
  readonly rows: Map<string, Uint8Array>;
  linked: number;
};

/** Writes or links a file; does nothing if it has no lines. */
function placeNames(files: NamesFiles, prefix: string, lines: readonly Buffer[]): void {
  if (lines.length === 0) return;
  const key = namesKey(prefix);
  makePageFolder(files.folder, key);
  const body = Buffer.concat(lines.flatMap((line) => [line, Buffer.from(lineEnd)]));
  const stored = Buffer.concat(formatStoredFile(listParts(body), [compressLines(body)]).pieces);
  const row = formatPageRow(stored);
  if (placePage(files.folder, key, stored, row, files.known)) files.linked += 1;
  files.rows.set(key, row);
}
