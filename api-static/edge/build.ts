// Builds what runs at the edge, each as one file: the Cloudflare Worker.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const here = fileURLToPath(new URL(".", import.meta.url));

/** The Worker as one module. */
export function buildWorker(): Promise<string> {
  return bundle("cloudflare/worker.ts");
}

async function bundle(entry: string): Promise<string> {
  const build = await rolldown({ input: join(here, entry), platform: "neutral" });
  try {
    const { output } = await build.generate({ format: "esm", minify: true });
    return output[0].code;
  } finally {
    await build.close();
  }
}

if (import.meta.main) {
  const folder = join(here, "dist");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "worker.js"), await buildWorker());
}
