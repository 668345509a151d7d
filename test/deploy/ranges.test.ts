// Tests that the Kubernetes component by which nodes share a sync makes ranges and joins them, in whatever order its pods start.
import { spawn } from "node:child_process";
import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { type EinRange, findEinProblem, readEinRange } from "../../pipeline/base/eins.ts";
import { inherited } from "../inherited.ts";
import { checkout } from "../pipeline/release.fixture.ts";
import { grant, useFolder, useParquet } from "../pipeline/warehouse/warehouse.fixture.ts";
import { itWhole } from "../whole.ts";

const folder = useFolder();
const { put } = useParquet(folder);

const manifests = join(checkout, "deploy/kubernetes");
const readJob = async (path: string) => parse(await readFile(join(manifests, path), "utf8"));
const containerOf = (job: { spec: { jobTemplate: { spec: { template: { spec: object } } } } }) =>
  (job.spec.jobTemplate.spec.template.spec as { containers: [Container] }).containers[0];

type Container = {
  readonly name: string;
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
};

const component = await readJob("ranges/ranges.yaml");
const container = containerOf(component);
const allEins = container.env.find(({ name }) => name === "ALL_EINS")?.value ?? "";
const ranges = allEins.split(" ");

it("patches the sync's Job, with an index for each range and one for the join; the ranges have every EIN once", async () => {
  const job = await readJob("cronjob.yaml");
  expect((await readJob("ranges/kustomization.yaml")).patches).toEqual([{ path: "ranges.yaml" }]);
  expect([component.kind, component.metadata.name]).toEqual([job.kind, job.metadata.name]);
  expect(container.name).toBe(containerOf(job).name);
  const { completionMode, completions, parallelism } = component.spec.jobTemplate.spec;
  expect([completionMode, completions, parallelism]).toEqual([
    "Indexed",
    ranges.length + 1,
    ranges.length + 1,
  ]);
  expect(findEinProblem(ranges.map((EINS) => readEinRange({ EINS }) as EinRange))).toBeUndefined();
});

itWhole("makes the ranges and joins them, in whatever order its pods start", async () => {
  const data = join(folder.home, "data");
  const programs = join(folder.home, "programs");
  await mkdir(programs);
  await writeFile(join(programs, "sleep"), "#!/bin/sh\nexec /bin/sleep 0.2\n");
  await chmod(join(programs, "sleep"), 0o755);
  const columns = { ...grant, id: "i", funder_ein: "100000000 + 10000000 * (i % 90)" };
  const env = {
    ...inherited(),
    ...{ WAREHOUSE: await put("grants.parquet", columns, "FROM range(900) t(i)"), DATA: data },
    ...{ ALL_EINS: allEins, JOB: "grants-sync-1", DUPLICATES: join(folder.home, "duplicates.parquet") },
    PATH: [programs, join(checkout, "tools/node/node_modules/.bin"), process.env.PATH].join(":"),
  };
  const [shell = "", ...options] = [...container.command, ...container.args];
  const indexes = ranges.map((_, index) => index + 1);
  const ended = [...indexes, 0].map(async (index) => {
    const child = spawn(shell, options, {
      cwd: checkout,
      env: { ...env, JOB_COMPLETION_INDEX: String(index) },
    });
    let text = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (some) => (text += some));
    const { promise, resolve } = Promise.withResolvers<number | null>();
    child.once("close", resolve);
    return [await promise, text] as const;
  });
  const results = await Promise.all(ended);
  for (const [code, text] of results) expect(code, text).toBe(0);
  expect(results.at(-1)?.[1]).toContain(" 900 grants, 90 funders,");
  expect((await readdir(join(data, "ranges"))).sort()).toEqual(ranges);
  expect(await readdir(data)).not.toContain("night");
});
