// Tests which assets of kept releases are found.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Releases } from "../../../api-static/server/releases.ts";
import { activateRelease } from "../../../pipeline/releases/current.ts";
import { useRelease } from "./release.fixture.ts";
import { openReleases, useCopies } from "./releases.fixture.ts";

const served = useRelease({ sampleRows: 1_000 });
const { data: copies, id, folder } = useCopies(served);

describe("an asset of a kept release", () => {
  const [older, newer] = ["20261119T040000Z", "20261120T040000Z"];
  let data = "";
  let now = 0;
  let releases: Releases;

  beforeEach(async () => {
    data = await mkdtemp(join(tmpdir(), "assets-"));
    now = 0;
    const log = { info: () => undefined, error: () => undefined };
    releases = new Releases({ data, maxBytes: 0, now: () => now, log });
    await put(older, "assets/start-old.js");
  });
  afterEach(() => rm(data, { recursive: true }));

  async function put(release: string, name: string): Promise<void> {
    const path = join(data, "releases", release, "public", name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, name);
  }

  const find = async (path: string) => (await releases.findAsset(path))?.body.toString();

  it("is found in an open release without reading its site again", async () => {
    await activateRelease(copies(), id(3));
    const here = await openReleases(copies());
    await rm(join(folder(3), "public"), { recursive: true });
    const path = [...(here.releases.current?.site.keys() ?? [])].find((path) => path.startsWith("/assets/"));
    expect(await here.releases.findAsset(String(path))).toBeDefined();
    here.close();
  });

  it("is found, for all who ask at once", async () => {
    await put(newer, "assets/start-new.js");
    const paths = ["/assets/start-old.js", "/assets/start-new.js", "/assets/start-old.js"];
    expect(await Promise.all(paths.map(find))).toEqual(paths.map((path) => path.slice(1)));
  });

  it("is not a page, a file outside a release, or a path from the URL", async () => {
    await put(older, "index.html");
    await put(older, "icon.svg");
    await put("20261121T040000Z.next", "assets/other.js");
    for (const path of ["/", "/icon.svg", "/assets/other.js", "/assets/../index.html", "/assets/", "/assets"])
      expect(await find(path), path).toBeUndefined();
  });

  it("is found in a new release, but releases are not listed for every made-up name", async () => {
    expect(await find("/assets/start-new.js")).toBeUndefined();
    await put(newer, "assets/start-new.js");
    now = 19;
    expect(await find("/assets/start-new.js")).toBeUndefined();
    now = 20;
    expect(await find("/assets/start-new.js")).toBe("assets/start-new.js");
  });

  it("is not found if its release is gone or being removed", async () => {
    await rm(join(data, "releases", older, "public"), { recursive: true });
    expect(await find("/assets/start-old.js")).toBeUndefined();
    await put(newer, "assets/start-new.js");
    now = 20;
    expect(await find("/assets/start-new.js")).toBe("assets/start-new.js");
    await rm(join(data, "releases", newer), { recursive: true });
    now = 40;
    expect(await find("/assets/start-new.js")).toBeUndefined();
  });
});
