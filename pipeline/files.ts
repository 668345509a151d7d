// Reads, makes and flushes files and folders where `node:fs` alone needs care.
import { readdirSync } from "node:fs";
import { mkdir, open, readdir } from "node:fs/promises";
import { dirname } from "node:path";
import { isAbsence, systemCode } from "../api-static/release/systemErrors.ts";

/** Names in a folder; none if it does not exist. */
export async function listIfPresent(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isAbsence(error)) return [];
    throw error;
  }
}

/** As `listIfPresent`, synchronously: faster for many small folders. */
export function listIfPresentSync(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isAbsence(error)) return [];
    throw error;
  }
}

/** Returns once a file, or the names in a folder, are on the disk. */
export async function flushPath(path: string): Promise<void> {
  const file = await open(path, "r");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes a folder and its parents. (The recursive `mkdir` of Node.js never returns where /proc refuses a folder.) */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    const code = systemCode(error);
    if (code === "EEXIST") return;
    if (code !== "ENOENT" || dirname(folder) === folder) throw error;
    await makeFolder(dirname(folder));
    await mkdir(folder).catch((again: unknown) => {
      if (systemCode(again) !== "EEXIST") throw again; // another process made it meanwhile
    });
  }
}
