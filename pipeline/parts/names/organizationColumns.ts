// Writes `organizations.columns`: the words of organizations' names, and the sums of their grants. docs/text-index.md describes it.
import { join } from "node:path";
import type { DuckDBConnection, DuckDBDataChunk } from "@duckdb/node-api";
import { centsSql } from "../../../api-static/contract/text/amount.ts";
import { acronymOf, indexedWords, placeWords } from "../../../api-static/contract/text/nameWords.ts";
import { parts } from "../../../api-static/release/layout.ts";
import { amountWords, codeState, roleBits } from "../../../api-static/search/names/nameIndex.ts";
import { checkCeiling } from "../../base/ceilings.ts";
import { countRows, streamChunks } from "../../base/database.ts";
import { ColumnFile, fillColumns, startsOf } from "../index/columnFile.ts";

/** The sums of an EIN's grants as one kind of party. */
const sumsSql = (ein: string, kind: string) => `
SELECT ${ein} AS ein, count(*)::INTEGER AS ${kind}, sum(${centsSql("amount")}) AS ${kind}_cents
FROM grants WHERE ${ein} IS NOT NULL GROUP BY ${ein}`;

/** All organizations: those listed, and all that gave or received grants. Those with the most grants are first. */
const organizationsSql = `
CREATE TABLE known AS FROM (
  SELECT ein::INTEGER AS ein, coalesce(given, 0) AS given, coalesce(given_cents, 0)::HUGEINT AS given_cents,
    coalesce(received, 0) AS received, coalesce(received_cents, 0)::HUGEINT AS received_cents, name, city, state, also
  FROM (FROM listed SELECT ein::BIGINT AS ein, name, city, state, also)
  FULL JOIN (${sumsSql("funder_ein", "given")}) AS giving USING (ein)
  FULL JOIN (${sumsSql("recipient_ein", "received")}) AS receiving USING (ein)
) ORDER BY given::BIGINT + received DESC, ein`;

const rowsSql = "SELECT given_cents, received_cents, name, city, state, also FROM known";

/** Spellings of an organization that are indexed, at most: the most frequent ones. */
const maxFiled = 5;

/** Other names of organizations: former ones, and those that at least two funders filed. */
const aliasesSql = `
SELECT known.rowid::INTEGER AS id, alias FROM known JOIN (
  SELECT ein::INTEGER AS ein, name AS alias FROM organization_names
  UNION
  SELECT recipient_ein::INTEGER, recipient_name FROM grants WHERE recipient_ein IS NOT NULL AND recipient_listable
  GROUP BY recipient_ein, recipient_name HAVING min(funder_ein) < max(funder_ein)
  QUALIFY row_number() OVER (PARTITION BY recipient_ein ORDER BY count(*) DESC, recipient_name) <= ${maxFiled}
) USING (ein) WHERE alias <> coalesce(name, '') ORDER BY id, alias`;

/** The characters of the first line of a name in the IRS's list, which cuts words there: "FOUNDAT ION". */
const lineCharacters = 35;

/** The columns that need no names, in the order of organizations. */
const integersSql = `SELECT ein, given, received, (given > 0)::INTEGER * ${roleBits.funder} + (received > 0)::INTEGER * ${roleBits.recipient}
FROM known`;

/**
 * Writes `organizations.columns` into a release's folder from the tables `grants`, `listed` and
 * `organization_names`. The same rows give the same bytes.
 * @param onProgress called with the number of organizations that were read
 */
export async function writeOrganizationColumns(
  connection: DuckDBConnection,
  folder: string,
  onProgress: (organizations: number) => void,
): Promise<void> {
  await connection.run(organizationsSql);
  const count = await countRows(connection, "known");
  const columns = new OrganizationColumns(count);
  for await (const chunk of streamChunks(connection, rowsSql)) onProgress(columns.add(chunk));
  for await (const chunk of streamChunks(connection, aliasesSql)) columns.addAliases(chunk);
  const file = new ColumnFile(join(folder, parts.organizationColumns));
  try {
    const numbers = ["ein", "given.records", "received.records"].map((name) => file.add(name, count));
    await fillColumns(connection, integersSql, [...numbers, file.add("roles", count, 1)]);
    const byEin = ["ein.sorted", "ein.organization"].map((name) => file.add(name, count));
    await fillColumns(connection, "SELECT ein, rowid::INTEGER FROM known ORDER BY ein", byEin);
    await connection.run("DROP TABLE known");
    columns.write(file);
    file.end({ records: count, years: [] });
  } catch (error) {
    file.close();
    throw error;
  }
}

/** Integers that were pushed so far. Their memory doubles when it is full. */
class GrowingList {
  #values = new Int32Array(2 ** 16);
  length = 0;

  push(value: number): void {
    if (this.length === this.#values.length) {
      const larger = new Int32Array(2 * this.length);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.length++] = value;
  }

  values(): Int32Array {
    return this.#values.subarray(0, this.length);
  }
}

/** The organizations that were read so far. Words and places have the numbers of their first occurrence. */
class OrganizationColumns {
  #read = 0;
  readonly #words = new Map<string, number>();
  readonly #places = new Map<string, number>([["", 0]]);
  readonly #placeWords: number[][] = [[]];
  readonly #placeStates: number[] = [-1];
  readonly #nameStart = new GrowingList();
  readonly #nameWord = new GrowingList();
  readonly #nameCount = new GrowingList();
  /** The organization of each alias. */
  readonly #aliasOf = new GrowingList();
  /** Names with a word that the IRS may have cut, joined. */
  readonly #joined: { readonly id: number; readonly name: string; readonly word: string }[] = [];
  readonly #place: Int32Array;
  readonly #amounts: Readonly<Record<"given.amount" | "received.amount", Int32Array>>;
  readonly #alsoStart: Int32Array;
  readonly #also: Buffer[] = [];

  constructor(count: number) {
    this.#nameStart.push(0);
    this.#place = new Int32Array(count);
    const amounts = () => new Int32Array(amountWords * count);
    this.#amounts = { "given.amount": amounts(), "received.amount": amounts() };
    this.#alsoStart = new Int32Array(count + 1);
  }

  /** Adds the rows of a chunk; returns the number of rows so far. */
  add(chunk: DuckDBDataChunk): number {
    const [given, received, ...texts] = chunk.getColumns() as [bigint[], bigint[], ...(string | null)[][]];
    for (let row = 0; row < chunk.rowCount; row++) {
      const id = this.#read++;
      const [name, city, state, also] = texts.map((column) => column[row] ?? "");
      splitAmount(given[row] as bigint, this.#amounts["given.amount"], id);
      splitAmount(received[row] as bigint, this.#amounts["received.amount"], id);
      this.#place[id] = this.#numberPlace(city, state);
      this.#addName(id, name, also);
    }
    return this.#read;
  }

  #addName(id: number, name = "", also = ""): void {
    const words = indexedWords(name);
    this.#pushWords(words);
    this.#nameCount.push(words.length);
    this.#alsoStart[id + 1] = this.#alsoStart[id] as number;
    const others = acronymOf(words);
    if (also !== "") {
      others.push(...indexedWords(also).filter((word) => !words.includes(word)));
      const bytes = Buffer.from(also);
      this.#also.push(bytes);
      (this.#alsoStart[id + 1] as number) += bytes.length;
    }
    this.#pushWords(others);
    this.#nameStart.push(this.#nameWord.length);
    if (name[lineCharacters] !== " ") return;
    const joined = name.slice(0, lineCharacters) + name.slice(lineCharacters + 1);
    const [before = ""] = /[^ ]*$/.exec(name.slice(0, lineCharacters)) ?? [];
    const [after = ""] = /^[^ ]*/.exec(name.slice(lineCharacters + 1)) ?? [];
    this.#joined.push({ id, name: joined, word: (before + after).toLowerCase() });
  }

  #pushWords(words: readonly string[]): void {
    for (const word of words) this.#nameWord.push(this.#numberWord(word));
  }

  /** Adds the aliases of a chunk: each is a name of its own. Those with the words of the name or of the alias before have no effect. */
  addAliases(chunk: DuckDBDataChunk): void {
    const [ids = [], names = []] = chunk.getColumns() as [number[], string[]];
    for (let row = 0; row < chunk.rowCount; row++) this.#addAlias(ids[row] as number, names[row] as string);
  }

  #addAlias(id: number, name: string): void {
    const words = indexedWords(name);
    const last = this.#aliasOf.length - 1;
    const before = this.#aliasOf.values()[last] === id ? this.#read + last : id;
    if (words.length === 0 || [id, before].some((one) => this.#hasWords(one, words))) return;
    this.#pushWords(words);
    this.#nameCount.push(words.length);
    this.#nameStart.push(this.#nameWord.length);
    this.#aliasOf.push(id);
  }

  /** True if a name has the same words. */
  #hasWords(name: number, words: readonly string[]): boolean {
    const start = this.#nameStart.values()[name] as number;
    if (this.#nameCount.values()[name] !== words.length) return false;
    return words.every((word, at) => this.#words.get(word) === this.#nameWord.values()[start + at]);
  }

  #numberWord(word: string): number {
    return this.#words.get(word) ?? addNumber(this.#words, word, "words of organizations");
  }

  #numberPlace(city = "", state = ""): number {
    const key = city === "" && state === "" ? "" : `${city}\n${state}`;
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    const number = addNumber(this.#places, key, "places of organizations");
    this.#placeWords.push(placeWords(city, state).map((word) => this.#numberWord(word)));
    this.#placeStates.push(codeState(state.trim().toUpperCase()));
    return number;
  }

  /** Writes the columns of names, places and amounts. */
  write(file: ColumnFile): void {
    for (const { id, name, word } of this.#joined) if (this.#words.has(word)) this.#addAlias(id, name);
    const sorted = [...this.#words.keys()].sort(); // ASCII, so in the order of their bytes
    const numbers = new Int32Array(sorted.length); // by first occurrence
    for (const [number, word] of sorted.entries()) numbers[this.#words.get(word) as number] = number;
    const nameWord = this.#nameWord.values();
    for (let at = 0; at < nameWord.length; at++) nameWord[at] = numbers[nameWord[at] as number] as number;
    file.addAll("word.start", startsOf(sorted.map((word) => word.length)));
    file.addBytes("word.bytes", Buffer.from(sorted.join(""), "latin1"));
    this.#writePostings(file, nameWord, sorted.length);
    file.addAll("name.start", this.#nameStart.values());
    file.addAll("name.word", nameWord);
    file.addBytes("name.count", Buffer.from(this.#nameCount.values()));
    file.addAll("alias.organization", this.#aliasOf.values());
    file.addAll("place", this.#place);
    file.addAll("place.start", startsOf(this.#placeWords.map((words) => words.length)));
    const ofPlaces = this.#placeWords.flat().map((word) => numbers[word] as number);
    file.addAll("place.word", Int32Array.from(ofPlaces));
    file.addAll("place.state", Int32Array.from(this.#placeStates));
    for (const [name, values] of Object.entries(this.#amounts)) file.addAll(name, values);
    file.addAll("also.start", this.#alsoStart);
    file.addBytes("also.bytes", Buffer.concat(this.#also));
  }

  /** Writes the organizations and aliases of each word, in order. */
  #writePostings(file: ColumnFile, nameWord: Int32Array, words: number): void {
    const counts = new Int32Array(words);
    for (const word of nameWord) (counts[word] as number)++;
    const starts = startsOf(counts);
    file.addAll("posting.start", starts);
    const ends = starts.slice();
    const postings = new Int32Array(nameWord.length);
    const nameStart = this.#nameStart.values();
    for (let id = 0; id + 1 < nameStart.length; id++) {
      const end = nameStart[id + 1] as number;
      for (let at = nameStart[id] as number; at < end; at++)
        postings[(ends[nameWord[at] as number] as number)++] = id;
    }
    file.addAll("posting", postings);
  }
}

/** Gives a key the next number. @param what the keys are, for the message */
function addNumber(numbers: Map<string, number>, key: string, what: string): number {
  const number = numbers.size;
  checkCeiling("numbered", number + 1, what);
  numbers.set(key, number);
  return number;
}

/** Writes an amount as 32-bit words, the lowest first. */
function splitAmount(cents: bigint, words: Int32Array, id: number): void {
  if (cents === 0n) return;
  for (let word = 0; word < amountWords; word++)
    words[amountWords * id + word] = Number(BigInt.asIntN(32, cents >> BigInt(32 * word)));
}
