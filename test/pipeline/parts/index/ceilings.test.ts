// Tests that an index refuses more words than its columns can hold.
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { dictionaries } from "../../../../api-static/release/layout.ts";
import { ColumnFile } from "../../../../pipeline/parts/index/columnFile.ts";
import { makeWords, writeWords } from "../../../../pipeline/parts/index/words.ts";
import { useFolder } from "../../warehouse/warehouse.fixture.ts";

const folder = useFolder();

/** A connection that answers every statement with one number: no test can write so many rows. */
function countsAlways(count: number): DuckDBConnection {
  const found = { getRows: () => [[count]] };
  return { run: async () => {}, runAndReadAll: async () => found } as unknown as DuckDBConnection;
}

it("refuses more words than a column of them can have", async () => {
  await makeWords(countsAlways(2 ** 31 - 1), dictionaries.purpose);
  expect(await folder.refusal(makeWords(countsAlways(2 ** 31), dictionaries.purpose))).toBe(
    "purposes has 2147483648 words; a release holds at most 2147483647: see docs/scale.md",
  );
});

it("refuses distinct words with more bytes than their offsets can have", async () => {
  const file = new ColumnFile(join(folder.home, "columns"));
  const write = writeWords(countsAlways(2 ** 31), file, dictionaries.recipientName);
  expect(await folder.refusal(write)).toMatch(/^recipient_name.word.bytes has 2147483648 values; /);
  file.close();
});
