// Verifies the organizations of a release: whole lines in order of EIN, each EIN once.
import { join } from "node:path";
import { parts } from "../../api-static/release/layout.ts";
import { organizationBytesMax } from "../../api-static/release/organizations.ts";
import { lineFeed, readLineBlocks } from "../base/lines.ts";
import type { Manifest } from "../releases/manifest.ts";

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
