// Verifies that the index of organizations' names agrees with the organizations and with the grants of a release.
import { closeSync } from "node:fs";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { indexedWords, placeWords } from "../../api-static/contract/nameWords.ts";
import { Columns } from "../../api-static/release/columns.ts";
import { parts } from "../../api-static/release/layout.ts";
import { codeState, NameIndex, roleBits } from "../../api-static/search/names/nameIndex.ts";
import { lineFeed, readLineBlocks } from "../base/lines.ts";

const part = parts.organizationColumns;

/** Organizations whose words, and EINs whose sums are compared, evenly spread. */
const samples = 20_000;

type Line = {
  readonly ein: string;
  readonly name: string;
  readonly city: string | null;
  readonly state: string | null;
};

/** Checks the order of words and organizations and all postings; the words and the sums of some organizations. */
export async function findOrganizationColumnProblems(
  connection: DuckDBConnection,
  folder: string,
): Promise<string[]> {
  const columns = Columns.open(join(folder, part));
  try {
    const index = new NameIndex(columns);
    await columns.hold(columnsOfOrganizations(columns), Number.POSITIVE_INFINITY); // each organization is read on its own
    const problems = [findOrderProblem(columns, index), findPostingProblem(index)].filter(
      (problem) => problem !== undefined,
    );
    if (problems.length > 0) return problems;
    return [
      ...(await findNameProblems(folder, index)),
      ...(await findSumProblems(connection, columns, index)),
    ];
  } finally {
    closeSync(columns.file);
  }
}

/** The columns that have a number of each organization. */
function columnsOfOrganizations({ header }: Columns): string[] {
  return Object.keys(header.columns).filter((name) => /^(ein|given|received)/.test(name));
}

/** Words and EINs must be in order, each once; organizations by grants, then by EIN. */
function findOrderProblem(columns: Columns, index: NameIndex): string | undefined {
  for (let word = 1; word < index.words; word++)
    if (index.wordAt(word - 1) >= index.wordAt(word)) return `${part}: word ${word} is out of order`;
  const [eins, given, received] = ["ein", "given.records", "received.records"].map((name) =>
    columns.integers(name),
  );
  const [sorted, organizations] = ["ein.sorted", "ein.organization"].map((name) => columns.integers(name));
  const at = (values: Int32Array | undefined, row: number) => values?.[row] as number;
  const grantsOf = (id: number) => at(given, id) + at(received, id);
  for (let id = 0; id < index.count; id++) {
    const before = grantsOf(id - 1) - grantsOf(id);
    if (id > 0 && (before < 0 || (before === 0 && at(eins, id - 1) >= at(eins, id))))
      return `${part}: organization ${id} is out of order`;
    if (
      at(eins, at(organizations, id)) !== at(sorted, id) ||
      (id > 0 && at(sorted, id - 1) >= at(sorted, id))
    )
      return `${part}: EIN ${id} is out of order`;
    const roles = (at(given, id) > 0 ? roleBits.funder : 0) | (at(received, id) > 0 ? roleBits.recipient : 0);
    if (index.roles[id] !== roles) return `${part}: organization ${id} has a wrong role`;
  }
  return undefined;
}

/** The organizations of each word must be those whose names have it. */
function findPostingProblem({
  count,
  postings,
  postingStart,
  facts,
  nameWord,
}: NameIndex): string | undefined {
  const next = postingStart.slice();
  for (let id = 0; id < count; id++)
    for (let at = facts.start(id); at < facts.start(id + 1); at++) {
      const word = nameWord[at] as number;
      if (postings[(next[word] as number)++] !== id) return `${part}: word ${word} lacks organization ${id}`;
    }
  const stray = next.findIndex((end, word) => word + 1 < next.length && end !== postingStart[word + 1]);
  return stray < 0 ? undefined : `${part}: word ${stray} has too many organizations`;
}

/** Compares names and places with lines of `organizations`. */
async function findNameProblems(folder: string, index: NameIndex): Promise<string[]> {
  const step = Math.max(1, Math.floor(index.count / samples));
  const problems: string[] = [];
  let line = 0;
  for await (const block of readLineBlocks(join(folder, parts.organizations)))
    for (let start = 0; start < block.length; line += 1) {
      const end = block.indexOf(lineFeed, start);
      if (line % step === 0) {
        const organization = JSON.parse(block.toString("utf8", start, end)) as Line;
        if (!isIndexed(index, organization))
          problems.push(`${part} differs from organization ${organization.ein}`);
      }
      start = end + 1;
    }
  return problems;
}

function isIndexed(index: NameIndex, { ein, name, city, state }: Line): boolean {
  const id = index.findEin(Number(ein));
  if (id < 0) return false;
  const words = (from: number | undefined, to: number, all: Int32Array) =>
    Array.from(all.subarray(from, to), (word) => index.wordAt(word)).join(" ");
  const { facts } = index;
  const place = facts.place(id);
  const { placeStart, placeWord, placeState } = index;
  const places = words(placeStart[place], placeStart[place + 1] as number, placeWord);
  return (
    words(facts.start(id), facts.nameEnd(id), index.nameWord) === indexedWords(name).join(" ") &&
    places === placeWords(city ?? "", state ?? "").join(" ") &&
    placeState[place] === codeState((state ?? "").trim().toUpperCase())
  );
}

/** Compares sums with the grants of the index: all records, and some EINs. */
async function findSumProblems(
  connection: DuckDBConnection,
  columns: Columns,
  index: NameIndex,
): Promise<string[]> {
  const problems: string[] = [];
  for (const [kind, table, column] of [
    ["given", "by_funder", "funder_ein"],
    ["received", "by_recipient", "recipient_ein"],
  ] as const) {
    const found = await connection.runAndReadAll(
      `SELECT ${column}, count(*)::INTEGER, sum(amount_cents)::HUGEINT FROM ${table} GROUP BY ${column}
       HAVING hash(${column}) % greatest(1, (SELECT approx_count_distinct(${column}) FROM ${table}) // ${samples}) = 0`,
    );
    for (const [ein, records, cents] of found.getRows()) {
      const id = index.findEin(Number(ein));
      const sum = id < 0 ? undefined : index.read(id)[kind];
      if (sum?.records !== records || sum?.amount !== (cents ?? 0n))
        problems.push(`${part} differs from the grants of EIN ${ein}`);
    }
    const counted = await connection.runAndReadAll(`SELECT count(*)::DOUBLE FROM ${table}`);
    const all = columns.integers(`${kind}.records`).reduce((sum, records) => sum + records, 0);
    if (all !== counted.getRows()[0]?.[0]) problems.push(`${part} has ${all} grants ${kind}`);
  }
  return problems;
}
