// Watches every operation of a simulated run: of the file system, of DuckDB and of the bucket. Makes the chosen one fail.
import { AsyncLocalStorage } from "node:async_hooks";
import child from "node:child_process";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { promisify } from "node:util";
import { S3Client } from "@aws-sdk/client-s3";
import { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import type { Disk } from "./disk.ts";

/**
 * What happens at an operation. "kill" and "cut" end the run before it, or in the middle of a file's text: every later operation fails too,
 * and after a power cut the disk has only what was flushed. "full": this and later writes find no space. "error": the operation fails once. "busy": it may be repeated. "lost":
 * it is done, but its answer is lost. "jump": the clock is set to another day. "pause": the run waits while another one does the same work.
 */
export type FaultKind = "kill" | "cut" | "full" | "error" | "busy" | "lost" | "jump" | "pause";

/** The `nth` operation of this name, e.g., "rename changes/pending.json.next". */
export type Fault = { readonly kind: FaultKind; readonly operation: string; readonly nth: number };

const runs = new AsyncLocalStorage<Run>();

/** One run of a command, which may end at a fault. */
export class Run {
  /** The operations so far, by name. */
  readonly counts = new Map<string, number>();
  readonly disk: Disk;
  readonly fault: Fault | undefined;
  hasHappened = false;
  #isDead = false;
  #isFull = false;
  #open = 0;
  readonly #meanwhile: (kind: FaultKind) => Promise<void>;

  /** @param meanwhile what happens at a jump or a pause */
  constructor(disk: Disk, fault?: Fault, meanwhile: (kind: FaultKind) => Promise<void> = async () => {}) {
    this.disk = disk;
    this.fault = fault;
    this.#meanwhile = meanwhile;
  }

  /** Runs work, and waits for operations that it left behind. Returns its error. */
  async watch(work: () => Promise<unknown>): Promise<unknown> {
    const error = await runs.run(this, work).then(
      () => undefined,
      (reason: unknown) => reason ?? new Error("it failed without an error"),
    );
    while (this.#open > 0) await new Promise((resolve) => setTimeout(resolve, 1));
    if (this.#isDead && this.fault?.kind === "cut") this.disk.cutPower();
    return error;
  }

  /** Does an operation that nothing else watches, in the run that it belongs to. */
  static async enter(operation: string, work: () => void): Promise<void> {
    runs.getStore()?.enter(operation);
    work();
  }

  /** Counts an operation before it is done. Returns what happens at it; "kill" is thrown. */
  enter(operation: string, isWrite = true): FaultKind | undefined {
    if (this.#isDead) throw new Error(`killed at ${this.fault?.operation}`);
    if (this.#isFull && isLarge(operation)) throw failure("ENOSPC", "no space left on device", operation);
    if (!isWrite) return undefined;
    const count = (this.counts.get(operation) ?? 0) + 1;
    this.counts.set(operation, count);
    const { fault } = this;
    const isHere = fault?.operation === operation && fault.nth === count;
    this.hasHappened ||= isHere;
    this.#isDead ||= isHere && /kill|cut/.test(fault.kind);
    this.#isFull ||= isHere && fault.kind === "full";
    if (this.#isDead) throw new Error(`killed at ${operation}`);
    if (this.#isFull && isLarge(operation)) throw failure("ENOSPC", "no space left on device", operation);
    if (isHere && fault.kind === "busy") throw failure("ECONNREFUSED", "connection refused", operation);
    if (isHere && fault.kind === "error") throw failure("EIO", "input/output error", operation);
    return isHere ? fault.kind : undefined;
  }

  /** Does an operation, and what happens at it. */
  async perform<Result>(operation: string, isWrite: boolean, work: () => Promise<Result>): Promise<Result> {
    const kind = this.enter(operation, isWrite);
    if (kind === "jump" || kind === "pause") await runs.exit(() => this.#meanwhile(kind));
    if (this.#isDead) return this.perform(operation, false, work);
    this.#open += 1;
    const result = await work().finally(() => {
      this.#open -= 1;
    });
    if (kind === "lost") throw failure("ECONNRESET", "socket hang up", operation);
    if (this.#isDead) throw new Error(`killed at ${this.fault?.operation}`);
    return result;
  }
}

/** True for operations that need space. */
export function isLarge(operation: string): boolean {
  return /^(write|open|mkdir|link|symlink|copy|sql (COPY|CREATE|INSERT))/.test(operation);
}

function failure(code: string, text: string, operation: string): Error {
  const prefix = operation.startsWith("sql") ? "IO Error: " : `${code}: `;
  return Object.assign(new Error(`${prefix}${text}, ${operation}`), { code });
}

/** The name of an operation at a path: the same every night. */
function nameOf(run: Run, operation: string, path: unknown): string {
  const below = String(path).split(`${run.disk.root}/`)[1] ?? String(path).replace(/^.*\//, "/");
  return `${operation} ${below.replace(/[0-9a-f]{8}-[0-9a-f-]{27}|verify-spill-\w+|\d+/g, "#")}`;
}

/** Calls that write; the path that names each is that of its argument. The others only fail in a run that was killed. */
const writes: Readonly<Record<string, number>> = {
  ...{ writeFile: 0, rename: 0, symlink: 1, mkdir: 0, rm: 0, copyFile: 1, truncate: 0, mkdtemp: 0 },
  ...{ linkSync: 1, copyFileSync: 1, unlinkSync: 0, rmSync: 0 },
};
const reads = {
  promises: ["readFile", "readdir", "readlink", "stat", "lstat", "access", "realpath"],
  sync: ["readFileSync", "readdirSync", "statSync", "readSync", "writeSync", "writeFileSync"],
};

type Call = (...parameters: unknown[]) => unknown;
type Calls = Record<string, Call>;

/** Replaces a call by one that a run watches. Outside of runs it is unchanged. */
function replace(
  calls: object,
  name: string,
  watched: (run: Run, call: () => unknown, parameters: unknown[]) => unknown,
) {
  const original = (calls as Calls)[name] as Call;
  (calls as Calls)[name] = function (this: unknown, ...parameters: unknown[]) {
    const run = runs.getStore();
    const call = () => original.apply(this, parameters);
    return run === undefined ? call() : watched(run, call, parameters);
  };
}

/** Makes all operations of this process watched. Call it once, before any run. */
export function watchOperations(): void {
  const { promises } = fs;
  const asCall = (call: () => unknown) => call as () => Promise<unknown>;
  for (const name of [...reads.promises, ...Object.keys(writes).filter((name) => !name.endsWith("Sync"))])
    replace(promises, name, async (run, call, parameters) => {
      const operation = nameOf(run, name, parameters[writes[name] ?? 0]);
      const hadHappened = run.hasHappened;
      try {
        return await run.perform(operation, name in writes, () =>
          run.disk.change(name, parameters as string[], asCall(call)),
        );
      } catch (error) {
        const [path, content] = parameters;
        if (name === "writeFile" && !hadHappened && run.hasHappened)
          run.disk.tear(String(path), String(content));
        throw error;
      }
    });
  for (const name of [...reads.sync, ...Object.keys(writes).filter((name) => name.endsWith("Sync"))])
    replace(fs, name, (run, call, parameters) => {
      run.enter(nameOf(run, name, parameters[writes[name] ?? 0]), name in writes);
      return call();
    });
  for (const name of ["openSync", "createWriteStream"])
    replace(fs, name, (run, call, [path, flags]) => {
      run.enter(nameOf(run, `open`, path), name === "createWriteStream" || /w|a|\+/.test(String(flags)));
      return call();
    });
  replace(promises, "open", async (run, call, [path]) => {
    const opening = asCall(call) as () => Promise<fs.promises.FileHandle>;
    const file = await performOpen(run, nameOf(run, "open", path), opening, (lost) => lost.close());
    const sync = file.sync.bind(file);
    file.sync = () =>
      run.perform(nameOf(run, "flush", path), true, async () => {
        await sync();
        run.disk.flush(String(path));
      });
    return file;
  });
  watchFlush();
  syncBuiltinESMExports();
  watchClients();
}

/** Opens something. A run that is killed meanwhile never gets it: it is closed, because Node ends a process that loses an open file. */
async function performOpen<Opened>(
  run: Run,
  operation: string,
  opening: () => Promise<Opened>,
  close: (opened: Opened) => unknown,
): Promise<Opened> {
  const opened: Opened[] = [];
  try {
    return await run.perform(operation, operation.startsWith("sql"), async () => {
      const one = await opening();
      opened.push(one);
      return one;
    });
  } catch (error) {
    for (const one of opened) await close(one);
    throw error;
  }
}

/** A sync flushes the whole file system by a command. */
function watchFlush(): void {
  const original = child.execFile;
  const run = promisify(original);
  const watched = async (file: string, parameters: readonly string[] = []) => {
    const watcher = runs.getStore();
    if (watcher === undefined) return run(file, [...parameters]);
    const path = parameters.at(-1) ?? "";
    await watcher.perform(nameOf(watcher, "flush all", path), true, async () => watcher.disk.flushAll());
    return { stdout: "", stderr: "" };
  };
  (child as unknown as Record<string, unknown>).execFile = Object.assign(
    (...parameters: Parameters<typeof original>) => original(...parameters),
    { [promisify.custom]: watched },
  );
}

/** Statements of DuckDB, and requests to the bucket. */
function watchClients(): void {
  const verb = (sql: unknown) => /\w+/.exec(String(sql).replace(/^\s*(--.*\n\s*)*/, ""))?.[0] ?? "";
  for (const name of ["run", "runAndReadAll", "stream"])
    replace(DuckDBConnection.prototype, name, async (run, call, [sql]) =>
      run.perform(`sql ${verb(sql)}`, true, call as () => Promise<unknown>),
    );
  replace(DuckDBInstance, "create", async (run, call, [path]) =>
    performOpen(run, nameOf(run, "sql open", path), call as () => Promise<DuckDBInstance>, (lost) =>
      lost.closeSync(),
    ),
  );
  replace(S3Client.prototype, "send", async (run, call, [command]) => {
    const { input } = command as { input: { Key?: string; Prefix?: string } };
    const { name } = (command as object).constructor;
    const operation = nameOf(run, name, `${run.disk.root}/${input.Key ?? input.Prefix}`);
    return run.perform(operation, true, call as () => Promise<unknown>);
  });
}
