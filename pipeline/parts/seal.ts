// Seals a release: writes its manifest from what was read and built.
import { releaseMoment } from "../releases/folders.ts";
import type { FoundInputs } from "../releases/inputs.ts";
import { digestParts, type Manifest, schemaVersion, writeManifest } from "../releases/manifest.ts";
import type { Built } from "./build.ts";

/** The facts of a manifest that are known before the release is built. */
export type KnownFacts = FoundInputs["sealed"] &
  Pick<Manifest, "release" | "synthetic" | "releases_kept" | "totals"> &
  Pick<Manifest["names"], "profiles">;

/** Writes the manifest, which describes all other parts of the release in `folder`. */
export async function sealRelease(
  folder: string,
  { release, synthetic, releases_kept, totals, profiles, ...inputs }: KnownFacts,
  { names, places, causes, matches, likely_funders, pages, digests }: Built,
): Promise<Manifest> {
  const manifest: Manifest = {
    schema_version: schemaVersion,
    release,
    synced_at: releaseMoment(release),
    synthetic,
    releases_kept,
    ...inputs,
    totals,
    names: { organizations: names.organizations, profiles, funders: names.funders },
    places,
    causes,
    matches,
    likely_funders,
    pages,
    parts: await digestParts(folder, digests),
  };
  await writeManifest(folder, manifest);
  return manifest;
}
