// Reads the settings that several commands share: the data folder, memory and threads.
import { availableParallelism } from "node:os";
import {
  type Environment,
  readInteger,
  readText,
  SettingError,
} from "../../api-static/contract/environment.ts";
import { hasLiteralPath } from "./database.ts";

/**
 * Folder that holds the releases.
 * @throws SettingError if DuckDB could not read files in it
 */
export function readData(environment: Environment): string {
  const data = readText(environment, "DATA", "data");
  if (hasLiteralPath(data)) return data;
  throw new SettingError(`DATA must not contain both "\\" and one of * ? [, got "${data}"`);
}

/** Memory that DuckDB needs for each thread. */
const megabytesPerThread = 125;

/** As many threads as there are cores, or as `memory` suffices for, unless THREADS says otherwise. @throws SettingError */
export function readThreads(environment: Environment, memory: string): number {
  const enough = Math.min(availableParallelism(), countThreads(memory), 256);
  return readInteger(environment, "THREADS", enough, 1, 256);
}

/** The number of threads for which this memory suffices. */
export function countThreads(memory: string): number {
  return Math.floor(countMegabytes(memory) / megabytesPerThread);
}

/** Enough for four threads. */
const syncMemory = { fallback: "3GB", leastMegabytes: 500 };

/** DuckDB's bound on its buffers, e.g., "4GB". @throws SettingError */
export function readMemory(environment: Environment, { fallback, leastMegabytes } = syncMemory): string {
  const text = readText(environment, "MEMORY", fallback);
  if (countMegabytes(text) >= leastMegabytes) return text;
  throw new SettingError(
    `MEMORY must be a size of at least ${leastMegabytes}MB such as 800MB or 4GB, got "${text}"`,
  );
}

/** The megabytes of a size such as "4GB"; 0 for any other text. */
function countMegabytes(text: string): number {
  const [, size = "0", unit] = /^(\d{1,6})(MB|GB)$/.exec(text) ?? [];
  return Number(size) * (unit === "GB" ? 1000 : 1);
}
