// Writes the parts of an import ("parts"), or turns them into a warehouse ("finish"), in a process of its own.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Progress } from "../../pipeline/base/progress.ts";
import { openImportDatabase } from "../../pipeline/irs/import.ts";
import { finishImport } from "../../pipeline/irs/result.ts";
import { readImportSettings } from "../../pipeline/settings.ts";
import { writeParts } from "./irsParts.ts";

const [mode, folder = "", grants] = process.argv.slice(2);
const isParts = mode === "parts";
const [parts, list] = [join(folder, "parts"), join(folder, "sources.json")];
const threads = 2;
const database = await openImportDatabase({
  memory: isParts ? "4GB" : readImportSettings({}).memory,
  threads,
  spillFolder: join(folder, "spill"),
});
const { instance, connection } = database;
if (isParts) await writeFile(list, JSON.stringify(await writeParts(connection, parts, Number(grants))));
else {
  const out = join(folder, "warehouse");
  await mkdir(out, { recursive: true });
  const sources = JSON.parse(await readFile(list, "utf8"));
  const settings = {
    sources,
    parts,
    work: folder,
    out,
    previous: [],
    databaseThreads: threads,
    beforePlacing: async () => {},
  };
  const progress = new Progress({ write: () => true }, () => performance.now());
  const report = await finishImport(database, settings, progress);
  console.log(JSON.stringify({ returns: report.returns, grants: report.grants }));
}
connection.closeSync();
instance.closeSync();
