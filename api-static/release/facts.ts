// Reads the facts about a release from its manifest, and checks that its parts can be used.
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { parts, releaseIdPattern, schemaVersion } from "./layout.ts";

/** Facts about a release, written by the pipeline, that the server reports. */
export type ReleaseFacts = {
  readonly release: string;
  readonly synced_at: string;
  readonly totals: Readonly<Record<string, number | string>>;
  /** The number of organizations, and how many funders have a name. */
  readonly names: { readonly organizations: number; readonly funders: number };
  /** The sealed sizes of the release's files, page files excepted, by path. */
  readonly parts: Readonly<Record<string, { readonly bytes: number }>>;
};

/** The parts that responses are read from. */
const readParts = [
  parts.records,
  parts.offsets,
  parts.funders,
  parts.searches,
  parts.organizations,
  parts.names,
  parts.index,
  parts.columns,
  parts.report,
];

/**
 * Reads the facts about the release in a folder.
 * @throws Error if another version made the release, a part is missing, or the size of a part is not the sealed one
 */
export async function readFacts(folder: string): Promise<ReleaseFacts> {
  const { schema_version: version, ...facts } = JSON.parse(
    await readFile(join(folder, parts.manifest), "utf8"),
  ) as ReleaseFacts & { readonly schema_version?: number };
  if (!releaseIdPattern.test(facts.release)) throw new Error(`${parts.manifest} does not name a release`);
  if (version !== schemaVersion)
    throw new Error(
      `its schema_version is ${version}, but this version of the server reads ${schemaVersion}`,
    );
  for (const part of readParts) {
    const { size } = await stat(join(folder, part));
    const sealed = facts.parts[part]?.bytes;
    if (size !== sealed) throw new Error(`${part} has ${size} bytes; the manifest says ${sealed}`);
  }
  return facts;
}
