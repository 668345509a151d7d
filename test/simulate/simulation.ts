// Simulates nights: a warehouse changes, and a release is made, published, pulled and followed, while something fails.
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { readChain } from "../../api-static/release/chain.ts";
import { openDatabase } from "../../pipeline/base/database.ts";
import { Progress } from "../../pipeline/base/progress.ts";
import { listReleases } from "../../pipeline/releases/folders.ts";
import { gateRules } from "../../pipeline/releases/gate.ts";
import { work as removePruned } from "../../pipeline/releases/retention.ts";
import { rollback } from "../../pipeline/rollback.ts";
import { readSyncSettings } from "../../pipeline/settings.ts";
import { sync } from "../../pipeline/sync.ts";
import { pick, type Random, seedRandom } from "../../pipeline/verify/random.ts";
import { smallSite } from "../pipeline/smallSite.ts";
import {
  check,
  checkContent,
  checkFolder,
  checkPages,
  checkServed,
  keep,
  Mirror,
  readCurrent,
} from "./checks.ts";
import { type Clock, type Command, Commands, type Disturbed, formatFault } from "./commands.ts";
import { Delivery } from "./delivery.ts";
import { Disk } from "./disk.ts";
import { Grants } from "./grants.ts";
import { watchOperations } from "./operations.ts";

const day = 24 * 60 * 60 * 1000;

/** How many nights were simulated, how often each fault happened, and what was wrong. */
export type Simulated = {
  readonly nights: number;
  readonly seconds: number;
  readonly faults: ReadonlyMap<string, number>;
  readonly wrong: string | undefined;
};

/** The seed decides everything that happens, except how concurrent operations alternate. */
export type Course = { readonly seed: number; readonly nights: number; readonly folder: string };

let isWatching = false;

/** Simulates nights in a folder, until something is wrong. @param note receives what the pipeline wrote in a wrong night */
export async function simulate(
  { seed, nights, folder }: Course,
  note: (line: string) => void,
): Promise<Simulated> {
  if (!isWatching) watchOperations();
  isWatching = true;
  mkdirSync(folder, { recursive: true });
  const { instance, connection } = await openDatabase({ memory: "500MB", threads: 1, spillFolder: "" });
  // Each night has a seed of its own: what happens in it does not depend on how often earlier nights drew.
  let random = seedRandom(seed);
  const simulation = new Simulation(() => random(), folder, connection);
  const start = performance.now();
  let [night, wrong]: [number, string | undefined] = [0, undefined];
  try {
    for (; night < nights && wrong === undefined; night++) {
      random = seedRandom(seed + night * 7919);
      wrong = await simulation.run(night, note);
    }
  } finally {
    await simulation.close();
    connection.closeSync();
    instance.closeSync();
    rmSync(folder, { recursive: true });
  }
  const seconds = (performance.now() - start) / 1000;
  const { faults } = simulation.commands;
  return { nights: night, seconds, faults, wrong: wrong && `night ${night - 1} of seed ${seed}${wrong}` };
}

class Simulation {
  readonly #clock: Clock = { now: Date.UTC(2026, 0, 1, 4) };
  readonly commands: Commands;
  readonly #random: Random;
  readonly #folder: string;
  readonly #grants: Grants;
  readonly #connection: DuckDBConnection;
  readonly #mirror = new Mirror();
  readonly #disk: Disk;
  readonly #delivery: Delivery;
  /** The lines of each release. */
  readonly #released = new Map<string, readonly string[]>();
  /** False after a sync that failed: its old releases stay until the next one. */
  #isTidy = true;
  #lines: string[] = [];
  readonly #progress = new Progress({ write: (text: string) => this.#lines.push(text.trimEnd()) > 0 }, () =>
    performance.now(),
  );

  constructor(random: Random, folder: string, connection: DuckDBConnection) {
    this.#random = random;
    this.#folder = folder;
    this.#connection = connection;
    this.commands = new Commands(random, this.#clock);
    this.#grants = new Grants(random);
    const diskOf = (name: string) => new Disk(join(folder, name), join(folder, "kept", name), random);
    this.#disk = diskOf("data");
    const disks = {
      data: this.#disk,
      copy: diskOf("copy"),
      parquet: diskOf("parquet"),
      duckdb: diskOf("duckdb"),
    };
    const shared = { commands: this.commands, progress: this.#progress, clock: this.#clock, random };
    this.#delivery = new Delivery({ ...shared, ...disks });
  }

  close(): Promise<void> {
    return this.#delivery.close();
  }

  /** Simulates a night. Returns what is wrong, and after which fault. */
  async run(night: number, note: (line: string) => void): Promise<string | undefined> {
    this.#lines = [];
    try {
      this.#clock.now += day;
      if (night > 0) this.#grants.change();
      await this.#sync(night);
      if (this.#random() < 0.2) await this.#rollBack();
      const data = this.#disk.root;
      await this.#delivery.run(night, readCurrent(data), this.#released);
      return undefined;
    } catch (error) {
      for (const line of [...this.#lines, (error as Error).stack ?? ""]) note(line);
      const { fault } = this.commands;
      return `${fault === undefined ? "" : `, after ${formatFault(fault)}`}: ${(error as Error).message}`;
    }
  }

  async #sync(night: number): Promise<void> {
    const data = this.#disk.root;
    const before = night === 0 ? undefined : readCurrent(data);
    await this.#grants.write(this.#connection, join(this.#folder, "grants.parquet"));
    const lines = this.#grants.format();
    const kept = this.#random() < 0.1 ? 1 : keep;
    const command = this.#syncOf(kept);
    const disturbed = await this.#disturb(command, before, lines);
    this.#isTidy = disturbed === undefined;
    await this.commands.succeed(command);
    for await (const _ of removePruned(data));
    const id = readCurrent(data);
    check(id !== before, "the sync made no release");
    this.#released.set(id, lines);
    // A crawl that is pinned to the last release ends.
    if (before !== undefined && kept > 1) checkPages(data, before, this.#linesOf(before));
    await this.#check(lines, disturbed);
    if (night % 10 === 0) await checkContent(data, id);
  }

  /** @param kept the releases that it keeps */
  #syncOf(kept = keep): Command {
    const settings = readSyncSettings({
      WAREHOUSE: join(this.#folder, "grants.parquet"),
      DATA: this.#disk.root,
      KEEP: String(kept),
      ACCEPT: gateRules.join(),
      THREADS: "1",
      MEMORY: "500MB",
      SEARCH_PAGES: "0",
      SEARCH_LARGE_PAGES: "0",
    });
    const context = { progress: this.#progress, clock: () => new Date(this.#clock.now), site: smallSite };
    return { name: "sync", disk: this.#disk, work: () => sync(settings, context) };
  }

  /** Goes back to a kept release, if there is one, so that the next night's release is made from there. */
  async #rollBack(): Promise<void> {
    const { root: data } = this.#disk;
    const before = readCurrent(data);
    const others = (await listReleases(data)).filter((id) => id !== before);
    if (others.length === 0) return;
    const to = pick(this.#random, others);
    const release = { data, id: to, memory: "500MB", threads: 1 };
    const context = { progress: this.#progress, clock: () => new Date(this.#clock.now) };
    const command = { name: "rollback", disk: this.#disk, work: () => rollback(release, context) };
    const disturbed = await this.#disturb(command, before, this.#linesOf(to));
    await this.commands.succeed(command);
    check(readCurrent(data) === to, `a rollback to ${to} left ${readCurrent(data)}`);
    await this.#check(this.#linesOf(to), disturbed);
    await this.commands.succeed(this.#syncOf());
    check(readCurrent(data) === to, "a sync brought back what was rolled back");
  }

  #linesOf(id: string): readonly string[] {
    return this.#released.get(id) ?? [];
  }

  /** Runs a command with a fault. Whatever it does, the release of before is served as it was, or the next one is. */
  async #disturb(
    command: Command,
    before: string | undefined,
    lines: readonly string[],
  ): Promise<Disturbed | undefined> {
    const disturbed = await this.commands.disturb(command);
    if (disturbed === undefined || before === undefined) return disturbed;
    const data = this.#disk.root;
    const id = readCurrent(data);
    const served = id === before ? this.#linesOf(id) : lines;
    check(
      id !== before || disturbed.error !== undefined,
      `the ${command.name} succeeded, but ${id} is still current`,
    );
    await checkServed(data, id, served);
    checkPages(data, id, served);
    return disturbed;
  }

  /** The current release has these lines, and the changes lead to it. */
  async #check(lines: readonly string[], disturbed: Disturbed | undefined): Promise<void> {
    const data = this.#disk.root;
    const id = readCurrent(data);
    await checkServed(data, id, lines);
    checkPages(data, id, lines);
    await checkFolder(data, this.#released, this.#isTidy);
    const chain = await readChain(data);
    const isFirst = this.#released.size === 1;
    // A comparison that failed, but did not stop the run, makes an entry without files.
    const isExcused = disturbed?.error === undefined && /error|full/.test(disturbed?.fault.kind ?? "");
    const hasPath = chain !== undefined && this.#mirror.follow(data, chain, lines);
    const last = chain?.entries.slice(-2).map(({ from, to, reason }) => `${from} to ${to} (${reason})`);
    check(hasPath || isFirst || isExcused, `the last release leads nowhere, but: ${last?.join(", ")}`);
  }
}
