// Starts a real nginx with the project's configuration, edited as documented.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findPorts } from "../../ports.ts";
import { isInstalled, programPath } from "../../programs.ts";
import { repository } from "../server/release.fixture.ts";
import { askRaw, until } from "../server/socket.fixture.ts";

export const nginxConfiguration = join(repository, "api-static/edge/nginx.conf");

/** A zone far from UTC. */
const nginxEnvironment = { PATH: programPath, TZ: "America/New_York" };

export const isNginxInstalled = isInstalled("nginx", "tests with nginx in front");

export type Nginx = {
  readonly port: number;
  readonly pid: number | undefined;
  stop(): Promise<void>;
};

/**
 * Starts nginx on the project's configuration, on a free port, in a zone far from UTC.
 * @param data the data folder
 * @param serverPorts of the servers behind it
 * @param change of the configuration's text
 */
export async function startNginx(
  data: string,
  serverPorts: readonly number[],
  change: (text: string) => string = (text) => text,
): Promise<Nginx> {
  const text = change(await readFile(nginxConfiguration, "utf8"));
  return runNginx((home, port) => setPlaces(text, home, port, data, serverPorts));
}

/**
 * Starts nginx on a free port.
 * @param configure the text of the http block, given a folder to write to and the port to listen on
 */
export async function runNginx(configure: (home: string, port: number) => string): Promise<Nginx> {
  const home = await mkdtemp(join(tmpdir(), "nginx-"));
  const port = await findPorts(1);
  const log = join(home, "error.log");
  await writeFile(join(home, "http.conf"), configure(home, port));
  await writeFile(join(home, "nginx.conf"), formatMain(home, log));
  const child = spawn("nginx", ["-p", home, "-e", log, "-c", join(home, "nginx.conf")], {
    env: nginxEnvironment,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let output = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}: ${output}`);
    return askRaw(port, "/healthz").catch(() => undefined);
  });
  return {
    port,
    pid: child.pid,
    stop: async () => {
      await end(child);
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** The project's configuration with each setting replaced. @throws Error if one of them is missing */
export function setPlaces(
  configuration: string,
  home: string,
  port: number,
  data: string,
  serverPorts: readonly number[],
): string {
  let text = configuration;
  const servers = serverPorts.map((serverPort) => `server 127.0.0.1:${serverPort};`);
  for (const [place, value] of [
    ["server 127.0.0.1:8080;", servers.join(" ")],
    ["/var/cache/nginx/grants", join(home, "cache")],
    ["listen 80 ", `listen 127.0.0.1:${port} `],
    ["/srv/grants-data", data],
  ] as const) {
    if (text.split(place).length !== 2) throw new Error(`nginx.conf must hold "${place}" once`);
    text = text.replace(place, value);
  }
  return text;
}

function formatMain(home: string, log: string): string {
  const folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${join(home, name)};`,
  );
  return `daemon off;
${process.getuid?.() === 0 ? "user root root;" : ""}
worker_processes 1;
pid ${join(home, "nginx.pid")};
error_log ${log} warn;
events { worker_connections 512; }
http { access_log off; ${folders.join(" ")} include ${join(home, "http.conf")}; }
`;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, "close");
  child.kill("SIGTERM");
  await ended;
}
