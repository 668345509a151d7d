// Verifies the words of the index: their ends are in order, and some texts are found by the words that spell them.
import type { DuckDBConnection } from "@duckdb/node-api";
import { type Column, type Columns, endLength, lettersOf } from "../../api-static/release/columns.ts";
import type { Dictionary } from "../../api-static/release/layout.ts";

/** Texts of a dictionary that are compared with their words, evenly spread. */
const textSamples = 1_000;

/**
 * Finds problems of the columns of a dictionary's words, whose lists must start in order.
 * @param connection whose current database is the index
 */
export async function findWordProblems(
  connection: DuckDBConnection,
  columns: Columns,
  { column: dictionary, texts }: Dictionary,
): Promise<string[]> {
  const words = new Words(columns, dictionary);
  const step = Math.max(1, Math.floor(words.letters.length / textSamples));
  // The texts follow a space: DuckDB's client drops a byte order mark at the start of a text.
  const sql = `SELECT id::INTEGER, ' ' || text FROM ${texts} WHERE id % ${step} = 0`;
  const rows = (await connection.runAndReadAll(sql)).getRows();
  const wrong = rows.find(([id, text]) => !words.haveText(Number(id), String(text)));
  return [
    ...(words.areEndsInOrder() ? [] : [`the ends of the words of ${dictionary} are out of order`]),
    ...(wrong === undefined ? [] : [`the words of ${dictionary} differ from its text ${wrong[0]}`]),
  ];
}

/** The words of a dictionary, each with the space before it, and their lists. */
class Words {
  readonly letters: Column;
  readonly #bytes: Buffer;
  readonly #offsets: Int32Array;
  readonly #postingStarts: Int32Array;
  readonly #starts: Column;
  readonly #spelling: Column;
  readonly #texts: Column;
  readonly #next: Column;
  readonly #column: (name: string) => Column;

  constructor(columns: Columns, dictionary: string) {
    this.#column = (name) => columns.column(`${dictionary}.${name}`);
    const [offsets, postingStarts] = [this.#column("word.offset"), this.#column("word.start")];
    this.#offsets = offsets.slice(0, offsets.length);
    this.#postingStarts = postingStarts.slice(0, postingStarts.length);
    this.#bytes = Buffer.from(columns.bytes(`${dictionary}.word.bytes`));
    this.letters = this.#column("text.letters");
    [this.#starts, this.#spelling] = [this.#column("text.start"), this.#column("text.word")];
    [this.#texts, this.#next] = [this.#column("word.text"), this.#column("word.next")];
  }

  /** True if the words spell a text, and if their postings have it, each with the word that follows there. */
  haveText(id: number, text: string): boolean {
    const spelled = this.#spelling.slice(this.#starts.at(id), this.#starts.at(id + 1));
    const pieces = Array.from(spelled, (word) =>
      this.#bytes.toString("utf8", this.#offsets[word], this.#offsets[word + 1]),
    );
    if (pieces.join("") !== text || this.letters.at(id) !== lettersOf(text)) return false;
    const rows = new Map<number, number>(); // the posting after the last one of each word so far
    return spelled.every((word, index) => {
      const [start, stop] = [this.#postingStarts[word] as number, this.#postingStarts[word + 1] as number];
      const row = rows.get(word) ?? this.#texts.findFirst(id, start, stop);
      rows.set(word, row + 1);
      const next = spelled[index + 1] ?? this.#offsets.length - 1; // the number of words stands for none
      return row < stop && this.#texts.at(row) === id && this.#next.at(row) === next;
    });
  }

  /** True if each end lies in its word, and if the first bytes of the ends ascend, up to the space after the word. */
  areEndsInOrder(): boolean {
    const [bytes, offsets] = [this.#bytes, this.#offsets];
    const [starts, words] = [this.#column("end.offset"), this.#column("end.word")];
    let [last, lastStop] = [0, 0];
    for (let end = 0; end < starts.length; end++) {
      const [start, word] = [starts.at(end), words.at(end)];
      const [first, next] = [offsets[word] as number, offsets[word + 1] as number];
      if (start < first || start >= next) return false;
      const stop = Math.min(next + 1, start + endLength);
      const order = bytes.compare(bytes, start, stop, last, lastStop);
      // Equal first bytes may belong to characters that differ after them.
      if (order > 0 || (order === 0 && start <= last && stop > next)) return false;
      [last, lastStop] = [start, stop];
    }
    return starts.length === countCharacters(bytes) - 1; // the last space starts no end
  }
}

/** The number of characters in bytes of UTF-8. */
function countCharacters(bytes: Buffer): number {
  return bytes.reduce((count, byte) => count + ((byte & 0xc0) === 0x80 ? 0 : 1), 0);
}
