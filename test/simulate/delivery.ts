// Simulates what follows a release: it is published to a bucket, pulled from there to another machine, and followed by a client.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Bucket } from "../../pipeline/base/bucket/bucket.ts";
import type { Progress } from "../../pipeline/base/progress.ts";
import { publish } from "../../pipeline/delivery/publish.ts";
import { pull } from "../../pipeline/delivery/pull.ts";
import { readStoreSettings } from "../../pipeline/delivery/settings.ts";
import { work as removePruned } from "../../pipeline/releases/retention.ts";
import { pick, type Random } from "../../pipeline/verify/random.ts";
import { follow } from "../../tools/follow/follow.ts";
import { Store } from "../pipeline/base/bucket/store.fixture.ts";
import { readCopy, type StaticHost, serveFiles } from "../tools/follow/follow.fixture.ts";
import { check, checkFolder, checkPages, checkServed, keep, listPages, readCurrent } from "./checks.ts";
import type { Clock, Commands } from "./commands.ts";
import type { Disk } from "./disk.ts";
import { Cache, checkBucket, prefix } from "./host.ts";
import { Run } from "./operations.ts";

/** Milliseconds without a sign of life after which a publisher counts as killed. */
const lease = 60_000;

type Surroundings = {
  readonly commands: Commands;
  readonly progress: Progress;
  readonly clock: Clock;
  readonly random: Random;
  /** Where releases are made, and the folder of the other machine. */
  readonly data: Disk;
  readonly copy: Disk;
  /** The folders of two clients, which keep their copies in different formats. */
  readonly parquet: Disk;
  readonly duckdb: Disk;
};

export class Delivery {
  readonly #around: Surroundings;
  readonly #cache = new Cache();
  #store: Store | undefined;
  #host: StaticHost | undefined;
  #publishers = 0;
  /** False after a pull that failed: old releases stay in the copy until the next one is pulled. */
  #isTidy = true;
  /** The release that the bucket had last, and the pages that were missed while the next one was published. */
  #published: readonly string[] = [];
  #missed: string[] = [];

  constructor(around: Surroundings) {
    this.#around = around;
  }

  async close(): Promise<void> {
    this.#host?.close();
    await this.#store?.stop();
  }

  /** @param released the lines of each release */
  async run(night: number, id: string, released: ReadonlyMap<string, readonly string[]>): Promise<void> {
    this.#store ??= await Store.start();
    this.#host ??= await serveFiles(this.#around.copy.root);
    const lines = released.get(id) ?? [];
    await this.#publish(id, released);
    await this.#pull(id, released);
    await this.#follow(night % 2 === 0 ? "parquet" : "duckdb", lines);
  }

  async #publish(id: string, released: ReadonlyMap<string, readonly string[]>): Promise<void> {
    const { commands, data, copy, random } = this.#around;
    const store = this.#store as Store;
    const lines = released.get(id) ?? [];
    this.#watch(store, lines, released);
    const others = existsSync(join(copy.root, "current")) ? [data, copy] : [data];
    const command = {
      name: "publish",
      disk: data,
      work: this.#publisher(data, () => (random() < 0.5 ? 2 * lease : 0)),
      // Another publisher works meanwhile, perhaps one on the other machine, which has yesterday's release.
      meanwhile: async () => void (await new Run(data).watch(this.#publisher(pick(random, others), () => 0))),
    };
    const disturbed = await commands.disturb(command);
    // Before the publish is repeated, the other machine may bring back what it has.
    if (disturbed?.error !== undefined && others.length > 1 && random() < 0.5) {
      await commands.succeed({
        name: "publish elsewhere",
        disk: copy,
        work: this.#publisher(copy, () => 0),
      });
      this.#checkBucket(copy.root, readCurrent(copy.root));
      this.#watch(store, lines, released);
    }
    await commands.succeed(command);
    check(this.#missed.length === 0, `a publish took away ${this.#missed[0]}`);
    this.#checkBucket(data.root, id);
    this.#published = lines;
  }

  #checkBucket(data: string, id: string): void {
    checkBucket(this.#store as Store, data, id);
    this.#cache.check(data, id);
  }

  /** Publishes the release of a folder. @param stalled milliseconds that a pause takes, on the clock of the publisher */
  #publisher(from: Disk, stalled: () => number): () => Promise<unknown> {
    const { progress, clock, random } = this.#around;
    const store = this.#store as Store;
    return async () => {
      let slept = 0;
      let paused = false;
      const started = this.#publishers;
      const now = () => {
        if (!paused && this.#publishers > started + 1) {
          paused = true;
          slept += stalled();
        }
        return slept;
      };
      const sleep = async (milliseconds: number) => {
        slept += milliseconds;
      };
      const address = { bucket: store.bucket, prefix };
      const bucket = new Bucket(address, readStoreSettings(store.environment), {
        random,
        sleep: async () => {},
      });
      const isSyncScheduled = false;
      const settings = {
        data: from.root,
        keep,
        isForced: false,
        isDryRun: false,
        origin: "",
        isSyncScheduled,
      };
      const purge = async (paths: readonly string[]) => {
        await Run.enter("purge", () => this.#cache.purge(paths));
      };
      const context = {
        progress,
        clock: () => new Date(clock.now),
        purge,
        lease,
        sleep,
        now,
        note: progress.note,
      };
      const publisher = `publisher ${this.#publishers++}`;
      await publish(bucket, settings, { ...context, publisher }).finally(() => bucket.close());
    };
  }

  /** At every request, the bucket has each page that both releases have, and each one of a release that it has come to name. */
  #watch(store: Store, after: readonly string[], released: ReadonlyMap<string, readonly string[]>): void {
    const next = listPages(after);
    const common = [...listPages(this.#published).keys()].filter((key) => next.has(key));
    this.#missed = [];
    const miss = (keys: Iterable<string>) => {
      for (const key of keys)
        if (!store.objects.has(`${prefix}public/${key}`) && this.#missed.length < 3) this.#missed.push(key);
    };
    const readRelease = () =>
      /"release": "(\w+)"/.exec(String(store.objects.get(`${prefix}publish.json`)?.body))?.[1];
    let named = readRelease();
    store.onRequest = () => {
      miss(common);
      const release = readRelease();
      if (release !== named && release !== undefined) miss(listPages(released.get(release) ?? []).keys());
      named = release;
    };
  }

  async #pull(id: string, released: ReadonlyMap<string, readonly string[]>): Promise<void> {
    const { commands, copy, progress, random } = this.#around;
    const store = this.#store as Store;
    const work = async () => {
      const address = { bucket: store.bucket, prefix };
      const bucket = new Bucket(address, readStoreSettings(store.environment), {
        random,
        sleep: async () => {},
      });
      const settings = { data: copy.root, keep, isForced: false, memory: "500MB", threads: 1 };
      await pull(bucket, settings, progress).finally(() => bucket.close());
    };
    const command = { name: "pull", disk: copy, work };
    const before = existsSync(join(copy.root, "current")) ? readCurrent(copy.root) : undefined;
    const disturbed = await commands.disturb(command);
    if (disturbed !== undefined && before !== undefined) {
      const served = readCurrent(copy.root);
      check(served === before || served === id, `a failed pull left release ${served}`);
      check(
        served === id || disturbed.error !== undefined,
        "a pull succeeded, but the release is not current",
      );
      await checkServed(copy.root, served, released.get(served) ?? []);
    }
    await commands.succeed(command);
    for await (const _ of removePruned(copy.root));
    check(readCurrent(copy.root) === id, `the copy has release ${readCurrent(copy.root)}`);
    checkPages(copy.root, id, released.get(id) ?? []);
    if (disturbed !== undefined) this.#isTidy = false;
    else if (id !== before) this.#isTidy = true;
    await checkFolder(copy.root, released, this.#isTidy);
  }

  async #follow(format: "parquet" | "duckdb", lines: readonly string[]): Promise<void> {
    const { commands, [format]: disk, progress } = this.#around;
    const host = this.#host as StaticHost;
    const into = join(disk.root, `grants.${format}`);
    const settings = { from: host.url, into, memory: "500MB", threads: 1 };
    const hasPower = format === "parquet"; // what DuckDB flushes of a database is not watched
    const command = {
      name: `follow (${format})`,
      disk,
      work: () => follow(settings, progress.note),
      hasPower,
    };
    await commands.disturb(command);
    await commands.succeed(command);
    const found = await readCopy(into);
    const expected = lines.map((line) => Number(/"id":(\d+)/.exec(line)?.[1])).sort((a, b) => a - b);
    check(
      found.map((row) => Number(row.split("|")[0])).join() === expected.join(),
      "the follower has other records",
    );
  }
}
