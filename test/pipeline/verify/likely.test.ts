// Tests that verification finds recipients with other grants or matches in the index than in the file of all matches.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Columns } from "../../../api-static/release/columns.ts";
import { offsetBytes, parts, readOffset, writeOffset } from "../../../api-static/release/layout.ts";
import { findProblems, sealAgain } from "../trust.fixture.ts";
import { useFolder } from "../warehouse/warehouse.fixture.ts";
import { useMatchable } from "./matchable.fixture.ts";

const folder = useFolder();
const release = useMatchable(folder);

/** What verification finds in a copy of which one part is changed. */
async function problemsOf(part: string, edit: (bytes: Buffer) => void): Promise<string> {
  const copy = await release.copy();
  const bytes = await readFile(join(copy, part));
  edit(bytes);
  await writeFile(join(copy, part), bytes);
  await sealAgain(copy);
  return findProblems(copy);
}

describe("verification", () => {
  it("finds another match of two grants, a changed text, and offsets that are not those of the lines", async () => {
    const swap = await problemsOf(parts.columns, (bytes) => {
      const open = Columns.open(join(release.whole, parts.columns));
      const { offset, length } = open.placeOf("likely.match");
      open.close();
      for (let at = offset; at < offset + 4 * length; at += 4)
        if (bytes.readInt32LE(at) === 0) bytes.writeInt32LE(1, at);
    });
    expect(swap).toContain("index.columns: likely.match: row");
    const changed = await problemsOf(parts.matches, (bytes) => bytes.write("TX", bytes.indexOf("Houston")));
    expect(changed).toContain("matches.parquet: differences from by_match of index.duckdb");
    const shifted = await problemsOf(parts.matchOffsets, (bytes) => {
      for (let line = 1; line < bytes.length / offsetBytes - 1; line++)
        writeOffset(bytes, line, readOffset(bytes, line) - 1);
    });
    expect(shifted).toContain("matches.offsets differs from matches");
  });
});
