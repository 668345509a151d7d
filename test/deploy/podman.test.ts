// Tests the image, compose.yaml and the systemd units in containers, while parts of the service are restarted and killed.
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { main as writeSample } from "../../tools/sample/main.ts";
import { findBlocks, findSection, readDocument } from "../docs/markdown.fixture.ts";
import { checkout } from "../pipeline/release.fixture.ts";
import { findPorts } from "../ports.ts";
import { isInstalled } from "../programs.ts";
import { findBase } from "./base.fixture.ts";
import { Client } from "./client.fixture.ts";
import { findBlock, readCompose, runService, startService } from "./compose.fixture.ts";
import { Engine } from "./engine.fixture.ts";

for (const program of ["podman", "debootstrap"]) isInstalled(program, "the service in containers");
if (process.getuid?.() !== 0)
  throw new Error("the service in containers needs root, for podman and debootstrap");

vi.setConfig({ testTimeout: 600_000 }); // a guard; a busy machine takes minutes

const base = "localhost/base:1";
const block = findBlock();
let [home, warehouse] = ["", ""];
let engine: Engine;
const podman = (...options: readonly string[]) => engine.podman(...options);

beforeAll(async () => {
  const archive = await findBase();
  home = await mkdtemp(join(tmpdir(), "podman-"));
  await chmod(home, 0o755);
  warehouse = join(home, "warehouse");
  const written = await writeSample({ OUT: warehouse, ROWS: "2000" }, process);
  if (written !== 0) throw new Error("no sample");
  engine = await Engine.start();
  const { services, networks } = readCompose({}, block);
  await engine.import(archive, base, `localhost/${services.nginx?.image}`);
  await engine.build(base, `localhost/${services.server?.image}`);
  for (const [name, { ipam }] of Object.entries(networks))
    await podman("network", "create", "--subnet", ipam.config[0]?.subnet ?? "", name);
}, 900_000);

afterAll(async () => {
  await engine?.stop();
  await rm(home, { recursive: true, force: true });
}, 120_000);

/** Asks until the answer is 200. */
async function waitFor(url: string): Promise<void> {
  await expect.poll(() => fetch(url).then(({ status }) => status, String), { timeout: 120_000 }).toBe(200);
}

// The steps of a life, one after the other.
describe("compose.yaml", { shuffle: false }, () => {
  const origin = { url: "", port: 0 };
  const compose = () => readCompose({ WAREHOUSE: warehouse }, block);

  it("starts the server and nginx before there is a release, and after a sync that fails", async () => {
    origin.port = await findPorts(1);
    origin.url = `http://127.0.0.1:${origin.port}`;
    const empty = join(home, "empty");
    await mkdir(empty);
    await expect(runService(engine, readCompose({ WAREHOUSE: empty }, block), "sync")).rejects.toThrow(
      "no Parquet files",
    );
    await startService(engine, compose(), "server", await findPorts(1));
    await startService(engine, compose(), "nginx", origin.port);
    await waitFor(`${origin.url}/healthz`);
    const health = () => podman("healthcheck", "run", "server").then(() => "healthy", String); // its limit is 5 s
    await expect.poll(health, { timeout: 120_000 }).toBe("healthy");
    const response = await fetch(`${origin.url}/v1/status`);
    expect([response.status, await response.json()]).toEqual([
      503,
      expect.objectContaining({ code: "not_ready" }),
    ]);
  });

  it("syncs, with the names of organizations, and the server follows", async () => {
    expect(await runService(engine, compose(), "sync")).toContain("sync: release ");
    await waitFor(`${origin.url}/v1/status`);
    const status = (await (await fetch(`${origin.url}/v1/status`)).json()) as {
      data: { totals: { organizations: number } };
    };
    expect(JSON.stringify(status)).toMatch(/"organizations":[1-9]/);
  });

  it("has no packages for development in its image", async () => {
    const packages = (await podman("exec", "server", "ls", "node_modules")).split("\n");
    expect(packages).toContain("@duckdb");
    expect(packages).not.toContain("vitest");
    expect(await podman("inspect", "--format", "{{.Config.User}}", "server")).toBe("1000:1000\n"); // Kubernetes needs a number
  });

  it("runs everything as user 1000, with no capabilities, on a read-only root", async () => {
    const script = `const { readFileSync, writeFileSync } = require("node:fs");
      const [, capabilities] = /CapBnd:\\s*(\\w+)/.exec(readFileSync("/proc/self/status", "utf8"));
      let code; try { writeFileSync("/srv/grants/file", "") } catch (error) { code = error.code }
      console.log(process.getuid(), process.getgid(), capabilities, code)`;
    expect(await podman("exec", "server", "node", "--eval", script)).toBe(
      "1000 1000 0000000000000000 EROFS\n",
    );
  });

  it("answers right or not at all while each part is restarted, killed and started again", async () => {
    const eins = (await (await fetch(`${origin.url}/v1/history?limit=1`)).json()) as {
      data: [{ funder_ein: string }];
    };
    const funder = `${origin.url}/v1/funders/${eins.data[0].funder_ein}/history`;
    // nginx never caches an export, so the server answers it.
    const client = await Client.start([
      `${funder}.csv`,
      `${funder}?limit=10`,
      `${origin.url}/v1/history?min_amount=1000`,
    ]);
    for (const name of ["server", "nginx"]) {
      await podman("restart", name);
      await client.recover();
      const pid = Number(await podman("inspect", "--format", "{{.State.Pid}}", name));
      expect(pid).toBeGreaterThan(1); // 0 would be this process and its relatives
      process.kill(pid, "SIGKILL"); // the engine starts it again
      await client.recover();
      await podman("kill", name);
      await podman("start", name);
      await client.recover();
    }
    await client.stop();
    expect(client.wrong).toEqual([]);
    expect(client.failures).toBeGreaterThan(0); // it did notice
  });

  it("stops the server in time, without an error", async () => {
    await podman("stop", "server");
    expect(await podman("inspect", "--format", "{{.State.ExitCode}}", "server")).toBe("0\n");
  });
});

describe("the systemd units", { shuffle: false }, () => {
  const inside = (...command: readonly string[]) =>
    podman("exec", "--workdir", "/srv/grants", "units", ...command);
  const show = (unit: string, ...names: readonly string[]) =>
    inside("systemctl", "show", unit, "--value", ...names.flatMap((name) => ["--property", name]));
  const ip = `${block}4`;
  const url = `http://${ip}:8080`;

  beforeAll(async () => {
    const folders = ["-v", `${checkout}:/srv/grants:ro`, "-v", `${warehouse}:/srv/grants-warehouse:ro`];
    await podman(
      "run",
      "--detach",
      "--name",
      "units",
      "--privileged",
      "--systemd=always",
      ...["--network", "front", "--ip", ip],
      ...folders,
      base,
      "/sbin/init",
    );
  });

  it("are set up by the commands of docs/one-machine.md", async () => {
    await expect
      .poll(() => inside("systemctl", "is-system-running").catch(String), { timeout: 120_000 })
      .toBe("running\n");
    const section = findSection(readDocument("docs/one-machine.md"), "Account and units");
    const [{ code = "" } = {}] = findBlocks(section);
    expect(code).toContain("systemctl daemon-reload");
    const settings = "HOST=0.0.0.0\\nMEMORY=1GB\\nTHREADS=1\\n";
    await inside(
      "bash",
      "-ec",
      `printf '${settings}' > /etc/default/grants-sync\n${code.replaceAll("sudo ", "")}`,
    );
  });

  it("catch up on a night that the machine missed, and wait for the next one", async () => {
    const stamp = "/var/lib/systemd/timers/stamp-grants-sync.timer";
    await inside("bash", "-ec", `mkdir -p $(dirname ${stamp}) && touch -d "2 days ago" ${stamp}`);
    await inside("systemctl", "enable", "--now", "grants-sync.timer");
    await expect
      .poll(() => inside("journalctl", "--unit", "grants-sync.service", "--output", "cat"), {
        timeout: 300_000,
      })
      .toMatch(/Finished|Failed/);
    expect(await show("grants-sync.service", "Result", "NRestarts")).toBe("success\n0\n");
    expect(await inside("stat", "--format", "%U", "/srv/grants-data/current/manifest.json")).toBe("grants\n");
    expect(await show("grants-sync.timer", "NextElapseUSecRealtime")).toMatch(/ 04:00:00 UTC\n$/);
  });

  it("share the data folder with commands in the shell that docs/operate.md opens", async () => {
    const [{ code = "" } = {}] = findBlocks(
      findSection(readDocument("docs/operate.md"), "The shell of grants"),
    );
    const [shell = "", ...lines] = code.trim().split("\n");
    const commands = [...lines, "make sync FORCE=1 MEMORY=1GB THREADS=1", "make releases"].join("\n");
    const [, user = ""] = /^sudo -u (\w+) bash$/.exec(shell) ?? [];
    expect(await inside("runuser", "--user", user, "--", "bash", "-ec", commands)).toContain("  current\n");
    await inside("systemctl", "start", "grants-sync.service");
  });

  it("start the server again when it is killed, and stop it without an error", async () => {
    await inside("systemctl", "enable", "--now", "grants-server.service");
    await waitFor(`${url}/readyz`);
    await inside("systemctl", "kill", "--signal=KILL", "grants-server.service");
    await expect.poll(() => show("grants-server.service", "NRestarts"), { timeout: 120_000 }).toBe("1\n");
    await waitFor(`${url}/v1/history?min_amount=1000`);
    await inside("systemctl", "stop", "grants-server.service");
    expect(await show("grants-server.service", "Result", "ActiveState")).toBe("success\ninactive\n");
    expect(await inside("ls", "/srv/grants-data/search-log")).not.toBe("");
  });
});
