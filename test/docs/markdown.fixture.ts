// Reads the project's Markdown documents: their text, code and tables.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const repository = fileURLToPath(new URL("../..", import.meta.url));

/** Paths of all documents, relative to the repository; packages and data folders are omitted. */
export const documents: readonly string[] = globSync(
  ["*.md", "{api-static,deploy,docs,pipeline,site,test}/**/*.md"],
  {
    cwd: repository,
    exclude: (path) => path.includes("node_modules"),
  },
).sort();

/** @param path relative to the repository, e.g., "docs/api.md" */
export function readDocument(path: string): string {
  return readFileSync(join(repository, path), "utf8");
}

/** The text below a heading of the second level, up to the next one; "" if there is no such heading. */
export function findSection(text: string, heading: string): string {
  return text.split(/^## /m).find((section) => section.startsWith(`${heading}\n`)) ?? "";
}

/** The fenced code blocks of a text, in order, with their language. */
export function findBlocks(text: string): { language: string; code: string }[] {
  return [...text.matchAll(/^ *```(\w*)\n(.*?)^ *```$/gms)].map(([, language = "", code = ""]) => ({
    language,
    code,
  }));
}

/** All code of a text: fenced blocks, and spans between backticks. */
export function findCode(text: string): string[] {
  const blocks = findBlocks(text).map(({ code }) => code);
  const prose = text.replace(/^ *```.*?^ *```$/gms, "");
  return [...blocks, ...[...prose.matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code)];
}
