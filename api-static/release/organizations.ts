// Finds organizations by EIN in an open release: names and places, and profiles.
import { join } from "node:path";
import type { Ein } from "../contract/ein.ts";
import { emptyProfile } from "../contract/profile.ts";
import { EinLines, startBytes } from "./einLines.ts";
import { parts } from "./layout.ts";

/** Maximum bytes of an organization's line with its line feed. The pipeline omits longer ones. */
export const organizationBytesMax = 4_096;

/** Maximum bytes of a profile's line: the IRS takes missions of up to 9,000 characters, and a year of finances takes 200 bytes. */
export const profileBytesMax = 65_536;

/** The fields of an unknown profile. */
const noProfile = Buffer.from(JSON.stringify(emptyProfile).slice(1));

/** The organizations of an open release. */
export class Organizations {
  readonly #lines: EinLines;
  readonly #profiles: EinLines;

  /** @param folder the release's folder */
  constructor(folder: string) {
    this.#lines = new EinLines(join(folder, parts.organizations));
    this.#profiles = new EinLines(join(folder, parts.profiles));
  }

  /** The JSON of an organization's name, place and cause, without the line feed; undefined if there is none. */
  find(ein: Ein): Buffer | undefined {
    return this.#lines.find(ein);
  }

  /** The JSON of an organization with its profile; undefined if there is none. */
  findWhole(ein: Ein): Buffer | undefined {
    const line = this.find(ein);
    if (line === undefined) return undefined;
    const profile = this.#profiles.find(ein)?.subarray(startBytes + ",".length) ?? noProfile;
    return Buffer.concat([line.subarray(0, -"}".length), Buffer.from(","), profile]);
  }

  /** The name of an organization; undefined if there is none. */
  findName(ein: Ein): string | undefined {
    const line = this.find(ein);
    return line === undefined ? undefined : (JSON.parse(line.toString()) as { name: string }).name;
  }

  close(): void {
    this.#lines.close();
    this.#profiles.close();
  }
}
