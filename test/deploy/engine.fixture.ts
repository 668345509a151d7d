// Runs containers with podman, in storage and networks of its own that are removed at the end.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { checkout } from "../pipeline/release.fixture.ts";

const start = promisify(execFile);

const maxOutputBytes = 64 * 1024 * 1024;

/** Runs a program, and returns its standard output. @throws Error with all that it printed */
export async function run(program: string, options: readonly string[], env = process.env): Promise<string> {
  const settings = {
    cwd: checkout,
    env: { ...env, PATH: `${env.PATH}:/usr/sbin` },
    maxBuffer: maxOutputBytes,
  };
  const { stdout } = await start(program, [...options], settings).catch((error) => {
    throw new Error(`${program} ${options.join(" ")}: ${error.stdout}${error.stderr}`, { cause: error });
  });
  return stdout;
}

/** runc, because crun refuses mixed versions of cgroups; no more limits than a container may set itself. */
const containersConf = (home: string) => `
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[network]
network_backend = "netavark"
network_config_dir = "${home}/networks"
`;

const storageConf = (home: string) => `
[storage]
driver = "overlay"
runroot = "${home}/run"
graphroot = "${home}/storage"
`;

/** Where the images expect npm's settings and cache, and the certificates that this machine trusts. */
const paths = {
  NPM_CONFIG_USERCONFIG: "/etc/npmrc",
  NPM_CONFIG_CACHE: "/var/cache/npm",
  NODE_EXTRA_CA_CERTS: "/etc/ssl/certs/ca-certificates.crt",
} as const;

export class Engine {
  readonly #home: string;
  readonly #env: NodeJS.ProcessEnv;

  private constructor(home: string) {
    this.#home = home;
    const [CONTAINERS_CONF, CONTAINERS_STORAGE_CONF] = [`${home}/containers.conf`, `${home}/storage.conf`];
    this.#env = { ...process.env, CONTAINERS_CONF, CONTAINERS_STORAGE_CONF };
  }

  static async start(): Promise<Engine> {
    const home = await mkdtemp(join(tmpdir(), "engine-"));
    await mkdir(join(home, "networks"));
    await writeFile(join(home, "containers.conf"), containersConf(home));
    await writeFile(join(home, "storage.conf"), storageConf(home));
    return new Engine(home);
  }

  /** Calls podman. */
  podman(...options: readonly string[]): Promise<string> {
    return run("podman", options, this.#env);
  }

  /** Makes an image of an archive of files. */
  async import(archive: string, ...names: readonly string[]): Promise<void> {
    const [name = "", ...others] = names;
    const changes = Object.entries(paths).flatMap(([key, path]) => ["--change", `ENV ${key}=${path}`]);
    await this.podman("import", "--quiet", ...changes, archive, name);
    for (const other of others) await this.podman("tag", name, other);
  }

  /** Builds the Dockerfile on a base image, with this machine's settings and cache of npm. */
  async build(base: string, name: string): Promise<void> {
    const npmrc = (await run("npm", ["config", "get", "userconfig"])).trim();
    const cache = (await run("npm", ["config", "get", "cache"])).trim();
    const { NODE_EXTRA_CA_CERTS: trusted } = process.env;
    const mounts = [
      ...(existsSync(npmrc) ? ["-v", `${npmrc}:${paths.NPM_CONFIG_USERCONFIG}:ro`] : []),
      ...(existsSync(cache) ? ["-v", `${cache}:${paths.NPM_CONFIG_CACHE}`] : []),
      ...(trusted === undefined ? [] : ["-v", `${trusted}:${paths.NODE_EXTRA_CA_CERTS}:ro`]),
    ];
    // The format of OCI has no health checks.
    const options = ["--format", "docker", "--pull=never", "--isolation", "chroot", "--network", "host"];
    const fresh = ["--layers=false", "--build-arg", `BASE=${base}`, ...mounts, "--tag", name];
    await this.podman("build", ...options, ...fresh, ".");
  }

  /** Removes all containers, networks and files. */
  async stop(): Promise<void> {
    await this.podman("rm", "--all", "--force", "--time", "0");
    await this.podman("network", "prune", "--force");
    await this.podman("rmi", "--all", "--force");
    await rm(this.#home, { recursive: true });
  }
}
