// Reads compose.yaml, and starts its services with podman as it declares them. Docker Compose is not needed.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { checkout } from "../pipeline/release.fixture.ts";
import type { Engine } from "./engine.fixture.ts";

export type Service = {
  readonly image: string;
  readonly build?: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly healthcheck?: { readonly disable: boolean };
  readonly volumes: readonly string[];
  readonly networks?: Readonly<Record<string, { readonly ipv4_address: string }>>;
  readonly ports?: readonly string[];
  readonly read_only: boolean;
  readonly tmpfs: readonly string[];
  readonly cap_drop: readonly string[];
  readonly cap_add?: readonly string[];
  readonly security_opt: readonly string[];
  readonly restart: string;
  readonly stop_grace_period?: string;
  readonly depends_on?: readonly string[];
};

export type Compose = {
  readonly services: Readonly<Record<string, Service>>;
  readonly networks: Readonly<
    Record<string, { readonly ipam: { readonly config: readonly { readonly subnet: string }[] } }>
  >;
};

/** The keys that `startService` passes on, or that do not concern a running container. */
export const knownKeys: readonly string[] = [
  ...["image", "build", "command", "environment", "healthcheck", "volumes", "networks", "ports", "read_only"],
  ...["tmpfs", "cap_drop", "cap_add", "security_opt", "restart", "stop_grace_period", "depends_on"],
];

/** The start of the addresses in compose.yaml. */
const usualBlock = "10.213.80.";

/**
 * Returns the start of addresses that no interface of this machine has: a killed run leaves its bridge behind, and another run may
 * be under way. os.networkInterfaces() omits a bridge without containers.
 */
export function findBlock(): string {
  const used = readFileSync("/proc/net/fib_trie", "utf8");
  const blocks = Array.from({ length: 256 }, (_, index) => `10.213.${(process.pid + index) % 256}.`);
  const block = blocks.find((start) => !used.includes(`-- ${start}`));
  if (block === undefined) throw new Error("every network 10.213.0.0/24 to 10.213.255.0/24 is in use");
  return block;
}

/** Reads compose.yaml, with its variables replaced and its addresses moved to a block. */
export function readCompose(
  variables: Readonly<Record<string, string>> = {},
  block: string = usualBlock,
): Compose {
  const text = readFileSync(join(checkout, "compose.yaml"), "utf8");
  const filled = text.replace(/\$\{(\w+):-([^}]*)\}/g, (_, name, usual) => variables[name] ?? usual);
  return parse(filled.replaceAll(usualBlock, block), { merge: true });
}

/** The options of `podman run` for a service. @param port replaces the published port */
function optionsOf(service: Service, port: number): string[] {
  const each = (option: string, values: readonly string[] = []) => values.flatMap((value) => [option, value]);
  const volumes = service.volumes.map((volume) =>
    volume.startsWith("./") ? join(checkout, volume) : volume,
  );
  const networks = Object.entries(service.networks ?? {});
  return [
    ...(service.read_only ? ["--read-only"] : []),
    ...(service.healthcheck?.disable ? ["--no-healthcheck"] : []),
    ...[
      "--restart",
      service.restart,
      "--stop-timeout",
      String(Number.parseInt(service.stop_grace_period ?? "10", 10)),
    ],
    ...each(
      "--env",
      Object.entries(service.environment ?? {}).map((pair) => pair.join("=")),
    ),
    ...each("--volume", volumes),
    ...each("--tmpfs", service.tmpfs),
    ...each("--cap-drop", service.cap_drop),
    ...each("--cap-add", service.cap_add),
    ...each(
      "--security-opt",
      service.security_opt.map((option) => option.replace(":true", "")),
    ),
    ...each(
      "--publish",
      service.ports?.map((published) => published.replace(/:\d+:/, `:${port}:`)),
    ),
    ...networks.flatMap(([network, { ipv4_address }]) => ["--network", network, "--ip", ipv4_address]),
  ];
}

/** Starts a service in the background, as `up` does. */
export async function startService(
  engine: Engine,
  { services }: Compose,
  name: string,
  port: number,
): Promise<void> {
  const service = services[name] as Service;
  await engine.podman(
    "run",
    "--detach",
    "--name",
    name,
    ...optionsOf(service, port),
    service.image,
    ...(service.command ?? []),
  );
}

/** Runs a service to its end, as `run --rm` does. @returns what it printed @throws Error if it failed */
export async function runService(engine: Engine, { services }: Compose, name: string): Promise<string> {
  const service = services[name] as Service;
  return engine.podman("run", "--rm", ...optionsOf(service, 0), service.image, ...(service.command ?? []));
}
