// Tests that links between the documents resolve, and that the files ARCHITECTURE.md names exist.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkout } from "../pipeline/release.fixture.ts";

const documents = ["", "docs", "docs/decisions"].flatMap((folder) =>
  readdirSync(join(checkout, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name)),
);

const read = (path: string) => readFileSync(join(checkout, path), "utf8");

/** A document without its code blocks, whose brackets are not links. */
const withoutCode = (text: string) => text.replaceAll(/^ *```.*?^ *```$/gms, "");

/** The anchors that GitHub gives a document's headings, e.g., "the-first-night". */
function anchorsOf(path: string): string[] {
  return [...withoutCode(read(path)).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

/** Links of a document to files or headings that do not exist. */
function findBrokenLinks(path: string): string[] {
  const links = [...withoutCode(read(path)).matchAll(/\]\(([^)\s]+)\)|src(?:set)?="([^"]+)"/g)];
  return links.flatMap(([, link, source]) => {
    const target = link ?? source ?? "";
    if (/^https?:/.test(target)) return [];
    const [file = "", anchor] = target.split("#", 2);
    const found = file === "" ? path : join(dirname(path), file);
    if (!existsSync(join(checkout, found))) return [target];
    return anchor === undefined || anchorsOf(found).includes(anchor) ? [] : [target];
  });
}

describe("the documents", () => {
  it.each(documents)("have a title and no broken link: %s", (path) => {
    expect(read(path)).toMatch(/^# .+\n\n\S/);
    expect(findBrokenLinks(path)).toEqual([]);
  });

  it("list every decision under its title, with its number, date and status", () => {
    const records = documents.filter((path) => /decisions\/\d/.test(path)).sort();
    const titles = records.map((path) => /^# (.+)$/m.exec(read(path))?.[1] ?? path);
    const listed = [...read("docs/decisions/README.md").matchAll(/^- \[(.+)\]\(\d{4}-.+\)$/gm)];
    expect(listed.map(([, title]) => title).sort()).toEqual([...titles].sort());
    for (const path of records) {
      const number = Number(/decisions\/(\d{4})-/.exec(path)?.[1]);
      expect(read(path), path).toMatch(
        new RegExp(`^# ${number}\\. .+\n\n\\*Accepted, \\d{4}-\\d\\d-\\d\\d\\.\\*\n`),
      );
    }
  });
});

describe("ARCHITECTURE.md", () => {
  it("names files that exist", () => {
    const [, table = ""] = read("ARCHITECTURE.md").split("## Where to change what");
    const paths = [...table.matchAll(/`([\w./-]+(?:\.\w+|\/))`/g)].map(([, path = ""]) => path);
    const roots = ["", "api-static", "pipeline"];
    const missing = paths.filter((path) => !roots.some((root) => existsSync(join(checkout, root, path))));
    expect(missing).toEqual([]);
    expect(paths.length).toBeGreaterThan(25);
  });
});
