// Verifies that the files of names agree with the organizations and the funders of a release.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Ein } from "../../api-static/contract/ein.ts";
import { formatList, lineEnd } from "../../api-static/contract/envelope.ts";
import { namesMax } from "../../api-static/contract/limits.ts";
import {
  einPrefix,
  namesKey,
  parseNamesKey,
  significantWords,
  wordPrefix,
} from "../../api-static/contract/names.ts";
import { findFunderRow, parts } from "../../api-static/release/layout.ts";
import type { Release } from "../../api-static/search/release.ts";
import type { Manifest } from "../releases/manifest.ts";
import { findNamedFunders } from "../releases/namedFunders.ts";
import { pageFilePath } from "../releases/pageFile.ts";

/** Number of files by word that are checked, evenly spread. */
const wordSamples = 50;

type Listed = { readonly ein: string; readonly name: string; readonly records: number };

/** Checks all files by EIN, and some by word. Each problem names the file. */
export async function findNamesProblems(release: Release, manifest: Manifest): Promise<string[]> {
  const keys = [...release.names];
  const words = keys.filter((key) => parseNamesKey(key)?.by === "words");
  const step = Math.max(1, (words.length - 1) / (wordSamples - 1));
  const sampled: string[] = [];
  for (let at = 0; at < words.length; at += step) sampled.push(words[Math.round(at)] ?? "");
  return [
    ...keys
      .filter((key) => parseNamesKey(key) === undefined)
      .map((key) => `${parts.names}: ${key} is not the key of a file of names`),
    ...(await findEinProblems(release, manifest, keys.length - words.length)),
    ...sampled
      .filter((key) => !isWordFile(release, key))
      .map((key) => `${key} differs from the organizations`),
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
    const key = namesKey("eins", prefix);
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

/** True if a file by word lists funders of the word, with their names and numbers of records, in order. */
function isWordFile(release: Release, key: string): boolean {
  const { data } = JSON.parse(readBody(release, key).toString()) as { data: Listed[] };
  const prefix = parseNamesKey(key)?.prefix;
  return (
    data.length <= namesMax &&
    data.every((listed, index) => {
      const { records, ...organization } = listed;
      const before = data[index - 1];
      return (
        JSON.stringify(organization) === release.organizations.find(listed.ein as Ein)?.toString() &&
        records === findFunderRow(release.funders, Number(listed.ein))?.records &&
        significantWords(listed.name).some((word) => wordPrefix(word) === prefix) &&
        (before === undefined ||
          before.records > records ||
          (before.records === records && before.ein < listed.ein))
      );
    })
  );
}

function readBody({ folder }: Release, key: string): Buffer {
  return gunzipSync(readFileSync(join(folder, pageFilePath(key))));
}
