// Tests how the built site becomes part of a release: every file below its folder, by digest, and an error without a build.
import { hash } from "node:crypto";
import { lstat, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { exitCodes, InputError } from "../../../pipeline/base/failure.ts";
import { checkSite, describeDownloads, digestSite, writeSite } from "../../../pipeline/parts/site.ts";
import { digestParts } from "../../../pipeline/releases/manifest.ts";
import { builtSite } from "../release.fixture.ts";
import { useFolder } from "../warehouse/warehouse.fixture.ts";

const folder = useFolder();

describe("the site of a release", () => {
  it("has every file of the built site, in folders too, with the digests that the inputs have", async () => {
    const release = join(folder.home, "release");
    await mkdir(release);
    await writeSite(builtSite, release);
    const digests = await digestSite(builtSite);
    const { "public/downloads.html": page, ...others } = await digestParts(release);
    expect(others).toEqual(digests);
    expect(await describeDownloads(release)).toEqual({ "public/downloads.html": page }); // there are none
    const paths = Object.keys(digests);
    for (const ending of [
      /^public\/assets\/[^/]+\.js$/,
      /^public\/assets\/[^/]+\.woff2$/,
      /^public\/funder\.html$/,
    ])
      expect(paths.filter((path) => ending.test(path)).length, String(ending)).toBeGreaterThan(0);
    expect(paths).toContain("public/openapi.json");
    expect(await readFile(join(release, "public/serve.json"), "utf8")).toContain("rewrites");
  });

  it("has copies of the files that the built site links to, and leaves these unchanged, and none of its empty folders as a file", async () => {
    const [target, site, release] = ["target", "dist", "linked"].map((name) => join(folder.home, name)) as [
      string,
      string,
      string,
    ];
    for (const path of [target, release]) await mkdir(path);
    await writeFile(join(target, "file.html"), "linked");
    await symlink("file.html", join(target, "index.html"));
    await mkdir(join(target, "assets/empty"), { recursive: true });
    await symlink(target, site);
    await writeSite(site, release);
    expect((await lstat(join(release, "public"))).isDirectory()).toBe(true);
    expect((await lstat(join(release, "public/index.html"))).isFile()).toBe(true);
    expect((await readdir(target)).sort()).toEqual(["assets", "file.html", "index.html"]);
    expect(await digestParts(release)).toEqual(await digestSite(site));
  });

  it("has the description of the downloads in their page, whatever its text", async () => {
    const release = join(folder.home, "described");
    await mkdir(join(release, "public/v1/downloads"), { recursive: true });
    const description = { name: "</script><!-- $& 'é" };
    await writeFile(
      join(release, "public/v1/downloads/croissant.json"),
      JSON.stringify(description, null, 2),
    );
    await writeFile(join(release, "public/downloads.html"), "<head>\n</head>");
    const digests = await describeDownloads(release);
    const html = await readFile(join(release, "public/downloads.html"), "utf8");
    expect(html).toMatch(/^<head>\n<script type="application\/ld\+json">[^<]*<\/script>\n<\/head>$/);
    expect(JSON.parse(/json">(.*)<\/script/.exec(html)?.[1] ?? "")).toEqual(description);
    expect(digests).toEqual({
      "public/downloads.html": { bytes: Buffer.byteLength(html), sha256: hash("sha256", html) },
    });
  });

  it("is refused with the command to run if it was not built", async () => {
    await expect(checkSite(builtSite)).resolves.toBeUndefined();
    const missing = checkSite(join(folder.home, "dist"));
    await expect(missing).rejects.toThrow(InputError);
    await expect(missing).rejects.toThrow(
      `the site is not built: "${join(folder.home, "dist")}" has no index.html. Run \`make site\` first.`,
    );
    await expect(missing).rejects.toMatchObject({ exitCode: exitCodes.input });
    await writeFile(join(folder.home, "dist"), ""); // a file instead of a folder
    await expect(checkSite(join(folder.home, "dist"))).rejects.toThrow("`make site`");
  });
});
