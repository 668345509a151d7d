// Checks what must hold after every night: a whole release, pages that equal records, changes that add up. Each throws what is wrong.
import { hash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { type ChangesIndex, changesUrl, findPath } from "../../api-static/contract/answers/changes.ts";
import { readChain } from "../../api-static/release/chain.ts";
import { parts } from "../../api-static/release/layout.ts";
import { listReleases, releaseFolder } from "../../pipeline/releases/folders.ts";
import { readManifest } from "../../pipeline/releases/manifest.ts";
import { findFileProblems } from "../../pipeline/verify/files.ts";
import { checkRelease } from "../../pipeline/verify/verify.ts";

/** What a data folder may hold between two runs. */
const ownNames =
  /^(changes|current|releases|sync\.lock|rollbacks\.json|rollback-changes\.json|purge\.txt|pull-share\.txt|verify-spill-\w+)$/;

/** Releases that are kept. */
export const keep = 3;

export function check(isRight: boolean, problem: string): void {
  if (!isRight) throw new Error(problem);
}

/** The id of the current release. */
export function readCurrent(data: string): string {
  return readlinkSync(join(data, "current")).split("/").at(-1) ?? "";
}

/** The lines of all records of a release, without their line ends. */
export function readLines(folder: string): string[] {
  return readFileSync(join(folder, parts.records), "utf8").split(",\n").slice(0, -1);
}

/** All files of a release are as they were sealed, and its records are these lines. */
export async function checkServed(data: string, id: string, lines: readonly string[]): Promise<void> {
  const folder = releaseFolder(data, id);
  const problems = await findFileProblems(folder, await readManifest(folder), 0, () => {});
  check(problems.length === 0, `release ${id}: ${problems.slice(0, 3).join("; ")}`);
  const found = readLines(folder);
  const wrong = found.findIndex((line, index) => line !== lines[index]);
  check(wrong === -1, `release ${id}: record ${found[wrong]} must be ${lines[wrong]}`);
  check(found.length === lines.length, `release ${id} has ${found.length} of ${lines.length} records`);
}

/** The contents of a release agree with each other, too. */
export function checkContent(data: string, id: string): Promise<void> {
  return checkRelease(releaseFolder(data, id), { memory: "500MB", threads: 1, spillFolder: "" }, () => {});
}

/** The page files of a release by path below `public`, made from its lines in another way than the pipeline does. */
export function listPages(lines: readonly string[]): Map<string, string> {
  const byFunder = Map.groupBy(lines, (line) => /"funder_ein":"(\d+)"/.exec(line)?.[1] ?? "");
  const pages = new Map<string, string>();
  for (const [ein, own] of byFunder)
    for (const limit of own.length > 100 ? [100, 1000] : [100])
      for (let offset = 0; offset < own.length; offset += limit) {
        const data = own.slice(offset, offset + limit).join(",\n");
        const body = `{"success":true,"data":[\n${data}\n],"total":${own.length},"limit":${limit},"offset":${offset}}\n`;
        pages.set(`v1/funders/${ein}/history-${limit}-${offset}.json`, body);
      }
  return pages;
}

/** A release has these pages of funders, and no others. */
export function checkPages(data: string, id: string, lines: readonly string[]): void {
  const top = join(releaseFolder(data, id), parts.public);
  const pages = listPages(lines);
  const names = readdirSync(join(top, "v1/funders"), { recursive: true }).map(String);
  check(names.filter((name) => name.endsWith(".gz")).length === pages.size, `release ${id} has other pages`);
  for (const [path, body] of pages)
    check(gunzipSync(readFileSync(join(top, `${path}.gz`))).toString() === body, `${path} of ${id} is wrong`);
}

/**
 * Nothing is left of earlier runs, and the releases that are kept are whole.
 * @param known the lines of each release
 * @param isTidy if nothing failed: otherwise old releases may stay until the next one is made
 */
export async function checkFolder(
  data: string,
  known: ReadonlyMap<string, readonly string[]>,
  isTidy: boolean,
): Promise<void> {
  const others = readdirSync(data).filter((name) => !ownNames.test(name));
  check(others.length === 0, `${data} also has ${others.join(", ")}`);
  const kept = await listReleases(data);
  check(!isTidy || kept.length <= keep, `${kept.length} releases are kept`);
  for (const id of kept) await checkServed(data, id, known.get(id) ?? readLines(releaseFolder(data, id)));
  const chain = await readChain(data);
  check(chain?.current === readCurrent(data), `the changes lead to ${chain?.current}`);
  const named = new Set<string>();
  for (const { url, sha256 } of chain?.entries.flatMap(({ files }) => files) ?? []) {
    const name = url.split("/").at(-1) ?? "";
    named.add(name);
    const path = join(data, "changes", name);
    check(existsSync(path) && hash("sha256", readFileSync(path)) === sha256, `${path} is wrong or missing`);
  }
  const files = readdirSync(join(data, "changes")).filter((name) => name !== "index.json");
  check(files.length === named.size, `the changes have ${files.join(", ")}`);
  const link = join(data, "current/public/v1/changes/index.json");
  check(existsSync(link), "the release does not link the changes");
}

/** A copy of all records that applies the changes of each night. */
export class Mirror {
  #release: string | undefined;
  #lines = new Map<string, string>();

  /** @returns false if the changes do not lead on from the copy, which then starts again */
  follow(data: string, chain: ChangesIndex, lines: readonly string[]): boolean {
    const path = findPath(chain, this.#release);
    this.#release = chain.current;
    const idOf = (line: string) => /"id":(\d+)/.exec(line)?.[1] ?? "";
    if (path === undefined) {
      this.#lines = new Map(lines.map((line) => [idOf(line), line]));
      return false;
    }
    for (const entry of path) this.#apply(join(data, "current/public", changesUrl(entry, "ndjson.gz")));
    const own = [...this.#lines.values()].sort().join("\n");
    check(
      own === [...lines].sort().join("\n"),
      `yesterday's records and the changes are not those of ${chain.current}`,
    );
    return true;
  }

  #apply(path: string): void {
    for (const text of gunzipSync(readFileSync(path)).toString().split("\n").slice(0, -1)) {
      const id = /"id":(\d+)/.exec(text)?.[1] ?? "";
      const record = /"record":(\{.*\})\}$/.exec(text)?.[1];
      if (record === undefined) check(this.#lines.delete(id), `the changes remove ${id}, which is not there`);
      else this.#lines.set(id, record);
    }
  }
}
