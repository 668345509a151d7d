// Records what the last import read and wrote, so that the same import again touches nothing.
import { readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { ifPresent, replaceFile } from "../base/files.ts";
import { organizationLists } from "./organizations.ts";
import { importerVersion } from "./parts.ts";
import { reportName, returnsName } from "./report.ts";
import type { Source } from "./sources.ts";

const stateName = "state.json";

/** Files in the import's own folder that the next import replaces or reads. */
const workNames = [returnsName, reportName, ...Object.values(organizationLists)];

/** The sources of an import, and its files by name, size and time. */
export class ImportState {
  readonly #path: string;
  readonly #out: string;
  readonly #work: string;
  readonly #sources: readonly Source[];

  /**
   * @param out the warehouse's folder
   * @param work the import's own folder
   */
  constructor(out: string, work: string, sources: readonly Source[]) {
    this.#path = join(work, stateName);
    this.#out = out;
    this.#work = work;
    this.#sources = sources;
  }

  /** True if the last import had the same version and sources, and all files are as it left them. */
  async isCurrent(): Promise<boolean> {
    return (await ifPresent(readFile(this.#path, "utf8"))) === (await this.#format());
  }

  /** Call it before files are replaced: the next import then starts again if this one is killed. */
  async remove(): Promise<void> {
    await rm(this.#path, { force: true });
  }

  /** Call it after all files are in place. */
  async write(): Promise<void> {
    await replaceFile(this.#path, await this.#format());
  }

  async #format(): Promise<string> {
    const sources = this.#sources.map(({ name, digest }) => ({ name, digest }));
    const warehouse = await listFiles(this.#out, (await readdir(this.#out)).sort());
    const work = await listFiles(this.#work, workNames);
    return `${JSON.stringify({ importerVersion, sources, warehouse, work }, null, 1)}\n`;
  }
}

/** Size and time of files; null if there is none. */
async function listFiles(folder: string, names: readonly string[]) {
  const files: Record<string, { bytes: string; modifiedNs: string } | null> = {};
  for (const name of names) {
    const found = await ifPresent(stat(join(folder, name), { bigint: true }));
    files[name] = found ? { bytes: String(found.size), modifiedNs: String(found.mtimeNs) } : null;
  }
  return files;
}
