// Checks a bucket, and what a CDN in front of it has if it keeps everything until it is purged.
import { hash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseChain } from "../../api-static/contract/answers/changes.ts";
import { parts } from "../../api-static/release/layout.ts";
import { releaseFolder } from "../../pipeline/releases/folders.ts";
import type { Store } from "../pipeline/base/bucket/store.fixture.ts";
import { check, keep } from "./checks.ts";

export const prefix = "live/";

/** The objects that a release's public files must be: their bytes by key. */
function readPublic(data: string, id: string): Map<string, Buffer> {
  const top = join(releaseFolder(data, id), parts.public);
  const files = new Map<string, Buffer>();
  for (const entry of readdirSync(top, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const key = path.slice(top.length + 1).replace(/\.json\.gz$/, ".json");
    if (entry.isFile() && !key.startsWith("v1/changes/")) files.set(key, readFileSync(path));
  }
  return files;
}

/** The path of the URL that a file answers, as purges name it. */
function urlOf(key: string): string {
  return `/${key.replace(/^(v1\/.*)\.json$/, "$1").replace(/(history)-.*$/, "$1")}`;
}

/** A CDN that has kept every file since it was last purged. */
export class Cache {
  #kept = new Map<string, Buffer>();

  purge(patterns: readonly string[]): void {
    const rules = patterns.map((pattern) => {
      const parts = pattern.split("*").map((part) => RegExp.escape(part));
      return new RegExp(`^${parts.join(".*")}$`);
    });
    for (const key of this.#kept.keys())
      if (rules.some((rule) => rule.test(urlOf(key)))) this.#kept.delete(key);
  }

  /** All that is kept is what the release has. */
  check(data: string, id: string): void {
    const files = readPublic(data, id);
    for (const [key, body] of this.#kept)
      check(!files.has(key) || files.get(key)?.equals(body) === true, `${key} was not purged`);
    this.#kept = files;
  }
}

/** A bucket has the files of a release, the changes and parts of kept releases and perhaps one more, and nothing else. */
export function checkBucket(store: Store, data: string, id: string): void {
  const keys = new Set([...store.objects.keys()].map((key) => key.slice(prefix.length)));
  const expect = (key: string, body: Buffer) => {
    const found = store.objects.get(prefix + key)?.body;
    check(
      found?.equals(body) === true,
      `${key} in the bucket is ${found === undefined ? "missing" : "wrong"}`,
    );
    keys.delete(key);
  };
  for (const [key, body] of readPublic(data, id)) expect(`public/${key}`, body);
  // A release that is published again, after a rollback, has the changes of then: they lead to it, too.
  const index = "public/v1/changes/index.json";
  const changes = parseChain(store.objects.get(prefix + index)?.body.toString() ?? "");
  check(changes?.current === id, `the changes in the bucket lead to ${changes?.current}`);
  for (const { url, sha256 } of changes?.entries.flatMap(({ files }) => files) ?? []) {
    const body = store.objects.get(`${prefix}public${url}`)?.body;
    check(body !== undefined && hash("sha256", body) === sha256, `${url} in the bucket is wrong or missing`);
    keys.delete(`public${url}`);
  }
  keys.delete(index);
  const folder = releaseFolder(data, id);
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isFile()) expect(`releases/${id}/${entry.name}`, readFileSync(join(folder, entry.name)));
  const read = (key: string) => JSON.parse(store.objects.get(prefix + key)?.body.toString() ?? "{}");
  check(read("public/v1/status").release === id, "the status names another release");
  const state = read("publish.json");
  check(state.release === id && state.publisher === null, `the bucket says ${JSON.stringify(state)}`);
  for (const key of ["public/v1/status", "publish.json"]) keys.delete(key);
  const others = [...keys].filter((key) => !key.startsWith("releases/") && !/^public\/assets\//.test(key));
  check(others.length === 0, `the bucket also has ${others.slice(0, 3).join(", ")}`);
  const kept = new Set([...keys].flatMap((key) => /^releases\/(\w+)/.exec(key)?.[1] ?? []));
  check(kept.size <= keep, `the bucket keeps parts of ${kept.size + 1} releases`);
  check(store.uploads.size === 0, "uploads in parts did not end");
}
