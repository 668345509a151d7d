// Reads the facts about a release from its manifest, and checks that its parts can be used.
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { LikelyFundersFacts } from "../contract/likelyFunders.ts";
import type { MatchFacts } from "../contract/matches.ts";
import type { CauseFacts, Places } from "../contract/report.ts";
import { type PartRow, parts, partTable, releaseIdPattern, schemaVersion } from "./layout.ts";

/** The facts in a release's manifest that the server uses. */
export type ReleaseFacts = {
  readonly release: string;
  readonly synced_at: string;
  /** True if the warehouse marks its grants as made up. */
  readonly synthetic: boolean;
  /** Number of releases that the sync was set to keep, including this one. */
  readonly releases_kept: number;
  readonly totals: Readonly<Record<string, unknown>>;
  /** Counts of organizations, of their profiles, and of funders with a name. */
  readonly names: { readonly organizations: number; readonly profiles: number; readonly funders: number };
  readonly places: Places;
  readonly causes: CauseFacts;
  readonly matches: MatchFacts;
  readonly likely_funders: LikelyFundersFacts;
  /** The sealed sizes and SHA-256 digests of the release's files, page files excepted, by path. */
  readonly parts: Readonly<Record<string, { readonly bytes: number; readonly sha256: string }>>;
};

/** @throws Error if another version made the release, or a part is missing or does not have its sealed size */
export async function readFacts(folder: string): Promise<ReleaseFacts> {
  const { schema_version: version, ...facts } = JSON.parse(
    await readFile(join(folder, parts.manifest), "utf8"),
  ) as ReleaseFacts & { readonly schema_version?: number };
  if (!releaseIdPattern.test(facts.release)) throw new Error(`${parts.manifest} does not name a release`);
  if (version !== schemaVersion)
    throw new Error(
      `its schema_version is ${version}, but this version of the server reads ${schemaVersion}`,
    );
  for (const { file: part, isServed } of Object.values<PartRow>(partTable)) {
    if (!isServed) continue;
    const { size } = await stat(join(folder, part));
    const sealed = facts.parts[part]?.bytes;
    if (size !== sealed) throw new Error(`${part} has ${size} bytes; the manifest says ${sealed}`);
  }
  return facts;
}
