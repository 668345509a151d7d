// Owns the log: JSON lines for machines, one for every request and every event.
import { fstatSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import { type DestinationStream, type Logger, pino } from "pino";

export type Log = Pick<Logger, "error" | "warn" | "info" | "debug">;

export const logLevels = ["error", "warn", "info", "debug", "silent"] as const;

export type LogLevel = (typeof logLevels)[number];

/**
 * A log whose lines are e.g. `{"level":"info","time":"2026-11-20T23:00:00.000Z",…,"message":"answered"}`.
 * An `err` among a line's fields is written with its stack.
 */
export function createLog(level: LogLevel, clock: () => Date, stream: DestinationStream): Logger {
  return pino(
    {
      level,
      base: null, // whoever collects the lines knows the host and the process
      messageKey: "message",
      timestamp: () => `,"time":"${clock().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    stream,
  );
}

/** Bytes of lines that wait for a slow reader of stdout; what comes on top is dropped rather than kept in memory. */
const waitingMax = 4 * 1024 * 1024;

/** Where lines go, and its end: what has not been taken soon after is given up. */
export type LogStream = DestinationStream & { end(): void };

/**
 * Standard output, written aside from requests. Each line is begun at once, so that none is left for the end of the process:
 * there pino's stream would try for ever to write to a reader who is gone.
 */
export function openStdout(): LogStream {
  const kind = fstatSync(1);
  if (kind.isFIFO() || kind.isSocket()) return new PipeStream();
  const file = pino.destination({ dest: 1, sync: false, maxLength: waitingMax });
  return { write: (line) => file.write(line), end: () => undefined };
}

/** Milliseconds that a slow reader gets to take what waits when the process ends. */
const endPatience = 500;

/**
 * Standard output as a pipe that is never waited for: pino's stream has a thread write, and one that waits for a reader who
 * stands still keeps the process from ending.
 */
class PipeStream implements LogStream {
  readonly #socket = new Socket({ fd: 1, readable: false, writable: true });
  #lines: string[] = [];

  constructor() {
    this.#socket.unref();
    this.#socket.on("error", () => undefined); // nobody reads any more
    process.once("exit", () => this.#writeLast());
  }

  write(line: string): void {
    if (this.#socket.writableLength > waitingMax) return;
    if (this.#lines.push(line) === 1) setImmediate(() => this.#flush());
  }

  end(): void {
    this.#flush();
    this.#socket.end();
    setTimeout(() => this.#socket.destroy(), endPatience).unref();
  }

  /** Lines of one turn are written together. */
  #flush(): void {
    const text = this.#lines.join("");
    this.#lines = [];
    if (text !== "" && this.#socket.writable) this.#socket.write(text);
  }

  /** What an exit in the middle of a turn would lose. */
  #writeLast(): void {
    try {
      writeSync(1, this.#lines.join(""));
    } catch {
      // nobody reads, or not fast enough
    }
  }
}
