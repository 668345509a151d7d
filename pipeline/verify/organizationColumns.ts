// Verifies the index of organizations' names against the organizations and the grants.
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { indexedWords, placeWords } from "../../api-static/contract/nameWords.ts";
import { organizationLists } from "../../api-static/release/attributes.ts";
import { Columns } from "../../api-static/release/columns.ts";
import { parts } from "../../api-static/release/layout.ts";
import { codeState, NameIndex, roleBits } from "../../api-static/search/names/nameIndex.ts";
import { countRows } from "../base/database.ts";
import { lineFeed, readLineBlocks } from "../base/lines.ts";
import { ColumnCheck } from "./columnCheck.ts";

/** Organizations whose words, and EINs whose sums are compared, evenly spread. */
const samples = 20_000;

/** The columns that have a number of each organization. */
const ofOrganizations = /^(ein|given|received)/;

type Line = Readonly<Record<"ein" | "name", string> & Record<"city" | "state", string | null>>;

/** Checks the order of words and organizations and all postings; the words and the sums of some organizations. */
export async function findOrganizationColumnProblems(
  connection: DuckDBConnection,
  folder: string,
): Promise<string[]> {
  const columns = Columns.open(join(folder, parts.organizationColumns));
  try {
    // Each organization is read on its own.
    const held = Object.keys(columns.header.columns).filter((name) => ofOrganizations.test(name));
    await columns.hold(held, Number.POSITIVE_INFINITY);
    const check = new ColumnCheck(columns);
    check.lists(organizationLists, 0);
    if (check.problems.length === 0) await checkIndex(connection, check, folder);
    return check.problems.map((problem) => `${parts.organizationColumns}: ${problem}`);
  } finally {
    columns.close();
  }
}

async function checkIndex(connection: DuckDBConnection, check: ColumnCheck, folder: string): Promise<void> {
  const index = new NameIndex(check.columns);
  checkOrder(check, index);
  if (check.problems.length > 0) return; // the others find organizations by EIN
  await checkNames(check, index, folder);
  await checkSums(connection, check, index);
}

/** Words and EINs must be in order, each once; organizations by grants, then by EIN; and each word must have its organizations. */
function checkOrder(check: ColumnCheck, index: NameIndex) {
  for (let word = 1; word < index.words; word++)
    if (index.wordAt(word - 1) >= index.wordAt(word))
      return check.report("word.start", word, index.wordAt(word), `a word after ${index.wordAt(word - 1)}`);
  check.postings(
    "posting",
    { words: "name.word", listStarts: "name.start", wordStarts: "posting.start" },
    (id) => id,
  );
  check.ascending("ein.sorted");
  check.copied("ein.sorted", "ein.organization", "ein");
  const [eins, given, received] = ["ein", "given.records", "received.records"].map((name) => check.all(name));
  const at = (values: Int32Array | undefined, id: number) => values?.[id] as number;
  const grantsOf = (id: number) => at(given, id) + at(received, id);
  for (let id = 1; id < index.count; id++) {
    const more = grantsOf(id) - grantsOf(id - 1);
    if (more > 0 || (more === 0 && at(eins, id - 1) >= at(eins, id)))
      return check.report("ein", id, at(eins, id), "organizations in order of grants and EIN");
  }
  check.equal(
    "roles",
    "given.records and received.records",
    (id) => (at(given, id) > 0 ? roleBits.funder : 0) | (at(received, id) > 0 ? roleBits.recipient : 0),
  );
}

/** Compares names and places with lines of `organizations`. */
async function checkNames(check: ColumnCheck, index: NameIndex, folder: string): Promise<void> {
  const step = Math.max(1, Math.floor(index.count / samples));
  let line = 0;
  for await (const block of readLineBlocks(join(folder, parts.organizations)))
    for (let start = 0; start < block.length; line += 1) {
      const end = block.indexOf(lineFeed, start);
      if (line % step === 0) {
        const { ein, name, city, state } = JSON.parse(block.toString("utf8", start, end)) as Line;
        const id = index.findEin(Number(ein));
        const place = [...placeWords(city ?? "", state ?? ""), codeState((state ?? "").trim().toUpperCase())];
        const expected = [...indexedWords(name), "in", ...place].join(" ");
        const found = id < 0 ? "missing" : describe(index, id);
        if (found !== expected) return check.report("name.word", id, found, expected);
      }
      start = end + 1;
    }
}

/** The words of an organization's name and place, and the code of its state. */
function describe(index: NameIndex, id: number): string {
  const { facts, nameWord, placeStart, placeWord, placeState } = index;
  const place = facts.place(id);
  const name = nameWord.subarray(facts.start(id), facts.nameEnd(id));
  const words = placeWord.subarray(placeStart[place], placeStart[place + 1]);
  const spell = (numbers: Int32Array) => Array.from(numbers, (word) => index.wordAt(word));
  return [...spell(name), "in", ...spell(words), placeState[place]].join(" ");
}

/** Compares sums with the grants of the index: all records, and some EINs. */
async function checkSums(connection: DuckDBConnection, check: ColumnCheck, index: NameIndex): Promise<void> {
  const sums = [
    ["given", "by_funder", "funder_ein"],
    ["received", "by_recipient", "recipient_ein"],
  ] as const;
  for (const [kind, table, ein] of sums) {
    const found = await connection.runAndReadAll(
      `SELECT ${ein}, count(*)::INTEGER, sum(amount_cents)::HUGEINT FROM ${table} GROUP BY ${ein}
       HAVING hash(${ein}) % greatest(1, (SELECT approx_count_distinct(${ein}) FROM ${table}) // ${samples}) = 0`,
    );
    for (const [ein, records, cents] of found.getRows()) {
      const id = index.findEin(Number(ein));
      const sum = id < 0 ? undefined : index.read(id)[kind];
      if (sum?.records !== records || sum?.amount !== (cents ?? 0n))
        check.report(`${kind}.records`, id, `${sum?.records}, ${sum?.amount} cents`, `${records}, ${cents}`);
    }
    const all = check.all(`${kind}.records`).reduce((sum, records) => sum + records, 0);
    const rows = await countRows(connection, table);
    if (all !== rows) check.problems.push(`${kind}.records has ${all} grants, expected ${rows}`);
  }
}
