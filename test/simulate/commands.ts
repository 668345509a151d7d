// Runs commands, first with a fault at a random operation, then without one.
import { pick, type Random } from "../../pipeline/verify/random.ts";
import { check } from "./checks.ts";
import type { Disk } from "./disk.ts";
import { type Fault, type FaultKind, isLarge, Run } from "./operations.ts";

const day = 24 * 60 * 60 * 1000;

/** A moment that all commands share, in milliseconds. */
export type Clock = { now: number };

/** A command. */
export type Command = {
  readonly name: string;
  readonly disk: Disk;
  readonly work: () => Promise<unknown>;
  /** What happens while a run with a fault is paused. */
  readonly meanwhile?: () => Promise<void>;
  /** False if the power cannot fail: the files of a database are not watched. */
  readonly hasPower?: boolean;
};

/** What happened in a disturbed run. */
export type Disturbed = { readonly fault: Fault; readonly error: unknown };

/** The last moment at which the power may fail: the command has succeeded. */
const end = "the end";

export class Commands {
  readonly #random: Random;
  readonly #clock: Clock;
  /** The operations of each command's last run without a fault: how many of each name. */
  readonly #operations = new Map<string, ReadonlyMap<string, number>>();
  /** How often each fault happened, and how often its operation did not come. */
  readonly faults = new Map<string, number>();
  /** The last fault. */
  fault: Fault | undefined;

  constructor(random: Random, clock: Clock) {
    this.#random = random;
    this.#clock = clock;
  }

  /** In most nights, runs a command with a fault. @throws Error if it fails without its fault */
  async disturb(command: Command): Promise<Disturbed | undefined> {
    this.fault = undefined;
    const fault = this.#draw(command);
    if (fault === undefined) return undefined;
    this.fault = fault;
    const run = new Run(command.disk, fault, async (kind) => {
      if (kind === "jump") this.#clock.now += Math.floor((this.#random() * 2 - 1) * 20) * day;
      else await command.meanwhile?.();
    });
    const error = await run.watch(command.work);
    if (fault.operation === end && error === undefined) command.disk.cutPower();
    const happened = run.hasHappened || fault.operation === end ? fault.kind : "none";
    const name = `${command.name}: ${happened}`;
    this.faults.set(name, (this.faults.get(name) ?? 0) + 1);
    check(
      happened !== "none" || error === undefined,
      `the ${command.name} failed by itself: ${String(error)}`,
    );
    return { fault, error };
  }

  /** Runs a command without a fault, which must succeed. */
  async succeed(command: Command): Promise<void> {
    const run = new Run(command.disk);
    const error = await run.watch(command.work);
    if (error !== undefined) throw error;
    this.#operations.set(command.name, run.counts);
  }

  /** Names of operations are as likely however often each occurs; those that decide what is on the disk more so. */
  #draw({ name, meanwhile, hasPower = true }: Command): Fault | undefined {
    const random = this.#random;
    const operations = this.#operations.get(name);
    if (operations === undefined || random() < 0.25) return undefined;
    if (hasPower && random() < 0.12) return { kind: "cut", operation: end, nth: 1 };
    const names = [...operations.keys()];
    const first = pick(random, names);
    const operation = /^(flush|rename|symlink|rm|sql|\w+Command)/.test(first) ? first : pick(random, names);
    const nth = 1 + Math.floor(random() * (operations.get(operation) ?? 1));
    const kinds: FaultKind[] = ["kill", "error", "jump"];
    if (/Command /.test(operation))
      kinds.push("lost", "busy", ...(meanwhile ? (["pause", "pause"] as const) : []));
    else if (hasPower) kinds.push("cut", "cut");
    if (isLarge(operation)) kinds.push("full");
    return { kind: pick(random, kinds), operation, nth };
  }
}

export function formatFault({ kind, operation, nth }: Fault): string {
  return `${kind} at "${operation}" number ${nth}`;
}
