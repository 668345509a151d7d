// Makes or copies four releases, and opens those of a data folder as the server does, with a clock that tests advance.
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { parts } from "../../../api-static/release/layout.ts";
import { Releases } from "../../../api-static/server/releases.ts";
import { noSearches } from "../../pipeline/release.fixture.ts";
import { cornerGrants } from "./corners.ts";
import { createTestApp, makeRelease, type Served, writeWarehouse } from "./release.fixture.ts";

/** Gives each test file four releases, which differ in the `type` of their records and in the number of records. */
export function useDifferentReleases() {
  return useReleases(async (data) => {
    const grants = cornerGrants().slice(0, 1500);
    for (let number = 0; number < 4; number++) {
      const changed = grants.slice(0, 1500 - number).map((grant) => ({ ...grant, type: `of ${number}` }));
      await writeWarehouse(`${data}.${number}`, 0, changed);
      const moment = new Date(`2026-11-2${number}T04:00:00Z`);
      await makeRelease(data, `${data}.${number}`, moment, noSearches);
    }
  });
}

/** Gives each test file four copies of a release, which differ in nothing but their ids. */
export function useCopies(served: () => Served) {
  return useReleases(async (data) => {
    for (let number = 0; number < 4; number++) {
      const copy = join(data, "releases", idOf(number));
      await cp(served().folder, copy, { recursive: true, verbatimSymlinks: true });
      const manifest = await readFile(join(copy, parts.manifest), "utf8");
      const renamed = manifest.replace(served().release.facts.release, idOf(number));
      await writeFile(join(copy, parts.manifest), renamed);
    }
  });
}

const idOf = (number: number) => `2026112${number}T040000Z`;

function useReleases(make: (data: string) => Promise<void>) {
  let root = "";
  const data = () => join(root, "data");
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), "releases-"));
    await make(data());
  });
  afterAll(() => rm(root, { recursive: true, force: true }));
  return { data, id: idOf, folder: (number: number) => join(data(), "releases", idOf(number)) };
}

/** The releases of a data folder, and a service on them. */
export async function openReleases(data: string, maxBytes = 2 ** 30) {
  let now = 0;
  const log: string[] = [];
  const record = (line: unknown) => log.push(String(line));
  const releases = new Releases({ data, maxBytes, now: () => now, log: { info: record, error: record } });
  const check = () => releases.check();
  await check();
  const app = createTestApp(undefined, undefined, { releases });
  const ask = (path: string, headers: Record<string, string> = {}) =>
    app.fetch(new Request(`http://127.0.0.1${path}`, { headers, redirect: "manual" }));
  const turn = (milliseconds: number) => {
    now += milliseconds;
  };
  return { releases, check, ask, turn, log, close: () => releases.close() };
}
