// Finds a disk in memory for the tests' temporary files: a sync flushes many small files, which takes seconds on a slow disk.
import { readFileSync, statfsSync } from "node:fs";

const path = "/dev/shm";

/** Bytes that a run of all tests needs, with room to spare. */
const bytesNeeded = 4e9;

/** A folder in memory with enough room for all tests, from which a library may be loaded; undefined if there is no such folder. */
export function findMemoryDisk(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(path);
    const mounts = readFileSync("/proc/mounts", "utf8").split("\n");
    const options = mounts
      .findLast((line) => line.split(" ")[1] === path)
      ?.split(" ")[3]
      ?.split(",");
    const isUsable = options?.includes("rw") === true && !options.includes("noexec");
    return isUsable && bavail * bsize >= bytesNeeded ? path : undefined;
  } catch {
    return undefined; // not Linux, or a container without it
  }
}
