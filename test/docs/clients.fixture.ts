// Runs the programs of docs/clients.md unchanged, each in a folder of its own.
import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { TestContext } from "vitest";
import { inherited } from "../inherited.ts";
import { findBlocks, findSection, readDocument } from "./markdown.fixture.ts";

export const clientsPage = readDocument("docs/clients.md");
const execute = promisify(execFile);

export type Language = {
  /** As the code blocks name it. */
  readonly name: string;
  readonly file: string;
  readonly command: readonly string[];
  /** Programs without which it is skipped. */
  readonly needs: readonly string[];
};

export const languages: readonly Language[] = [
  { name: "bash", file: "client.sh", command: ["bash"], needs: ["bash", "curl"] },
  { name: "python", file: "client.py", command: ["python3"], needs: ["python3"] },
  { name: "ts", file: "client.mts", command: [process.execPath], needs: [] },
];

/** The languages whose programs can run here; prints which others are skipped. */
export function findLanguages(): readonly Language[] {
  return languages.filter(({ name, needs }) => {
    const missing = needs.filter((program) => spawnSync(program, ["--version"]).status !== 0);
    if (missing.length > 0)
      console.log(
        `skipped: the ${name} programs of docs/clients.md; not installed here: ${missing.join(", ")}`,
      );
    return missing.length === 0;
  });
}

export type Program = { readonly folder: string; readonly run: () => Promise<string> };

/** Writes the program of a section into a new folder, which is removed when the test ends. */
export async function writeProgram(
  section: string,
  language: Language,
  environment: { readonly GRANTS_URL: string; readonly PINNED?: string },
  onTestFinished: TestContext["onTestFinished"],
): Promise<Program> {
  const folder = await mkdtemp(join(tmpdir(), "clients-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const block = findBlocks(findSection(clientsPage, section)).find(
    (block) => block.language === language.name,
  );
  await writeFile(join(folder, language.file), block?.code ?? "");
  const [program = "", ...options] = [...language.command, language.file];
  const env = { ...inherited(), ...environment };
  const run = async () => (await execute(program, options, { cwd: folder, env, maxBuffer: 2 ** 26 })).stdout;
  return { folder, run };
}

/** The records of one year among a release's lines, in the order of responses. */
export function recordsOf(lines: readonly string[], year: number): unknown[] {
  const records = lines
    .map((line) => JSON.parse(line))
    .filter(({ transaction_year }) => transaction_year === year);
  return records.sort((a, b) => b.amount - a.amount || a.id - b.id);
}

/** The values of JSON texts, one per line. */
export function parseLines(text: string): unknown[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}
