// Makes the image that stands in for the registry's ones: Debian with systemd, nginx, and the Node.js and npm of this machine.
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, realpath, rename, rm, symlink } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { findProgram } from "../programs.ts";
import { run } from "./engine.fixture.ts";

const packages = ["ca-certificates", "libatomic1", "make", "nginx-light", "systemd", "systemd-sysv"];

/** Debian's nginx then writes only where the official image does. */
const nginxLinks: Readonly<Record<string, string>> = {
  "var/lib/nginx": "/var/cache/nginx",
  "var/log/nginx/access.log": "/dev/stdout",
  "var/log/nginx/error.log": "/dev/stderr",
};

/** The archive of the image's files. It is kept outside the checkout, because making it takes a minute. */
export async function findBase(): Promise<string> {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "grants-containers");
  const { codename, mirror } = await findMirror();
  const recipe = [codename, process.version, packages, nginxLinks];
  const key = createHash("sha256").update(JSON.stringify(recipe)).digest("hex").slice(0, 12);
  const archive = join(cache, `base-${key}.tar`);
  await mkdir(cache, { recursive: true });
  if (existsSync(archive)) return archive;
  const root = await mkdtemp(join(tmpdir(), "base-"));
  try {
    const include = `--include=${packages.join(",")}`;
    await run("debootstrap", ["--variant=minbase", include, codename, root, mirror]);
    await addFiles(root);
    await run("tar", ["-C", root, "-cf", `${archive}.${process.pid}`, "."]);
    await rename(`${archive}.${process.pid}`, archive);
    return archive;
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** The release of Debian on this machine, and where apt finds it. */
async function findMirror(): Promise<{ codename: string; mirror: string }> {
  const [, codename = ""] = /^VERSION_CODENAME=(.*)$/m.exec(await readFile("/etc/os-release", "utf8")) ?? [];
  const format = "$(CODENAME) $(COMPONENT) $(REPO_URI)";
  const listed = await run("apt-get", ["indextargets", "--format", format, "Identifier: Packages"]);
  const [, , mirror] =
    listed
      .split("\n")
      .map((line) => line.split(" "))
      .find(([name, component]) => name === codename && component === "main") ?? [];
  if (mirror === undefined) throw new Error(`apt has no source for Debian "${codename}"`);
  return { codename, mirror };
}

async function addFiles(root: string): Promise<void> {
  const local = join(root, "usr/local");
  const npm = dirname(dirname(await realpath(findProgram("npm"))));
  await cp(process.execPath, join(local, "bin/node"));
  await cp(npm, join(local, "lib/node_modules/npm"), { recursive: true });
  await symlink("../lib/node_modules/npm/bin/npm-cli.js", join(local, "bin/npm"));
  for (const [path, target] of Object.entries(nginxLinks)) {
    await rm(join(root, path), { recursive: true, force: true });
    await symlink(target, join(root, path));
  }
  await rm(join(root, "etc/nginx/sites-enabled/default"));
  await run("systemctl", [`--root=${root}`, "disable", "nginx.service"]);
  await rm(join(root, "var/cache/apt"), { recursive: true });
  await rm(join(root, "var/lib/apt/lists"), { recursive: true });
}
