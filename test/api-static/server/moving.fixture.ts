// Makes two releases that differ in the type of every record, and moves `current` between them.

import { mkdtemp, rename, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { releaseMoment } from "../../../pipeline/releases/folders.ts";
import { noSearches } from "../../pipeline/release.fixture.ts";
import { copyMade } from "../../shared.fixture.ts";
import { cornerGrants } from "./corners.ts";
import { makeRelease, writeWarehouse } from "./release.fixture.ts";

export type MovingData = {
  readonly data: string;
  /** Makes a target current with one rename, as a sync does. */
  point(target: string): Promise<void>;
};

/** The type of all records of each release, the older one first. The newer one has one record less. */
export const releaseTypes = { "20261120T040000Z": "old", "20261121T040000Z": "new" } as const;

export type MovingReleases = {
  /** The folders of the releases. */
  readonly made: readonly string[];
  /** A new data folder without a release. */
  newData(): Promise<MovingData>;
};

/** Gives each test file a copy of both releases. */
export function useMovingReleases(): MovingReleases {
  let root = "";
  const made: string[] = [];
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), "moving-"));
    const home = join(root, "made");
    await copyMade("releases-moving", home, async (folder) => {
      const grants = cornerGrants().slice(0, 1500);
      for (const [index, [id, type]] of Object.entries(releaseTypes).entries()) {
        const warehouse = join(folder, type);
        const typed = grants.slice(0, 1500 - index).map((grant) => ({ ...grant, type }));
        await writeWarehouse(warehouse, 0, typed);
        await makeRelease(join(folder, "data"), warehouse, new Date(releaseMoment(id)), noSearches);
      }
    });
    await rename(join(home, "data"), join(root, "data"));
    made.push(...Object.keys(releaseTypes).map((id) => join(root, "data/releases", id)));
  });
  afterAll(() => rm(root, { recursive: true, force: true }));
  const newData = async () => {
    const data = await mkdtemp(join(root, "data-"));
    const point = async (target: string) => {
      await symlink(target, join(data, "current.next"));
      await rename(join(data, "current.next"), join(data, "current"));
    };
    return { data, point };
  };
  return { made, newData };
}

/** The target of a link in a data folder to a release's folder. */
export function linkTo(folder: string | undefined): string {
  return join("..", "data", "releases", folder?.split("/").at(-1) ?? "");
}

/** The types of all records of a body. */
export function typesOf(body: Buffer): Set<string | undefined> {
  return new Set([...body.toString().matchAll(/"type":"?([^",]*)/g)].map(([, type]) => type));
}
