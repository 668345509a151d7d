// Verifies that the files of names agree with the organizations and the funders of a release.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { formatList, lineEnd } from "../../api-static/contract/envelope.ts";
import { einPrefix, namesKey, parseNamesKey } from "../../api-static/contract/names.ts";
import { parts } from "../../api-static/release/layout.ts";
import type { Release } from "../../api-static/search/release.ts";
import type { Manifest } from "../releases/manifest.ts";
import { findNamedFunders } from "../releases/namedFunders.ts";
import { pageFilePath } from "../releases/pageFile.ts";

/** Checks all files of names. Each problem names the file. */
export async function findNamesProblems(release: Release, manifest: Manifest): Promise<string[]> {
  const keys = [...release.names];
  return [
    ...keys
      .filter((key) => parseNamesKey(key) === undefined)
      .map((key) => `${parts.names}: ${key} is not the key of a file of names`),
    ...(await findEinProblems(release, manifest, keys.length)),
  ];
}

/** Compares the files by EIN with the organizations. */
async function findEinProblems(
  release: Release,
  { names }: Manifest,
  expectedFiles: number,
): Promise<string[]> {
  const problems: string[] = [];
  let [prefix, lines, files, funders] = ["", [] as string[], 0, 0];
  const compare = () => {
    if (lines.length === 0) return;
    const key = namesKey(prefix);
    const body = formatList(Buffer.from(lines.map((line) => line + lineEnd).join("")));
    if (!release.names.has(key) || !readBody(release, key).equals(body))
      problems.push(`${key} differs from the organizations`);
    files += 1;
  };
  await findNamedFunders(release.folder, release.funders, ({ ein, line }) => {
    if (einPrefix(ein) !== prefix) {
      compare();
      [prefix, lines] = [einPrefix(ein), []];
    }
    lines.push(line.toString());
    funders += 1;
  });
  compare();
  if (files !== expectedFiles)
    problems.push(`${parts.names} has ${expectedFiles} EIN files, expected ${files}`);
  if (funders !== names.funders)
    problems.push(`${funders} funders have a name, the manifest says ${names.funders}`);
  return problems;
}

function readBody({ folder }: Release, key: string): Buffer {
  return gunzipSync(readFileSync(join(folder, pageFilePath(key))));
}
