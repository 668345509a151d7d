// Compares a release with an earlier one: which funders and files differ, and which URLs a CDN should purge.
import { downloadsFolder, parseDownloadKey } from "../../api-static/contract/answers/downloads.ts";
import { digestBytes } from "../../api-static/contract/answers/storedPage.ts";
import { formatEin } from "../../api-static/contract/ein.ts";
import { cleanPath, isHashedPath } from "../../api-static/contract/sitePaths.ts";
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

/** A funder of one of two releases, or of both. */
export type FunderStep = {
  readonly ein: number;
  readonly after: Funder | undefined;
  readonly before: Funder | undefined;
};

type FunderChange = "added" | "changed" | "removed" | "same";

/** Compares the funders of a release with those of an earlier one, if there is one, in order of EIN. */
export function* compareFunders(after: FunderTables, before?: FunderTables): Generator<FunderStep> {
  const readers = { after: readFunders(after), before: readFunders(before) };
  const next = { after: readers.after.next().value, before: readers.before.next().value };
  while (next.after !== undefined || next.before !== undefined) {
    const ein = Math.min(next.after?.ein ?? Infinity, next.before?.ein ?? Infinity);
    const step: FunderStep = {
      ein,
      after: next.after?.ein === ein ? next.after : undefined,
      before: next.before?.ein === ein ? next.before : undefined,
    };
    yield step;
    if (step.after !== undefined) next.after = readers.after.next().value;
    if (step.before !== undefined) next.before = readers.before.next().value;
  }
}

function* readFunders(tables: FunderTables | undefined): Generator<Funder, undefined> {
  if (tables === undefined) return;
  const { funders, funderDigests } = tables;
  let firstPage = 0;
  for (let index = 0; index < funders.length / funderRowBytes; index++) {
    const row = readFunderRow(funders, index);
    const digest = funderDigests.subarray(index * digestBytes, (index + 1) * digestBytes);
    yield { ...row, digest, firstPage };
    firstPage += countFunderPages(row.records);
  }
}

/** How a funder changed. Equal digests mean equal records. */
export function findChange({ after, before }: FunderStep): FunderChange {
  if (after === undefined) return "removed";
  if (before === undefined) return "added";
  return before.digest.equals(after.digest) ? "same" : "changed";
}

/**
 * Compares a release with an earlier one. Returns the EINs of funders with each kind of change, ascending, and the number of funders; and
 * the paths of the URLs whose responses differ, where "*" stands for any text.
 * @param before the release that caches may have responses of. Without it, nothing is known, and everything is to be purged
 */
export function compareReleases(after: ReleaseTables, before: ReleaseTables | undefined) {
  const eins = { added: [], changed: [], removed: [] } as Record<Exclude<FunderChange, "same">, number[]>;
  let same = 0;
  for (const step of compareFunders(after, before)) {
    const change = findChange(step);
    if (change === "same") same += 1;
    else eins[change].push(step.ein);
  }
  const { added, changed, removed } = eins;
  const differing = [added, changed, removed].flat().sort((one, other) => one - other);
  const purge = before === undefined ? ["/*"] : listPurges(differing, after, before);
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
  // Those of a grant change only with the list of organizations, or with the grant's own record: a place that was filed anew for an
  // unchanged record shows when the next night's responses replace the cached ones.
  places: ["/v1/history*", "/v1/funders/*", "/v1/recipients/*"],
  matches: ["/v1/history*", "/v1/recipients/*"], // a filter by the recipient's cause looks at likely recipients
  organizations: ["/v1/organizations*", "/v1/names*"],
};

/**
 * The status and the report also differ, but caches keep them for seconds only.
 * @param eins of the funders that differ
 */
function listPurges(eins: readonly number[], after: ReleaseTables, before: ReleaseTables): string[] {
  const keys = findDifferent(after.files, before.files);
  const kinds = Object.keys(partPaths) as (keyof typeof partPaths)[];
  const others = kinds.filter((kind) => before[kind] !== after[kind]);
  const paths = [...(eins.length === 0 ? [] : sharedPaths), ...others.flatMap((kind) => partPaths[kind])];
  if (keys.some((key) => key.startsWith("v1/names/"))) paths.push("/v1/names*");
  return [
    ...new Set(paths),
    ...eins.map((ein) => `/v1/funders/${formatEin(ein)}/*`),
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

/** The keys of the files that differ between two releases, sorted. */
function findDifferent(after: FileRows, before: FileRows): string[] {
  const keys = new Set([...after.keys(), ...before.keys()]);
  return [...keys].filter((key) => !isSameRow(before.get(key), after.get(key))).sort();
}

/** True if both files exist and have the same bytes. */
export function isSameRow(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  return one !== undefined && other !== undefined && Buffer.compare(one, other) === 0;
}

/** The text of `changes.json`, line by line: that of many funders is longer than a string may be. */
export function* formatDifference(difference: ReturnType<typeof compareReleases>): Generator<string> {
  const { added, changed, removed, purge } = difference;
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
