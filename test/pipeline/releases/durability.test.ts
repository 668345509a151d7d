// Tests in which order a release reaches the disk: a power cut at any moment must leave `current` naming a whole release.
import { mkdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { compileLibrary, hasCompiler, traceEnvironment } from "../faults.fixture.ts";
import { spread, startCommand, syncHere } from "../trust.fixture.ts";
import { useFolder, useParquet } from "../warehouse/warehouse.fixture.ts";

const folder = useFolder();
const { put } = useParquet(folder);

describe.skipIf(!hasCompiler)("on the disk", () => {
  let [library, warehouse, data, list] = ["", "", "", ""];
  let first = "";

  beforeAll(async () => {
    await mkdir(join(folder.root, "none"), { recursive: true });
    library = await compileLibrary(folder.root);
    warehouse = await put(join(folder.root, "w.parquet"), spread(3), "FROM range(30) t(i)");
    data = join(folder.root, "data");
    first = basename(await syncHere(warehouse, data));
  });

  /** Runs a command and returns the calls that make names and content durable, from the first one named on. */
  async function trace(
    command: string,
    start: string,
    environment: Record<string, string>,
  ): Promise<string[]> {
    list = join(folder.home, "calls");
    const { code, stderr } = await startCommand(command, {
      ...{ WAREHOUSE: warehouse, DATA: data },
      ...environment,
      ...traceEnvironment(library, data, list),
    }).ended;
    expect(code, stderr).toBe(0);
    const calls = (await readFile(list, "utf8")).split("\n").slice(0, -1);
    const durable = calls.filter((call) => /^(fsync|syncfs|rename|symlink) /.test(call));
    expect(durable).toContain(start);
    return durable.slice(durable.indexOf(start));
  }

  const placing = ["ndjson.gz", "parquet"].flatMap((name) =>
    ["fsync", "rename"].map((call) => `${call} /building/changes/${name}`),
  );
  const replacing = (name: string) => [
    `fsync /changes/${name}.next`,
    `rename /changes/${name}.next`,
    "fsync /changes",
  ];
  const changes = [...placing, "fsync /changes", ...replacing("pending.json")];
  const activation = ["symlink /current.next", "rename /current.next", "fsync "];

  it("a sync flushes a release before it moves it to its place, and flushes that folder before it makes the release current", async () => {
    const flush = "syncfs /building/release";
    const calls = await trace("sync", flush, { FORCE: "1" });
    const expected = [
      flush,
      ...changes,
      "symlink /building/release/public/v1/changes",
      "fsync /building/release/public/v1",
      "fsync /building/release/manifest.json",
      "fsync /building/release",
      "rename /building/release",
      "fsync /releases",
      ...activation,
      ...replacing("index.json"),
    ];
    expect(calls.slice(0, expected.length)).toEqual(expected);
  });

  it("a rollback is recorded before the release is made current", async () => {
    await syncHere(warehouse, data, { FORCE: "1" });
    const calls = await trace("rollback", "fsync /rollbacks.json.next", { TO: first });
    const recording = ["fsync /rollbacks.json.next", "rename /rollbacks.json.next", "fsync "];
    const expected = [...recording, ...changes, ...activation, ...replacing("index.json")];
    expect(calls.slice(0, expected.length)).toEqual(expected);
  });
});
