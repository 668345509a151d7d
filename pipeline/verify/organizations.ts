// Verifies the organizations of a release: whole lines in order of EIN, each EIN once.
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { parts } from "../../api-static/release/layout.ts";
import { organizationBytesMax } from "../../api-static/release/organizations.ts";

const lineFeed = "\n".charCodeAt(0);

const linePattern = /^\{"ein":"(\d{9})","name":".+","city":(?:".+"|null),"state":(?:".+"|null)\}$/s;

/** Finds the first line of `organizations` that is no organization, or that a search by halves could not find. */
export async function findOrganizationProblems(folder: string): Promise<string[]> {
  let [line, last, rest] = [0, "", Buffer.alloc(0)];
  for await (const chunk of createReadStream(join(folder, parts.organizations))) {
    const bytes = Buffer.concat([rest, chunk as Buffer]);
    let start = 0;
    for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed, start)) {
      const [, ein = ""] = linePattern.exec(bytes.toString("latin1", start, end)) ?? [];
      if (ein <= last || end - start >= organizationBytesMax)
        return [`${parts.organizations}: line ${line} is malformed, too long or out of order`];
      [line, last, start] = [line + 1, ein, end + 1];
    }
    rest = bytes.subarray(start);
  }
  return rest.length === 0 ? [] : [`${parts.organizations} does not end with a whole line`];
}
