// Owns the log: JSON lines for machines, one for every request and every event.
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

/**
 * Standard output, written aside from requests. Each line is begun at once, so that none is left for the end of the process:
 * there the stream would try for ever to write to a reader who is gone.
 */
export function openStdout(): DestinationStream {
  return pino.destination({ dest: 1, sync: false, maxLength: waitingMax });
}
