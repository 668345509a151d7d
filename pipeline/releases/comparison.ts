// Compares a release with earlier ones: which funders and files differ, and which URLs a CDN should purge.
import { downloadsFolder, parseDownloadKey } from "../../api-static/contract/downloads.ts";
import { formatEin } from "../../api-static/contract/ein.ts";
import { cleanPath, isHashedPath } from "../../api-static/contract/sitePaths.ts";
import { digestBytes } from "../../api-static/contract/storedPage.ts";
import { countFunderPages } from "../../api-static/release/funderPages.ts";
import { type FunderRow, funderRowBytes, readFunderRow } from "../../api-static/release/layout.ts";
import type { FileRows, FunderTables, ReleaseTables } from "./tables.ts";

/** A funder of a release. */
export type Funder = FunderRow & {
  /** The digest of its records. */
  readonly digest: Buffer;
  /** Index of the funder's first row in `pages`. */
  readonly firstPage: number;
};

/** A funder that at least one of the compared releases has. */
export type FunderStep = {
  readonly ein: number;
  /** Undefined in releases that do not have the funder. */
  readonly after: Funder | undefined;
  /** The funder in each of the earlier releases. */
  readonly before: readonly (Funder | undefined)[];
};

export type FunderChange = "added" | "changed" | "removed" | "same";

/** The number of funders with each kind of change. */
export type ChangeCounts = Readonly<Record<FunderChange, number>>;

/** What differs between a release and earlier ones. */
export type Difference = {
  /** EINs of funders, ascending. */
  readonly added: readonly number[];
  readonly changed: readonly number[];
  readonly removed: readonly number[];
  /** Paths of the URLs whose responses differ; "*" stands for any text. */
  readonly purge: readonly string[];
  readonly counts: ChangeCounts;
};

/** Compares the funders of a release with those of earlier ones, in order of EIN. */
export function* compareFunders(
  after: FunderTables,
  earlier: readonly FunderTables[],
): Generator<FunderStep> {
  const readers = [after, ...earlier].map(readFunders);
  const next = readers.map((reader) => reader.next().value);
  for (;;) {
    const eins = next.flatMap((funder) => funder?.ein ?? []);
    if (eins.length === 0) return;
    const ein = Math.min(...eins);
    const [own, ...before] = next.map((funder) => (funder?.ein === ein ? funder : undefined));
    yield { ein, after: own, before };
    for (const [index, reader] of readers.entries())
      if (next[index]?.ein === ein) next[index] = reader.next().value;
  }
}

function* readFunders({ funders, funderDigests }: FunderTables): Generator<Funder, undefined> {
  let firstPage = 0;
  for (let index = 0; index < funders.length / funderRowBytes; index++) {
    const row = readFunderRow(funders, index);
    const digest = funderDigests.subarray(index * digestBytes, (index + 1) * digestBytes);
    yield { ...row, digest, firstPage };
    firstPage += countFunderPages(row.records);
  }
}

/** How a funder differs from earlier releases. Equal digests mean equal records. */
export function findChange({ after, before }: FunderStep): FunderChange {
  if (after === undefined) return "removed";
  if (before.every((funder) => funder === undefined)) return "added";
  return before.every((funder) => funder?.digest.equals(after.digest)) ? "same" : "changed";
}

/**
 * Compares a release with earlier ones.
 * @param earlier releases that caches may have responses of. If there are none, nothing is known, and everything is to be purged
 */
export function compareReleases(after: ReleaseTables, earlier: readonly ReleaseTables[]): Difference {
  const eins = { added: [], changed: [], removed: [] } as Record<Exclude<FunderChange, "same">, number[]>;
  let same = 0;
  for (const step of compareFunders(after, earlier)) {
    const change = findChange(step);
    if (change === "same") same += 1;
    else eins[change].push(step.ein);
  }
  const { added, changed, removed } = eins;
  const differing = [added, changed, removed].flat().sort((one, other) => one - other);
  const purge = earlier.length === 0 ? ["/*"] : listPurges(differing, after, earlier);
  const counts = { added: added.length, changed: changed.length, removed: removed.length, same };
  return { added, changed, removed, purge, counts };
}

/** Responses that depend on the grants of all funders. A search's response is the same with and without a page file. */
const sharedPaths = [
  "/v1/history*",
  "/v1/funders/*/summary",
  "/v1/funders/*/peers",
  "/v1/recipients/*",
  "/v1/grants/*",
  "/v1/organizations*",
];

/** Responses that other parts answer. */
const partPaths = {
  // Those of a grant change only with the list of organizations, or with the grant's own record: a state that was filed anew for an
  // unchanged record shows when the next night's responses replace the cached ones.
  places: ["/v1/history*", "/v1/funders/*", "/v1/recipients/*"],
  matches: ["/v1/recipients/*"],
  organizations: ["/v1/organizations*"],
};

/**
 * The status and the report also differ, but caches keep them for seconds only.
 * @param eins of the funders that differ
 */
function listPurges(
  eins: readonly number[],
  after: ReleaseTables,
  earlier: readonly ReleaseTables[],
): string[] {
  const keys = findDifferent(
    after.files,
    earlier.map(({ files }) => files),
  );
  const kinds = Object.keys(partPaths) as (keyof typeof partPaths)[];
  const others = kinds.filter((kind) => earlier.some((tables) => tables[kind] !== after[kind]));
  const paths = [...(eins.length === 0 ? [] : sharedPaths), ...others.flatMap((kind) => partPaths[kind])];
  return [
    ...new Set(paths),
    ...eins.map((ein) => `/v1/funders/${formatEin(ein)}/*`),
    ...(keys.some((key) => key.startsWith("v1/names/")) ? ["/v1/names/*"] : []),
    ...(keys.some((key) => parseDownloadKey(key)) ? [`/${downloadsFolder}/*`] : []),
    ...keys.flatMap(listSitePaths),
  ];
}

/** The URL paths of a file of the site. Assets have none to purge, because their names hold a hash of their content. */
function listSitePaths(key: string): string[] {
  const path = `/${key}`;
  if (path.startsWith("/v1/") || isHashedPath(path)) return [];
  const page = cleanPath(path);
  return page === undefined ? [path] : [path, page];
}

/** The keys of the files that differ between a release and earlier ones, sorted. */
function findDifferent(after: FileRows, earlier: readonly FileRows[]): string[] {
  const keys = new Set([after, ...earlier].flatMap((rows) => [...rows.keys()]));
  return [...keys].filter((key) => !earlier.every((rows) => isSameRow(rows.get(key), after.get(key)))).sort();
}

/** True if both files exist and have the same bytes. */
export function isSameRow(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  return one !== undefined && other !== undefined && Buffer.compare(one, other) === 0;
}

/** The text of `changes.json`, line by line: that of many funders is longer than a string may be. */
export function* formatDifference({ added, changed, removed, purge }: Difference): Generator<string> {
  let start = "{";
  for (const [name, list] of Object.entries({ added, changed, removed, purge })) {
    yield `${start}\n "${name}": [`;
    for (const [index, item] of list.entries())
      yield `${index === 0 ? "" : ","}\n  ${JSON.stringify(typeof item === "number" ? formatEin(item) : item)}`;
    yield list.length === 0 ? "]" : "\n ]";
    start = ",";
  }
  yield "\n}\n";
}
