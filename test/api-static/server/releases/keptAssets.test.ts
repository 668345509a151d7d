// Tests that assets of kept releases are found, and what a made-up name may cause.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { KeptAssets } from "../../../../api-static/server/releases/keptAssets.ts";

const [older, newer] = ["20261119T040000Z", "20261120T040000Z"];
let data = "";
let now = 0;
let assets: KeptAssets;

beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), "assets-"));
  now = 0;
  assets = new KeptAssets(data, () => now);
  await put(older, "assets/start-old.js");
});
afterEach(() => rm(data, { recursive: true }));

async function put(release: string, name: string): Promise<void> {
  const path = join(data, "releases", release, "public", name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, name);
}

const find = async (path: string) => (await assets.find(path))?.body.toString();

describe("KeptAssets", () => {
  it("finds an asset of any kept release, for all who ask at once", async () => {
    await put(newer, "assets/start-new.js");
    const paths = ["/assets/start-old.js", "/assets/start-new.js", "/assets/start-old.js"];
    expect(await Promise.all(paths.map(find))).toEqual(paths.map((path) => path.slice(1)));
  });

  it("finds nothing else: no page, no file outside a release, no path from the URL", async () => {
    await put(older, "index.html");
    await put(older, "icon.svg");
    await put("20261121T040000Z.next", "assets/other.js");
    for (const path of ["/", "/icon.svg", "/assets/other.js", "/assets/../index.html", "/assets/", "/assets"])
      expect(await find(path), path).toBeUndefined();
  });

  it("lists the releases again when an asset is missing, at most once a second", async () => {
    expect(await find("/assets/start-new.js")).toBeUndefined();
    await put(newer, "assets/start-new.js");
    now = 999;
    expect(await find("/assets/start-new.js")).toBeUndefined();
    now = 1_000;
    expect(await find("/assets/start-new.js")).toBe("assets/start-new.js");
  });

  it("forgets a release that is gone, and passes over one that is being removed", async () => {
    await rm(join(data, "releases", older, "public"), { recursive: true });
    expect(await find("/assets/start-old.js")).toBeUndefined();
    await put(newer, "assets/start-new.js");
    now = 1_000;
    expect(await find("/assets/start-new.js")).toBe("assets/start-new.js");
    await rm(join(data, "releases", newer), { recursive: true });
    now = 2_000;
    expect(await find("/assets/none.js")).toBeUndefined();
    expect(await find("/assets/start-new.js")).toBeUndefined();
  });
});
