// Writes the types of downloads and changes into the settings of `serve`, the static host of `make preview`.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Plugin } from "vite";
import { changesFolder, changesTypes } from "../../api-static/contract/changes.ts";
import { downloadsFolder, downloadTypes } from "../../api-static/contract/downloads.ts";

export function writeHostTypes(): Plugin {
  const typed = [
    ...Object.entries(downloadTypes).map(([name, type]) => [`${downloadsFolder}/${name}`, type] as const),
    ...Object.entries(changesTypes).map(([format, type]) => [`${changesFolder}/*.${format}`, type] as const),
  ];
  const headers = typed.map(([source, value]) => ({ source, headers: [{ key: "Content-Type", value }] }));
  return {
    name: "write-host-types",
    async writeBundle({ dir = "" }) {
      const path = join(dir, "serve.json");
      const settings = JSON.parse(await readFile(path, "utf8")) as { headers: object[] };
      settings.headers.push(...headers);
      await writeFile(path, JSON.stringify(settings, null, 2));
    },
  };
}
