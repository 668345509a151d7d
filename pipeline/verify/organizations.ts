// Verifies the organizations of a release: whole lines in order of EIN, each EIN once, and those of funders in files of names.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { formatList, lineEnd } from "../../api-static/contract/envelope.ts";
import { einPrefix, namesKey } from "../../api-static/contract/names.ts";
import { parts } from "../../api-static/release/layout.ts";
import { organizationBytesMax } from "../../api-static/release/organizations.ts";
import type { Release } from "../../api-static/search/release.ts";
import { lineFeed, readLineBlocks } from "../base/lines.ts";
import type { Manifest } from "../releases/manifest.ts";
import { findNamedFunders } from "../releases/namedFunders.ts";
import { pageFilePath } from "../releases/pageFile.ts";

const linePattern = /^\{"ein":"(\d{9})","name":".+","city":(?:".+"|null),"state":(?:".+"|null)\}$/s;

/**
 * Finds the first line of `organizations` that is no organization, or that a search by halves could not find; otherwise
 * compares the number of lines with the manifest.
 */
export async function findOrganizationProblems(folder: string, { names }: Manifest): Promise<string[]> {
  let [line, last] = [0, ""];
  for await (const block of readLineBlocks(join(folder, parts.organizations))) {
    if (block.at(-1) !== lineFeed) return [`${parts.organizations} does not end with a whole line`];
    for (let start = 0; start < block.length; line += 1) {
      const end = block.indexOf(lineFeed, start);
      const [, ein = ""] = linePattern.exec(block.toString("latin1", start, end)) ?? [];
      if (ein <= last || end - start >= organizationBytesMax)
        return [`${parts.organizations}: line ${line} is malformed, too long or out of order`];
      [last, start] = [ein, end + 1];
    }
  }
  if (line === names.organizations) return [];
  return [`${parts.organizations} has ${line} lines, the manifest says ${names.organizations}`];
}

/** Compares all files of names with the organizations that are funders. Each problem names the file. */
export async function findNamesProblems(release: Release, { names }: Manifest): Promise<string[]> {
  const { folder } = release;
  const lines = new Map<string, string>();
  let funders = 0;
  await findNamedFunders(folder, release.funders, ({ ein, line }) => {
    const key = namesKey(einPrefix(ein));
    lines.set(key, (lines.get(key) ?? "") + line + lineEnd);
    funders += 1;
  });
  const problems: string[] = [];
  for (const key of new Set([...release.names, ...lines.keys()])) {
    const expected = lines.get(key);
    if (expected === undefined) problems.push(`${parts.names}: ${key} is not the key of a file of names`);
    else if (!release.names.has(key)) problems.push(`${parts.names} lacks ${key}`);
    else if (
      !gunzipSync(readFileSync(join(folder, pageFilePath(key)))).equals(formatList(Buffer.from(expected)))
    )
      problems.push(`${key} differs from the organizations`);
  }
  if (funders !== names.funders)
    problems.push(`${funders} funders have a name, the manifest says ${names.funders}`);
  return problems;
}
