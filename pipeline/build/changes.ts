// Owns what changed between two releases: which funders, and so which pages are written, linked or gone.
import { hash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { formatEin } from "../../api-static/contract/ein.ts";
import { countFunderPages, type PageGroup, pagesOfGroup } from "../../api-static/release/funderPages.ts";
import {
  digestBytes,
  type FunderRow,
  funderRowBytes,
  pageRowBytes,
  parts,
  readFunderRow,
  readSearchPages,
  type SearchPage,
} from "../../api-static/release/layout.ts";
import { isAbsence } from "../../api-static/release/systemErrors.ts";
import { DamagedError, InputError } from "../failure.ts";
import { readManifest } from "../releases/manifest.ts";

/** The tables of a release that tell what its funders have; read whole, they take some 50 bytes a funder and page. */
export type FunderTables = { readonly funders: Buffer; readonly funderDigests: Buffer };

/** The tables of a release that tell what page files it has. */
export type ReleaseTables = FunderTables & { readonly pages: Buffer; readonly searches: SearchRows };

/** The rows in `pages` of searches' page files, by their keys. */
export type SearchRows = ReadonlyMap<string, Uint8Array>;

/** The tables of no release. */
export const noTables: ReleaseTables = {
  funders: Buffer.alloc(0),
  funderDigests: Buffer.alloc(0),
  pages: Buffer.alloc(0),
  searches: new Map(),
};

export type FunderChange = "added" | "changed" | "removed" | "same";

/** Funders by what became of them. */
export type ChangeCounts = Readonly<Record<FunderChange, number>>;

/** A funder of one or both of two releases. */
export type FunderStep = {
  readonly change: FunderChange;
  readonly before: FunderRow | undefined;
  readonly after: FunderRow | undefined;
  /** Index of the funder's first page in the rows of `pages` of the release before. */
  readonly pagesBefore: number;
};

/** Pages of an earlier release that a new one takes over. */
export type KnownPages = {
  /** The earlier release's folder. */
  readonly folder: string;
  /** Its `pages`. */
  readonly rows: Uint8Array;
  /** For each funder of the new release: the index of its first page in `rows`, or -1 where it must be cut. */
  readonly starts: Int32Array;
};

/** Page files of searches that a new release takes over where they are the same. */
export type KnownSearchPages = { readonly folder: string; readonly rows: SearchRows };

/** The tables of a release; those of no release where one is missing or is not what was sealed. */
export async function readTables(folder: string): Promise<ReleaseTables> {
  try {
    const manifest = await readManifest(folder);
    const read = async (part: string) => {
      const bytes = await readFile(join(folder, part));
      if (hash("sha256", bytes) === manifest.parts[part]?.sha256) return bytes;
      throw new DamagedError(`${part} of ${folder} has other content than was sealed`);
    };
    const [funders, funderDigests, pages, searches] = await Promise.all([
      read(parts.funders),
      read(parts.funderDigests),
      read(parts.pages),
      read(parts.searches),
    ]);
    const searchPages = readSearchPages(searches.toString());
    return { funders, funderDigests, pages, searches: readSearchRows(searchPages, pages) };
  } catch (error) {
    if (error instanceof InputError || isAbsence(error)) return noTables;
    throw error;
  }
}

/** The rows of searches' page files, which are the last ones of `pages`. */
function readSearchRows(searches: readonly SearchPage[], pages: Buffer): SearchRows {
  const first = pages.length / pageRowBytes - searches.length;
  return new Map(
    searches.map(({ key }, index) => {
      const at = (first + index) * pageRowBytes;
      return [key, pages.subarray(at, at + pageRowBytes)];
    }),
  );
}

/** All funders of two releases in order of EIN; a funder is the same when its lines are. */
export function* compareFunders(before: FunderTables, after: FunderTables): Generator<FunderStep> {
  let [old, next, pagesBefore] = [0, 0, 0];
  for (;;) {
    const oldRow = rowAt(before.funders, old);
    const nextRow = rowAt(after.funders, next);
    if (oldRow === undefined && nextRow === undefined) return;
    const isInBoth = oldRow?.ein === nextRow?.ein;
    const takesOld = oldRow !== undefined && (isInBoth || nextRow === undefined || oldRow.ein < nextRow.ein);
    const takesNext = nextRow !== undefined && (isInBoth || !takesOld);
    const isSame = digestAt(before.funderDigests, old).equals(digestAt(after.funderDigests, next));
    const change = isInBoth ? (isSame ? "same" : "changed") : takesOld ? "removed" : "added";
    yield {
      change,
      before: takesOld ? oldRow : undefined,
      after: takesNext ? nextRow : undefined,
      pagesBefore,
    };
    if (takesOld) pagesBefore += countFunderPages(oldRow.records);
    if (takesOld) old += 1;
    if (takesNext) next += 1;
  }
}

/** The pages of the release in `folder` that a new release with these tables can take over. */
export function planKnownPages(folder: string, before: ReleaseTables, after: FunderTables): KnownPages {
  const starts = new Int32Array(after.funders.length / funderRowBytes);
  let next = 0;
  for (const step of compareFunders(before, after)) {
    if (step.after !== undefined) starts[next++] = step.change === "same" ? step.pagesBefore : -1;
  }
  return { folder, rows: before.pages, starts };
}

/** The rows of a group's pages if the earlier release has the same pages. */
export function findKnownPages(known: KnownPages, group: PageGroup): Uint8Array | undefined {
  const start = known.starts[group.funder] ?? -1;
  if (start < 0) return undefined;
  const first = start + countFunderPages(group.total, group.offset);
  return known.rows.subarray(first * pageRowBytes, (first + pagesOfGroup(group).length) * pageRowBytes);
}

/**
 * Writes what differs between two releases as JSON: funders added, changed and removed, and the URLs that a CDN should
 * purge.
 * @param before `noTables` if nothing is known of it: then everything is to be purged
 */
export async function writeChanges(
  path: string,
  before: FunderTables,
  after: FunderTables,
): Promise<ChangeCounts> {
  const counts = { added: 0, changed: 0, removed: 0, same: 0 };
  for (const { change } of compareFunders(before, after)) counts[change] += 1;
  const isChanged = counts.added + counts.changed + counts.removed > 0;
  /** Each list: what stands in it besides, and what it tells of a funder. */
  const lists: [string, readonly string[], (step: FunderStep) => string[]][] = [
    ["added", [], (step) => (step.change === "added" ? [einOf(step)] : [])],
    ["changed", [], (step) => (step.change === "changed" ? [einOf(step)] : [])],
    ["removed", [], (step) => (step.change === "removed" ? [einOf(step)] : [])],
    [
      "purge",
      before === noTables ? ["/v1/*"] : isChanged ? searchUrls : [],
      (step) => (step.change === "same" || before === noTables ? [] : [`/v1/funders/${einOf(step)}/*`]),
    ],
  ];
  const text = async function* () {
    yield "{";
    for (const [index, [name, besides, listOf]] of lists.entries()) {
      yield `${index === 0 ? "" : ","}\n"${name}":[`;
      let separator = "\n";
      for (const entry of besides) {
        yield `${separator}${JSON.stringify(entry)}`;
        separator = ",\n";
      }
      for (const step of compareFunders(before, after)) {
        for (const entry of listOf(step)) {
          yield `${separator}${JSON.stringify(entry)}`;
          separator = ",\n";
        }
      }
      yield "]";
    }
    yield "\n}\n";
  };
  await pipeline(Readable.from(text()), createWriteStream(path));
  return counts;
}

/** URLs whose responses change with any grant. (A search's response is the same with a page file as without one.) */
const searchUrls = ["/v1/history*", "/v1/recipients/*", "/v1/status"];

function einOf(step: FunderStep): string {
  return formatEin(step.after?.ein ?? step.before?.ein ?? 0);
}

function rowAt(funders: Buffer, index: number): FunderRow | undefined {
  return index * funderRowBytes < funders.length ? readFunderRow(funders, index) : undefined;
}

function digestAt(digests: Buffer, index: number): Buffer {
  return digests.subarray(index * digestBytes, (index + 1) * digestBytes);
}
