// Makes folders of releases that have a manifest and nothing else.
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { releaseFolder } from "../../../pipeline/releases/folders.ts";
import { type Manifest, writeManifest } from "../../../pipeline/releases/manifest.ts";

export async function putRelease(data: string, id: string, manifest = "{}"): Promise<void> {
  await mkdir(join(data, "releases", id), { recursive: true });
  await writeFile(join(data, "releases", id, "manifest.json"), manifest);
}

export async function putSealed(data: string, id: string, manifest: Partial<Manifest> = {}): Promise<void> {
  await mkdir(releaseFolder(data, id), { recursive: true });
  await writeManifest(releaseFolder(data, id), manifest as Manifest);
}

/** A release whose manifest the file system refuses to read. */
export async function putUnreadable(data: string, id: string): Promise<void> {
  await mkdir(releaseFolder(data, id), { recursive: true });
  await symlink("manifest.json", join(releaseFolder(data, id), "manifest.json"));
}
