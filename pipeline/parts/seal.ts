// Seals a release: writes its manifest from what was read and built.
import { releaseMoment } from "../releases/folders.ts";
import type { FoundInputs } from "../releases/inputs.ts";
import { digestParts, type Manifest, schemaVersion, writeManifest } from "../releases/manifest.ts";
import type { Totals } from "../releases/totals.ts";
import type { Built } from "./build.ts";

/** What the manifest has in addition to what was built. */
export type Sealed = {
  readonly release: string;
  readonly inputs: FoundInputs["sealed"];
  readonly isSynthetic: boolean;
  /** Number of releases that the sync was set to keep. */
  readonly keep: number;
  readonly totals: Totals;
};

/** Writes the manifest, which describes all other parts of the release in `folder`. */
export async function sealRelease(folder: string, sealed: Sealed, built: Built): Promise<Manifest> {
  const { release, inputs, isSynthetic, keep, totals } = sealed;
  const { names, places, matches, pages } = built;
  const manifest: Manifest = {
    schema_version: schemaVersion,
    release,
    synced_at: releaseMoment(release),
    synthetic: isSynthetic,
    releases_kept: keep,
    ...inputs,
    totals,
    names: { organizations: names.organizations, funders: names.funders },
    places,
    matches,
    pages,
    parts: await digestParts(folder, built.digests),
  };
  await writeManifest(folder, manifest);
  return manifest;
}
