// Writes the log: JSON lines for machines, one for every request and every event.
import { fstatSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import { type DestinationStream, type Logger, pino } from "pino";

export type Log = Pick<Logger, "error" | "warn" | "info" | "debug">;

export const logLevels = ["error", "warn", "info", "debug", "silent"] as const;

export type LogLevel = (typeof logLevels)[number];

/**
 * A log whose lines look like `{"level":"info","time":"2026-11-20T23:00:00.000Z",…,"message":"answered"}`.
 * An error in the field `err` is written with its stack.
 */
export function createLog(level: LogLevel, clock: () => Date, stream: DestinationStream): Logger {
  return pino(
    {
      level,
      base: null, // the collector of the lines knows the host and the process
      messageKey: "message",
      timestamp: () => `,"time":"${clock().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    stream,
  );
}

/** Bytes of lines that wait for a slow reader of stdout. Further lines are dropped, because memory is bounded. */
const maxWaitingBytes = 4 * 1024 * 1024;

/** Where lines go. After `end`, lines that are not read soon are dropped. */
export type LogStream = DestinationStream & { end(): void };

/**
 * Standard output, written without blocking requests. No line is kept for the end of the process, because there pino's
 * stream would try forever to write to a reader that is gone.
 */
export function openStdout(): LogStream {
  const kind = fstatSync(1);
  if (kind.isFIFO() || kind.isSocket()) return new PipeStream();
  const file = pino.destination({ dest: 1, sync: false, maxLength: maxWaitingBytes });
  return { write: (line) => file.write(line), end: () => undefined };
}

/** Milliseconds that a slow reader has to read the waiting lines when the process ends. */
const endGrace = 500;

/**
 * Standard output as a pipe, written without waiting. pino's stream writes on a thread; if that thread waits for a reader
 * that has stopped reading, the process cannot end.
 */
class PipeStream implements LogStream {
  readonly #socket = new Socket({ fd: 1, readable: false, writable: true });
  #lines: string[] = [];

  constructor() {
    this.#socket.unref();
    this.#socket.on("error", () => undefined); // the reader is gone
    process.once("exit", () => this.#writeLast());
  }

  write(line: string): void {
    if (this.#socket.writableLength > maxWaitingBytes) return;
    if (this.#lines.push(line) === 1) setImmediate(() => this.#flush());
  }

  end(): void {
    this.#flush();
    this.#socket.end();
    setTimeout(() => this.#socket.destroy(), endGrace).unref();
  }

  /** Writes the lines of one turn of the event loop at once. */
  #flush(): void {
    const text = this.#lines.join("");
    this.#lines = [];
    if (text !== "" && this.#socket.writable) this.#socket.write(text);
  }

  /** Writes the lines that an exit in the middle of a turn would lose. */
  #writeLast(): void {
    try {
      writeSync(1, this.#lines.join(""));
    } catch {
      // the reader is gone or too slow
    }
  }
}
