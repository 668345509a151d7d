// Starts a cluster of ClickHouse servers for tests: Debian's program, one process per shard, on this machine.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { findPorts } from "../../ports.ts";

const script = fileURLToPath(new URL("clickhouse.sh", import.meta.url));
const cluster = "grants";

/** Ports of each server: of HTTP, of the other servers, of replicas. */
const portsPerNode = 3;

/** Milliseconds that a server has until it answers. */
const startTimeout = 60_000;

/** The folder with the unpacked program; undefined, with a printed reason, if it cannot be had. */
export function findClickHouse(tests: string): string | undefined {
  try {
    return execFileSync(script, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
  } catch (error) {
    const reason = error instanceof Error ? error.message.trim().split("\n").at(-1) : error;
    console.log(`skipped: ${tests}; Debian's package clickhouse-server is missing (${reason})`);
    return undefined;
  }
}

/** Servers on 127.0.0.1, each a shard of the cluster "grants". */
export class ClickHouseCluster {
  readonly urls: readonly string[];
  /** The settings that lead `make load` and the server to the cluster. */
  readonly environment: Record<string, string>;
  readonly #folder: string;
  readonly #program: string;
  readonly #processes: (ChildProcess | undefined)[] = [];

  private constructor(folder: string, program: string, ports: readonly number[]) {
    this.#folder = folder;
    this.#program = program;
    this.urls = ports.map((port) => `http://127.0.0.1:${port}`);
    this.environment = { CLICKHOUSE_URL: this.urls.join(","), CLICKHOUSE_CLUSTER: cluster };
  }

  /** @param program the folder that `findClickHouse` returned */
  static async start(program: string, nodes = 3): Promise<ClickHouseCluster> {
    const folder = await mkdtemp(join(tmpdir(), "clickhouse-"));
    const first = await findPorts(portsPerNode * nodes);
    const ports = Array.from({ length: nodes }, (_, index) => first + portsPerNode * index);
    const started = new ClickHouseCluster(folder, program, ports);
    try {
      for (const [index, port] of ports.entries()) await writeNode(join(folder, String(index)), port, ports);
      await Promise.all(ports.map((_, index) => started.restart(index)));
      return started;
    } catch (error) {
      await started.stop();
      throw error;
    }
  }

  /** Starts a server that was killed; it has its data again. */
  async restart(index: number): Promise<void> {
    const folder = join(this.#folder, String(index));
    const libraries = ["lib", "usr/lib"].map((name) => join(this.#program, name, "x86_64-linux-gnu"));
    const server = join(this.#program, "usr/sbin/clickhouse-server");
    const output = openSync(join(folder, "output"), "a");
    // A server must not outlive the tests, however they end.
    // Nice: tests of the site run beside it, and a browser that waits for a core shifts its layout.
    const command = [
      "-n",
      "19",
      "setpriv",
      "--pdeathsig",
      "KILL",
      server,
      `--config-file=${folder}/config.xml`,
    ];
    const child = spawn("nice", command, {
      cwd: folder,
      env: { LD_LIBRARY_PATH: libraries.join(":"), TZ: "UTC" },
      stdio: ["ignore", output, output],
    });
    this.#processes[index] = child;
    const deadline = performance.now() + startTimeout;
    while (!(await isReady(this.urls[index] ?? ""))) {
      if (child.exitCode !== null || performance.now() > deadline)
        throw new Error(
          `clickhouse-server did not start:\n${await readFile(join(folder, "output"), "utf8")}`,
        );
      await sleep(100);
    }
  }

  /** Kills a server without warning. */
  async kill(index: number): Promise<void> {
    const child = this.#processes[index];
    this.#processes[index] = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }

  /** Runs a statement on a server. */
  async query(index: number, sql: string): Promise<string> {
    const response = await fetch(this.urls[index] ?? "", { method: "POST", body: sql });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return text;
  }

  async stop(): Promise<void> {
    await Promise.all(this.urls.map((_, index) => this.kill(index)));
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/ping`)).ok;
  } catch {
    return false;
  }
}

/** Writes the settings of a server, which knows all shards. */
async function writeNode(folder: string, port: number, ports: readonly number[]): Promise<void> {
  const shards = ports.map(
    (http) => `<shard><replica><host>127.0.0.1</host><port>${http + 1}</port></replica></shard>`,
  );
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, "config.xml"),
    `<yandex>
  <logger><level>warning</level><log>${folder}/log</log><errorlog>${folder}/errors</errorlog></logger>
  <listen_host>127.0.0.1</listen_host>
  <http_port>${port}</http_port>
  <tcp_port>${port + 1}</tcp_port>
  <interserver_http_port>${port + 2}</interserver_http_port>
  <path>${folder}/data/</path>
  <tmp_path>${folder}/tmp/</tmp_path>
  <users_config>users.xml</users_config>
  <default_profile>default</default_profile>
  <default_database>default</default_database>
  <mark_cache_size>67108864</mark_cache_size>
  <remote_servers><${cluster}>${shards.join("")}</${cluster}></remote_servers>
</yandex>\n`,
  );
  await writeFile(
    join(folder, "users.xml"),
    `<yandex>
  <profiles><default><connect_timeout_with_failover_ms>2000</connect_timeout_with_failover_ms><max_threads>1</max_threads></default></profiles>
  <users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users>
  <quotas><default></default></quotas>
</yandex>\n`,
  );
}
