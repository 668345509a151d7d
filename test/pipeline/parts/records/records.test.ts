// Tests `records` and the tables that describe it: the offset of each line, and the digest of each funder's records.
import { hash } from "node:crypto";
import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  countRecords,
  funderRowBytes,
  offsetBytes,
  parts,
  readOffset,
  writeFunderRow,
} from "../../../../api-static/release/layout.ts";
import { writeFunders, writeLines, writeOffsets } from "../../../../pipeline/parts/records/records.ts";
import { close, openSmallDatabase, useFolder } from "../../warehouse/warehouse.fixture.ts";

const folder = useFolder();

/** Writes `records` with lines of these lengths in bytes (each ends with ",\n"), by funder; returns its bytes and its funders. */
async function putRecords(funders: readonly (readonly number[])[]) {
  const lines = funders
    .flat()
    .map((bytes, index) => `${String.fromCharCode(97 + (index % 26)).repeat(bytes - 2)},\n`);
  const records = Buffer.from(lines.join(""));
  await writeFile(join(folder.home, parts.records), records);
  const table = Buffer.alloc(funders.length * funderRowBytes);
  let first = 0;
  for (const [index, own] of funders.entries()) {
    writeFunderRow(table, index, { ein: index + 1, first, records: own.length });
    first += own.length;
  }
  return { records, table };
}

/** The offsets of the lines and of the end, found byte by byte. */
function scan(records: Buffer): number[] {
  const starts = [0];
  for (let at = 0; at < records.length; at += 1) if (records[at] === 10) starts.push(at + 1);
  return starts;
}

async function checkTables(funders: readonly (readonly number[])[]): Promise<number[]> {
  const { records, table } = await putRecords(funders);
  const reached: number[] = [];
  const digests = await writeOffsets(folder.home, countRecords(table), (lines) => reached.push(lines));
  const offsets = await readFile(join(folder.home, parts.offsets));
  const starts = scan(records);
  expect(
    Array.from({ length: offsets.length / offsetBytes }, (_, line) => readOffset(offsets, line)),
  ).toEqual(starts);
  const digestOf = (bytes: Buffer) => ({ bytes: bytes.length, sha256: hash("sha256", bytes) });
  expect(digests).toEqual({ [parts.records]: digestOf(records), [parts.offsets]: digestOf(offsets) });
  return reached;
}

const chunk = 2 ** 20;

describe("writeOffsets", () => {
  it("finds the lines and funders of any `records`", async () => {
    const line = fc.integer({ min: 2, max: 400 });
    const funder = fc.array(line, { minLength: 1, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(fc.array(funder, { minLength: 1, maxLength: 10 }), async (funders) => {
        await checkTables(funders);
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    ["that end with a chunk", [[chunk], [chunk - 10, 10], [5]]],
    [
      "that start or end one byte before or after a chunk's end",
      [
        [chunk - 1, 3, chunk - 3],
        [chunk + 2, 2],
      ],
    ],
    ["longer than a chunk", [[10, 2 ** 20 + 9], [3, 5 * 2 ** 20, 4], [7]]],
    ["of a funder that spans chunks", [[...Array<number>(20).fill(2 ** 18)], [2]]],
  ])("finds lines %s", async (_, funders) => {
    const reached = await checkTables(funders);
    expect(reached.at(-1)).toBe(funders.flat().length);
  });

  it("refuses `records` with fewer or more lines than the funders have, or with a piece of a line at the end", async () => {
    await putRecords([[10, 10]]);
    await expect(writeOffsets(folder.home, 3, () => {})).rejects.toThrow("records has 2 lines, expected 3");
    await putRecords([[10, 10, 10, 10]]);
    await expect(writeOffsets(folder.home, 3, () => {})).rejects.toThrow("records has 4 lines, expected 3");
    await putRecords([[10, 10], [10]]);
    await appendFile(join(folder.home, parts.records), '{"id":');
    await expect(writeOffsets(folder.home, 3, () => {})).rejects.toThrow(
      "records has 6 bytes after its last line",
    );
  });
});

describe("records and funders", () => {
  it("are the table of grants, line by line, funder by funder", async () => {
    const { connection, instance } = await openSmallDatabase();
    try {
      await connection.run(`CREATE TABLE grants AS SELECT i AS id, ([5, 5, 131635294])[i]::UINTEGER AS funder_ein,
        2020::USMALLINT AS transaction_year, 'A "B"' || chr(10) AS recipient_name, NULL::UINTEGER AS recipient_ein,
        NULL::VARCHAR AS type, -1.5::DECIMAL(18,2) AS amount, NULL::DECIMAL(18,2) AS non_cash_amount,
        NULL::VARCHAR AS non_cash_description, '\\,;' AS purpose, TIMESTAMP '2020-01-02 03:04:05' AS created_at
        FROM range(1, 4) t(i)`);
      await writeLines(connection, join(folder.home, parts.records));
      const { funders } = await writeFunders(connection, folder.home);
      const line = (id: number, ein: string) =>
        `{"id":${id},"funder_ein":"${ein}","transaction_year":2020,"recipient_name":"A \\"B\\"\\n","recipient_ein":null,` +
        `"type":null,"amount":-1.50,"non_cash_amount":null,"non_cash_description":null,"purpose":"\\\\,;","created_at":"2020-01-02T03:04:05Z"},\n`;
      const text = [line(1, "000000005"), line(2, "000000005"), line(3, "131635294")].join("");
      expect(await readFile(join(folder.home, parts.records), "utf8")).toBe(text);
      const expected = Buffer.alloc(2 * funderRowBytes);
      writeFunderRow(expected, 0, { ein: 5, first: 0, records: 2 });
      writeFunderRow(expected, 1, { ein: 131635294, first: 2, records: 1 });
      expect(funders).toEqual(expected);
      expect(await readFile(join(folder.home, parts.funders))).toEqual(expected);
    } finally {
      close({ connection, instance });
    }
  });
});
