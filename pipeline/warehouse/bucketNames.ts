// Selects the objects of a bucket that a warehouse's address names, by the rules that hold for files.
import { join } from "node:path";
import { parseAddress } from "../base/bucket/address.ts";
import { isHidden, parseSegment } from "../base/paths.ts";

/** The part of an object that decides whether it is selected. */
export type NamedObject = { readonly name: string; readonly bytes: number };

/** The segments of a path in a bucket. */
export function splitName(path: string): string[] {
  return path.split("/").filter((segment) => segment !== "");
}

/** The path in the cache of an address; any other setting unchanged. */
export function cachedPath(cache: string, setting: string): string {
  const place = parsePlace(setting);
  return place === undefined ? setting : join(cache, place.bucket, place.path);
}

/** The bucket of an address and the path in it; undefined if it is none. */
export function parsePlace(address: string): { readonly bucket: string; readonly path: string } | undefined {
  const [, bucket = "", path = ""] = /^s3:\/\/([^/]+)\/*(.*)$/s.exec(address) ?? [];
  return parseAddress(`s3://${bucket}`) && { bucket, path: splitName(path).join("/") };
}

/** What every selected name starts with, so that only these objects are listed. */
export function literalStart(path: string): string {
  const segments = splitName(path);
  const glob = segments.findIndex((segment) => /[*?[]/.test(segment));
  return segments.slice(0, glob < 0 ? segments.length : glob).join("/");
}

/**
 * The objects that a path names: one object, all `*.parquet` objects below a folder, or what a glob matches. Markers of folders
 * are skipped, and so is everything below `_temporary` and other names that start with "_" or ".".
 * @param setting the name of the setting that the path comes from, for messages
 */
export function selectObjects<Listed extends NamedObject>(
  setting: string,
  path: string,
  objects: readonly Listed[],
): Listed[] {
  const files = objects.filter(({ name }) => !name.endsWith("/"));
  const wanted = splitName(path);
  const literal = files.filter(({ name }) => {
    const segments = splitName(name);
    return (
      wanted.every((segment, index) => segment === segments[index]) && isSelected(segments, wanted.length)
    );
  });
  if (literal.length > 0) return literal;
  const pattern = wanted.map((segment) => (segment === "**" ? "**" : parsePattern(setting, segment)));
  return files.filter(({ name }) => matches(pattern, splitName(name), 0));
}

type Pattern = "**" | ((name: string) => boolean);

function parsePattern(setting: string, segment: string): Pattern {
  const expression = parseSegment(setting, segment);
  return (name) => expression.test(name) && (!isHidden(name) || name[0] === segment[0]);
}

/** True if the pattern matches the name, or a folder above it. @param at segments of the name that are matched already */
function matches(pattern: readonly Pattern[], segments: readonly string[], at: number): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return isSelected(segments, at);
  const name = segments[at];
  if (first === "**") {
    if (matches(rest, segments, at)) return at < segments.length;
    return (
      name !== undefined && at < segments.length - 1 && !isHidden(name) && matches(pattern, segments, at + 1)
    );
  }
  return name !== undefined && first(name) && matches(rest, segments, at + 1);
}

/** True for a matched object itself, and for Parquet files below a matched folder. */
function isSelected(segments: readonly string[], matched: number): boolean {
  const below = segments.slice(matched);
  if (below.length === 0) return true;
  return !below.some(isHidden) && (below.at(-1) ?? "").toLowerCase().endsWith(".parquet");
}
