// Selects the objects of a bucket that a warehouse's address names, by the rules that hold for files.
import { join } from "node:path";
import { parseAddress } from "../base/bucket/address.ts";
import { isHidden, segmentPattern } from "../base/paths.ts";

/** The pattern of a name that is not hidden. */
const visible = "(?![._])[^/]+";

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
export function selectObjects<Listed extends { readonly name: string }>(
  setting: string,
  path: string,
  objects: readonly Listed[],
): Listed[] {
  const wanted = splitName(path);
  const select = (tops: string, isBelow = false) => {
    const names = new RegExp(`^${tops}(?:(?:${visible}/)+(?<=(?i:\\.parquet)/))${isBelow ? "" : "?"}$`, "su");
    return objects.filter(
      ({ name }) => !name.endsWith("/") && names.test([...splitName(name), ""].join("/")),
    );
  };
  const literal = select(wanted.map((segment) => `${RegExp.escape(segment)}/`).join(""));
  if (literal.length > 0) return literal;
  const patterns = wanted.map((segment) => {
    if (segment === "**") return `(?:${visible}/)*`;
    return `${isHidden(segment) ? "" : "(?![._])"}${segmentPattern(setting, segment)}/`;
  });
  return select(patterns.join(""), wanted.at(-1) === "**");
}
