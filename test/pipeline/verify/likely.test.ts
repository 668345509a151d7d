// Tests that verification finds recipients with other grants or matches in the index than in the file of all matches.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { Columns } from "../../../api-static/release/columns.ts";
import { offsetBytes, parts, readOffset, writeOffset } from "../../../api-static/release/layout.ts";
import { spreadOf } from "../../proofs.ts";
import { findProblems, sealAgain } from "../trust.fixture.ts";
import { useFolder } from "../warehouse/warehouse.fixture.ts";
import { useMatchable } from "./matchable.fixture.ts";

const folder = useFolder();
const release = useMatchable(folder);
let columns: Columns["header"]["columns"] = {};

beforeAll(() => {
  const open = Columns.open(join(release.whole, parts.columns));
  columns = open.header.columns;
  open.close();
});

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
  it("finds values of likely recipients that moved by one place", async () => {
    const names = Object.keys(columns).filter((name) => name.startsWith("likely."));
    expect(names).toHaveLength(10);
    // All grants of that warehouse have the same states.
    const moved = names.filter((name) => !name.endsWith("_state"));
    for (const name of spreadOf("moved columns of likely", moved, 4)) {
      const problems = await problemsOf(parts.columns, (bytes) => {
        const { offset, length, width } = columns[name] ?? { offset: 0, length: 0, width: 1 };
        const values = bytes.subarray(offset, offset + length * width);
        Buffer.concat([values.subarray(width), values.subarray(0, width)]).copy(values);
      });
      expect([name, problems]).toEqual([name, expect.stringMatching(/index\.columns: .*likely/)]);
    }
  });

  it("finds another match of two grants, a changed text, and offsets that are not those of the lines", async () => {
    const swap = await problemsOf(parts.columns, (bytes) => {
      const { offset = 0, length = 0 } = columns["likely.match"] ?? {};
      for (let at = offset; at < offset + 4 * length; at += 4)
        if (bytes.readInt32LE(at) === 0) bytes.writeInt32LE(1, at);
    });
    expect(swap).toMatch(/\d+ rows of likely differ from matches\.parquet/);
    const changed = await problemsOf(parts.matches, (bytes) => bytes.write("TX", bytes.indexOf("Houston")));
    expect(changed).toMatch(/\d+ rows of likely differ from matches\.parquet/);
    const shifted = await problemsOf(parts.matchOffsets, (bytes) => {
      for (let line = 1; line < bytes.length / offsetBytes - 1; line++)
        writeOffset(bytes, line, readOffset(bytes, line) - 1);
    });
    expect(shifted).toContain("matches.offsets differs from matches");
  });
});
