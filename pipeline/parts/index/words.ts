// Writes the columns of a dictionary's words into `index.columns`: the words of each text, the texts of each word, and all
// ends of words in alphabetical order.
import type { DuckDBConnection } from "@duckdb/node-api";
import { endLength, lettersOf } from "../../../api-static/release/columns.ts";
import type { Dictionary } from "../../../api-static/release/layout.ts";
import { checkCeiling } from "../../base/ceilings.ts";
import { countRows, integersOf, streamChunks } from "../../base/database.ts";
import { type ColumnFile, fillColumns, fillStarts } from "./columnFile.ts";
import { placesByGroup, scatter, valuesByGroup, valuesOf } from "./scatter.ts";

/**
 * SQL that makes two tables from the table of texts: `pieces` (text, word, place) has the words of each text, which is cut at every
 * space; `words` (id, word, postings) has the distinct words, the most frequent first.
 */
const wordsSql = ({ texts }: Dictionary) => `
CREATE TABLE pieces AS
  SELECT id AS text, unnest(pieces) AS word, generate_subscripts(pieces, 1) AS place
  FROM (SELECT id, string_split(text, ' ') AS pieces FROM ${texts});
CREATE TABLE words AS
  SELECT (row_number() OVER (ORDER BY postings DESC, word) - 1)::INTEGER AS id, word, postings
  FROM (SELECT word, count(*)::INTEGER AS postings FROM pieces GROUP BY word)
  ORDER BY id;
`;

/** The words of each text, as ids, text by text. */
const spelledSql = "SELECT text::INTEGER, words.id FROM pieces JOIN words USING (word) ORDER BY text, place";

/**
 * The words, cut into pieces that stay short, each with the space before the word, the start of the next piece or the space after
 * the word, and where that stops in the words' bytes. Words share their spaces: " first second third ". A long word has as many
 * ends as letters, so they must not be written whole.
 */
const cutWordsSql = `
SELECT id, cut, piece, sum(strlen(cut)) OVER (ORDER BY id, number) + strlen(piece) - strlen(cut) AS stop
FROM (
  SELECT id, number, cut, cut || substr(coalesce(next, '') || ' ', 1, ${endLength - 1}) AS piece
  FROM (
    SELECT id, unnest(cuts) AS cut, unnest(cuts[2:]) AS next, generate_subscripts(cuts, 1) AS number
    FROM (
      SELECT id, CASE WHEN length(word) < ${endLength} THEN [' ' || word]
        ELSE regexp_extract_all(' ' || word, '(?s).{1,${endLength}}') END AS cuts
      FROM words
    )
  )
)`;

/**
 * Every end of every word, the space before the word and the space after it included, in the order of the bytes of its first
 * letters: where it starts in the words' bytes, and the word.
 */
const endsSql = `
SELECT (stop - strlen(substr(piece, place)))::INTEGER AS start, id
FROM (SELECT id, piece, stop, unnest(range(1, length(cut) + 1)) AS place FROM (${cutWordsSql}))
ORDER BY substr(piece, place, ${endLength}), start`;

/** Each word after a space: DuckDB's client drops a byte order mark at the start of a text. */
const spacedWordsSql = "SELECT ' ' || word FROM words ORDER BY id";

const wordBytesSql = "SELECT (1 + coalesce(sum(strlen(word) + 1), 0))::DOUBLE FROM words";

/** Makes the tables `pieces` and `words`. @throws InputError if there are too many words */
export async function makeWords(connection: DuckDBConnection, dictionary: Dictionary): Promise<void> {
  await connection.run(wordsSql(dictionary));
  checkCeiling("words", await countRows(connection, "pieces"), dictionary.texts);
}

/**
 * Writes the columns of a dictionary's words except the postings, from the tables of `makeWords`, and drops these. The columns' names
 * start with the dictionary's column.
 */
export async function writeWords(
  connection: DuckDBConnection,
  file: ColumnFile,
  { column, texts }: Dictionary,
): Promise<void> {
  const words = await countRows(connection, "words");
  const postings = await countRows(connection, "pieces");
  const letters = await writeWordTable(connection, file, column, words);
  const starts = file.add(`${column}.word.start`, words + 1);
  await fillStarts(connection, "SELECT postings FROM words ORDER BY id", starts);
  await writeSpellings(connection, file, column, await countRows(connection, texts), postings, letters);
  await connection.run("DROP TABLE words; DROP TABLE pieces");
}

/** The bytes of the words with the spaces between them. */
async function countWordBytes(connection: DuckDBConnection, column: string): Promise<number> {
  const bytes = Number((await connection.runAndReadAll(wordBytesSql)).getRows()[0]?.[0]);
  checkCeiling("starts", bytes, `${column}.word.bytes`);
  return bytes;
}

/** Writes the words themselves, and all ends of words; returns the letters of each word, as bits. */
async function writeWordTable(
  connection: DuckDBConnection,
  file: ColumnFile,
  column: string,
  count: number,
): Promise<Int32Array> {
  const letters = new Int32Array(count);
  const offsets = file.add(`${column}.word.offset`, count + 1);
  const bytes = file.add(`${column}.word.bytes`, await countWordBytes(connection, column), 1);
  let [id, offset, ends] = [0, 0, 0];
  for await (const chunk of streamChunks(connection, spacedWordsSql))
    chunk.visitColumnValues(0, (value) => {
      const word = String(value);
      const encoded = Buffer.from(word);
      bytes.pushAll(Int32Array.from(encoded));
      letters[id++] = lettersOf(word);
      offsets.push(offset);
      offset += encoded.length;
      ends += [...word].length;
    });
  offsets.push(offset);
  offsets.end();
  bytes.push(" ".charCodeAt(0));
  bytes.end();
  await fillColumns(connection, endsSql, [
    file.add(`${column}.end.offset`, ends),
    file.add(`${column}.end.word`, ends),
  ]);
  return letters;
}

/** Writes the words of each text in the order of the text, and the letters of each text. */
async function writeSpellings(
  connection: DuckDBConnection,
  file: ColumnFile,
  column: string,
  texts: number,
  postings: number,
  lettersOfWord: Int32Array,
): Promise<void> {
  const starts = file.add(`${column}.text.start`, texts + 1);
  const words = file.add(`${column}.text.word`, postings);
  const letters = file.add(`${column}.text.letters`, texts);
  let [last, row, bits] = [-1, 0, 0]; // the text that is being read
  for await (const chunk of streamChunks(connection, spelledSql)) {
    const [texts, found] = [integersOf(chunk, 0), integersOf(chunk, 1)];
    words.pushAll(found);
    for (let index = 0; index < texts.length; index++, row++) {
      const text = texts[index] as number;
      if (text !== last) {
        if (last >= 0) letters.push(bits);
        starts.push(row);
        bits = 0;
        last = text;
      }
      bits |= lettersOfWord[found[index] as number] ?? 0;
    }
  }
  if (last >= 0) letters.push(bits);
  starts.push(row);
  for (const written of [starts, words, letters]) written.end();
}

/** Writes the texts of each word, with the word that follows it there; after the last one, the number of words. */
export async function writePostings(file: ColumnFile, { column }: Dictionary): Promise<void> {
  const read = (name: string) => file.read(`${column}.${name}`);
  const spelled = read("text.word");
  const postings = spelled.length;
  const words = read("word.start").length - 1;
  const starts = read("text.start");
  const move = {
    rows: postings,
    places: placesByGroup(valuesOf(read("text.word")), file.readWhole(`${column}.word.start`)),
    values: [
      valuesByGroup(starts),
      valuesByGroup(starts, (row, _, stop) => (row + 1 < stop ? spelled.at(row + 1) : words)),
    ],
  };
  const names = [`${column}.word.text`, `${column}.word.next`];
  await scatter(
    move,
    postings,
    names.map((name) => file.add(name, postings)),
    file,
  );
}
