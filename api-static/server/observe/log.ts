// Writes the log: JSON lines for machines, one for every request and every event.
import { createWriteStream, fstatSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import { inspect } from "node:util";

export const logLevels = ["error", "warn", "info", "debug", "silent"] as const;

export type LogLevel = (typeof logLevels)[number];

type Write = (message: string, fields?: Readonly<Record<string, unknown>>) => void;

/** Writes a line, or nothing if the log omits its level. An error in the field `err` is written with its stack. */
export type Log = Readonly<Record<Exclude<LogLevel, "silent">, Write>>;

/** A log whose lines look like `{"level":"info","time":"2026-11-20T23:00:00.000Z",…,"message":"answered"}`. */
export function createLog(level: LogLevel, clock: () => Date, stream: { write(line: string): unknown }): Log {
  const writeAt = (name: LogLevel): Write => {
    if (level === "silent" || logLevels.indexOf(name) > logLevels.indexOf(level)) return () => undefined;
    return (message, fields = {}) => {
      const line: Record<string, unknown> = { level: name, time: clock().toISOString(), ...fields };
      if (fields.err !== undefined) line.err = describe(fields.err);
      line.message = message;
      stream.write(`${JSON.stringify(line)}\n`);
    };
  };
  return { error: writeAt("error"), warn: writeAt("warn"), info: writeAt("info"), debug: writeAt("debug") };
}

/** An error as an object of JSON. Its stack has the stacks of its causes. */
function describe(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  return { type: error.constructor.name, message: error.message, stack: inspect(error) };
}

/** Bytes of lines that wait for a slow reader of stdout. Further lines are dropped, because memory is bounded. */
const maxWaitingBytes = 4 * 1024 * 1024;

/** Milliseconds that a line waits for others, because each write wakes up the reader of a pipe. */
const gatherTime = 10;

/** Milliseconds that a slow reader has to read the waiting lines when the process ends. */
const endGrace = 500;

/**
 * Standard output, written without blocking requests. No line is kept for the end of the process if its reader has stopped
 * reading.
 */
export class Stdout {
  readonly #stream =
    fstatSync(1).isFIFO() || fstatSync(1).isSocket()
      ? new Socket({ fd: 1, readable: false, writable: true }).unref()
      : createWriteStream("", { fd: 1 });
  #lines = "";

  constructor() {
    this.#stream.on("error", () => undefined); // the reader is gone
    process.once("exit", () => this.#writeLast());
  }

  write(line: string): void {
    if (this.#stream.writableLength > maxWaitingBytes) return;
    if (this.#lines === "") setTimeout(() => this.#flush(), gatherTime);
    this.#lines += line;
  }

  /** Writes all lines. After that, lines that are not read soon are dropped. */
  end(): void {
    this.#flush();
    this.#stream.end();
    setTimeout(() => this.#stream.destroy(), endGrace).unref();
  }

  #flush(): void {
    if (this.#lines !== "" && this.#stream.writable) this.#stream.write(this.#lines);
    this.#lines = "";
  }

  /** Writes the lines that an exit would lose. */
  #writeLast(): void {
    try {
      writeSync(1, this.#lines);
    } catch {
      // the reader is gone or too slow
    }
  }
}
