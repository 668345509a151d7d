// Compares two releases: which funders changed, which page files can be linked, and which URLs a CDN should purge.
import { hash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { formatEin } from "../../api-static/contract/ein.ts";
import { keyPath } from "../../api-static/contract/pageKeys.ts";
import { countFunderPages, type PageGroup, pagesOfGroup } from "../../api-static/release/funderPages.ts";
import {
  digestBytes,
  type FunderRow,
  funderRowBytes,
  pageRowBytes,
  parts,
  readFunderRow,
  readNamesKeys,
  readSearchPages,
} from "../../api-static/release/layout.ts";
import { isAbsence } from "../../api-static/release/systemErrors.ts";
import { DamagedError, InputError } from "../base/failure.ts";
import { readManifest } from "../releases/manifest.ts";

/** The tables of a release that describe its funders: about 30 bytes per funder. */
export type FunderTables = { readonly funders: Buffer; readonly funderDigests: Buffer };

/** What `changes.json` is made from: the tables of funders, the digest of the organizations, and the rows of files of names. */
export type ComparedTables = FunderTables & { readonly organizations: string; readonly names: PageRows };

/** The tables of a release that it is compared by, and those of its page files. */
export type ReleaseTables = ComparedTables & {
  readonly pages: Buffer;
  readonly searches: PageRows;
};

/** Rows of `pages` by page key. */
export type PageRows = ReadonlyMap<string, Uint8Array>;

/** Empty tables: there is no previous release, or its tables cannot be read. */
export const noTables: ReleaseTables = {
  funders: Buffer.alloc(0),
  funderDigests: Buffer.alloc(0),
  organizations: "",
  names: new Map(),
  pages: Buffer.alloc(0),
  searches: new Map(),
};

export type FunderChange = "added" | "changed" | "removed" | "same";

/** The number of funders with each kind of change. */
export type ChangeCounts = Readonly<Record<FunderChange, number>>;

/** A funder that one or both of two releases have. */
export type FunderStep = {
  readonly change: FunderChange;
  readonly before: FunderRow | undefined;
  readonly after: FunderRow | undefined;
  /** Index of the funder's first row in `pages` of the previous release. */
  readonly pagesBefore: number;
};

/** Page files of an earlier release that a new one can link. */
export type KnownPages = {
  /** The earlier release's folder. */
  readonly folder: string;
  /** The table `pages` of that release. */
  readonly rows: Uint8Array;
  /** For each funder of the new release: the index of its first row in `rows`, or -1 if its pages must be cut. */
  readonly starts: Int32Array;
};

/** Page files of searches, or files of names, of an earlier release. A new one links them if they have the same bytes. */
export type KnownFiles = { readonly folder: string; readonly rows: PageRows };

/** Reads the tables of a release. Returns `noTables` if one is missing or differs from its sealed digest. */
export async function readTables(folder: string): Promise<ReleaseTables> {
  try {
    const manifest = await readManifest(folder);
    const read = async (part: string) => {
      const bytes = await readFile(join(folder, part));
      if (hash("sha256", bytes) === manifest.parts[part]?.sha256) return bytes;
      throw new DamagedError(`${part} of ${folder} does not match its sealed digest`);
    };
    const [funders, funderDigests, pages, searches, names] = await Promise.all([
      read(parts.funders),
      read(parts.funderDigests),
      read(parts.pages),
      read(parts.searches),
      read(parts.names),
    ]);
    const searchKeys = readSearchPages(searches.toString()).map(({ key }) => key);
    const namesKeys = readNamesKeys(names.toString());
    const firstOfNames = pages.length / pageRowBytes - namesKeys.length;
    return {
      funders,
      funderDigests,
      organizations: manifest.parts[parts.organizations]?.sha256 ?? "",
      pages,
      searches: readPageRows(pages, searchKeys, firstOfNames - searchKeys.length),
      names: readPageRows(pages, namesKeys, firstOfNames),
    };
  } catch (error) {
    if (error instanceof InputError || isAbsence(error)) return noTables;
    throw error;
  }
}

/** The rows of files with these keys, from row `first` of `pages` on. */
function readPageRows(pages: Buffer, keys: readonly string[], first: number): PageRows {
  return new Map(
    keys.map((key, index) => {
      const at = (first + index) * pageRowBytes;
      return [key, pages.subarray(at, at + pageRowBytes)];
    }),
  );
}

/** Compares all funders of two releases, in order of EIN. A funder is the same if its digests are equal. */
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

/** Finds the page files of an earlier release that a new release with these tables can link. */
export function planKnownPages(
  { folder, tables: before }: { readonly folder: string; readonly tables: ReleaseTables },
  after: FunderTables,
): KnownPages {
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
 * @param before `noTables` if there is no previous release or it cannot be read: everything must then be purged
 */
export async function writeChanges(
  path: string,
  before: ComparedTables,
  after: ComparedTables,
): Promise<ChangeCounts> {
  const counts = { added: 0, changed: 0, removed: 0, same: 0 };
  for (const { change } of compareFunders(before, after)) counts[change] += 1;
  const isChanged = counts.added + counts.changed + counts.removed > 0;
  const changedUrls = [
    ...(isChanged ? searchUrls : []),
    ...(before.organizations === after.organizations ? [] : ["/v1/organizations/*"]),
    ...findChangedKeys(before.names, after.names).map(keyPath),
  ];
  /** Each list: its name, its first entries, and its entries for a funder. */
  const lists: [string, readonly string[], (step: FunderStep) => string[]][] = [
    ["added", [], (step) => (step.change === "added" ? [einOf(step)] : [])],
    ["changed", [], (step) => (step.change === "changed" ? [einOf(step)] : [])],
    ["removed", [], (step) => (step.change === "removed" ? [einOf(step)] : [])],
    [
      "purge",
      before === noTables ? ["/v1/*"] : changedUrls,
      (step) => (step.change === "same" || before === noTables ? [] : [`/v1/funders/${einOf(step)}/*`]),
    ],
  ];
  const text = async function* () {
    yield "{";
    for (const [index, [name, firstEntries, listOf]] of lists.entries()) {
      yield `${index === 0 ? "" : ","}\n"${name}":[`;
      let separator = "\n";
      for (const entry of firstEntries) {
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

/**
 * URLs whose responses change with any grant: even a funder's summary, which counts the grants that it received, and
 * its peers, which depend on the recipients of other funders. (A search's response is the same with a page file as without
 * one.)
 */
const searchUrls = [
  "/v1/history*",
  "/v1/funders/*/summary",
  "/v1/funders/*/peers",
  "/v1/recipients/*",
  "/v1/status",
];

/** The keys whose files differ, and those that only one release has, sorted. */
function findChangedKeys(before: PageRows, after: PageRows): string[] {
  const isSame = (key: string) => {
    const [old, next] = [before.get(key), after.get(key)];
    return old !== undefined && next !== undefined && Buffer.compare(old, next) === 0;
  };
  return [...new Set([...before.keys(), ...after.keys()])].filter((key) => !isSame(key)).sort();
}

function einOf(step: FunderStep): string {
  return formatEin(step.after?.ein ?? step.before?.ein ?? 0);
}

function rowAt(funders: Buffer, index: number): FunderRow | undefined {
  return index * funderRowBytes < funders.length ? readFunderRow(funders, index) : undefined;
}

function digestAt(digests: Buffer, index: number): Buffer {
  return digests.subarray(index * digestBytes, (index + 1) * digestBytes);
}
