// Checks the words of a dictionary: every posting, the order of the ends, and the spelling of some texts.
import type { DuckDBConnection } from "@duckdb/node-api";
import { endLength, lettersOf } from "../../api-static/release/columns.ts";
import type { Dictionary } from "../../api-static/release/layout.ts";
import type { ColumnCheck } from "./columnCheck.ts";

/** Texts of a dictionary that are compared with their words, evenly spread. */
const textSamples = 1_000;

/** @param connection whose current database is the index */
export async function checkWords(
  connection: DuckDBConnection,
  check: ColumnCheck,
  { column, texts }: Dictionary,
): Promise<void> {
  const spelling = `${column}.text.word`;
  const ids = check.count(`${column}.start`) - 1;
  const words = check.count(`${column}.word.start`) - 1;
  check.length(`${column}.text.start`, ids + 1);
  check.length(`${column}.text.letters`, ids);
  check.length(`${column}.word.offset`, words + 1);
  check.lists(`${column}.text.start`, spelling, 1);
  check.ascending(`${column}.word.start`);
  check.ascending(`${column}.word.offset`);
  if (check.problems.length > 0) return; // the rest relies on the starts
  const spelled = check.all(spelling);
  const { rows, listOf } = check.postings(`${column}.word.start`, spelled, `${column}.text.start`);
  check.equal(`${column}.word.text`, rows.length, spelling, (posting) => listOf[rows[posting] as number]);
  check.equal(`${column}.word.next`, rows.length, spelling, (posting) => {
    const next = (rows[posting] as number) + 1;
    return listOf[next] === listOf[next - 1] ? spelled[next] : words;
  });
  const bytes = check.columns.bytes(`${column}.word.bytes`);
  const offsets = check.all(`${column}.word.offset`);
  checkEnds(check, column, bytes, offsets);
  const starts = check.all(`${column}.text.start`);
  const letters = check.columns.column(`${column}.text.letters`);
  // The texts follow a space: DuckDB's client drops a byte order mark at the start of a text.
  const step = Math.max(1, Math.floor(ids / textSamples));
  const sql = `SELECT id::INTEGER, ' ' || text FROM ${texts} WHERE id % ${step} = 0`;
  for (const [id, text] of (await connection.runAndReadAll(sql)).getRows() as [number, string][]) {
    const found = spelled.subarray(starts[id], starts[id + 1]);
    const pieces = Array.from(found, (word) => bytes.toString("utf8", offsets[word], offsets[word + 1]));
    if (pieces.join("") !== text)
      return check.report(spelling, id, JSON.stringify(pieces.join("")), JSON.stringify(text));
    if (letters.at(id) !== lettersOf(text))
      return check.report(`${column}.text.letters`, id, letters.at(id), `${lettersOf(text)}`);
  }
}

/** Each end must lie in its word, and the first bytes of the ends must ascend, up to the space after the word. */
function checkEnds(check: ColumnCheck, column: string, bytes: Buffer, offsets: Int32Array) {
  const [starts, words] = [`${column}.end.offset`, `${column}.end.word`];
  const wordOf = check.columns.column(words);
  const startOf = check.columns.column(starts);
  check.length(words, startOf.length);
  check.length(starts, countCharacters(bytes) - 1); // the last space starts no end
  for (let end = 0, last = 0, lastStop = 0; end < startOf.length; end++) {
    const [start, word] = [startOf.at(end), wordOf.at(end)];
    const [first, next] = [offsets[word] as number, offsets[word + 1] as number];
    if (!(start >= first && start < next)) return check.report(starts, end, start, `in word ${word}`);
    const stop = Math.min(next + 1, start + endLength);
    const order = bytes.compare(bytes, start, stop, last, lastStop);
    // Equal first bytes may belong to characters that differ after them.
    if (order > 0 || (order === 0 && start <= last && stop > next))
      return check.report(starts, end, start, "ends in order of their letters");
    [last, lastStop] = [start, stop];
  }
}

/** The number of characters in bytes of UTF-8. */
function countCharacters(bytes: Buffer): number {
  return bytes.reduce((count, byte) => count + ((byte & 0xc0) === 0x80 ? 0 : 1), 0);
}
