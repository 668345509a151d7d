// Verifies page files in a worker thread, block by block.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { storedEnding } from "../../api-static/contract/pageKeys.ts";
import { groupsOfBlock, type PageGroup, pagesOfGroup } from "../../api-static/release/funderPages.ts";
import { formatPageRow, pageRowBytes, parts } from "../../api-static/release/layout.ts";
import { isAbsence } from "../../api-static/release/systemErrors.ts";
import { readOrder, takeBlocks } from "../blocks.ts";
import { listIfPresentSync } from "../files.ts";
import { keysOfBlock, type VerifiedBlock, type VerifyOrder } from "./pages.ts";

const order = readOrder<VerifyOrder>();
const funders = Buffer.from(order.funders.buffer, order.funders.byteOffset, order.funders.byteLength);
const rows = Buffer.from(order.rows.buffer, order.rows.byteOffset, order.rows.byteLength);
takeBlocks(order, verifyBlock);

function verifyBlock(block: number): VerifiedBlock {
  const listedBlock = block - (order.starts.length - 1);
  return listedBlock < 0 ? verifyFunders(block) : verifyListed(listedBlock);
}

function verifyFunders(block: number): VerifiedBlock {
  const problems: string[] = [];
  let page = order.starts[block] ?? 0;
  for (const group of groupsOfBlock(funders, block)) {
    if (group.offset === 0) problems.push(...findUnexpectedFiles(group));
    for (const { key } of pagesOfGroup(group)) problems.push(...verifyPage(key, page++));
  }
  return { pages: page - (order.starts[block] ?? 0), problems };
}

function verifyListed(block: number): VerifiedBlock {
  const first = (order.starts.at(-1) ?? 0) + block * keysOfBlock;
  const keys = order.keys.slice(block * keysOfBlock, (block + 1) * keysOfBlock);
  return { pages: keys.length, problems: keys.flatMap((key, index) => verifyPage(key, first + index)) };
}

/** Problems of one page file. `page` is the index of its row. */
function verifyPage(key: string, page: number): string[] {
  const path = join(parts.public, key + storedEnding);
  const stored = readIfPresent(join(order.folder, path));
  const at = page * pageRowBytes;
  if (stored === undefined) return [`${path} is missing`];
  if (formatPageRow(stored).compare(rows, at, at + pageRowBytes) === 0) return [];
  return [`${path} has unexpected content`];
}

/** Names in a funder's folder that are not page files of the funder. */
function findUnexpectedFiles({ ein, total }: PageGroup): string[] {
  const pages = pagesOfGroup({ ein, total, offset: 0, records: total });
  const paths = new Set(pages.map(({ key }) => join(parts.public, key + storedEnding)));
  const folder = dirname(join(parts.public, pages[0]?.key ?? ""));
  return listIfPresentSync(join(order.folder, folder))
    .map((name) => join(folder, name))
    .filter((path) => !paths.has(path))
    .map((path) => `${path} is not part of the release`);
}

function readIfPresent(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}
