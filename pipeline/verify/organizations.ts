// Verifies the organizations of a release: their lines and profiles, and the index of their names against these and the grants.
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { indexedWords, placeWords } from "../../api-static/contract/text/nameWords.ts";
import { Columns } from "../../api-static/release/columns.ts";
import { parts } from "../../api-static/release/layout.ts";
import {
  type FormerName,
  organizationBytesMax,
  profileBytesMax,
} from "../../api-static/release/organizations.ts";
import { codeState, NameIndex, roleBits } from "../../api-static/search/names/nameIndex.ts";
import { countRows, literalPath } from "../base/database.ts";
import { lineFeed, readLineBlocks } from "../base/lines.ts";
import type { Manifest } from "../releases/manifest.ts";
import { ColumnCheck } from "./columnCheck.ts";
import { countProblems } from "./contradictions.ts";

/** Organizations whose words, and EINs whose sums are compared, evenly spread. */
const samples = 20_000;

/** The starts of lists, and the columns that have their rows. */
const lists: Readonly<Record<string, string>> = {
  "word.start": "word.bytes",
  "posting.start": "posting",
  "name.start": "name.word",
  "place.start": "place.word",
  "also.start": "also.bytes",
};

/** The columns that have a number of each organization. */
const ofOrganizations = /^(also\.start|ein|given|received)/;

/** Patterns of JSON. The lines are read as bytes, so a letter may be several characters. */
const text = String.raw`"(?:[^"\\]|\\.)+"`;
const month = String.raw`"\d{4}-\d\d"`;
const orNull = (pattern: string) => `(?:${pattern}|null)`;
const fields = (patterns: Readonly<Record<string, string>>) =>
  Object.entries(patterns)
    .map(([name, pattern]) => `"${name}":${pattern}`)
    .join();
const list = (patterns: Readonly<Record<string, string>>) => {
  const item = String.raw`\{${fields(patterns)}\}`;
  return String.raw`\[(?:${item}(?:,${item})*)?\]`;
};
const ein = String.raw`"(\d{9})"`;
const sum = orNull(String.raw`-?\d+\.\d\d`);
const source = orNull(String.raw`\{${fields({ object_id: String.raw`"\d{18}"`, period: orNull(month) })}\}`);

/** A file of lines by EIN: the form of a line, and its most bytes. */
type LinesFile = { readonly part: string; readonly pattern: RegExp; readonly bytesMax: number };

const linePattern = (patterns: Readonly<Record<string, string>>) =>
  new RegExp(String.raw`^\{${fields({ ein, ...patterns })}\}$`, "s");

const linesFile: LinesFile = {
  part: parts.organizations,
  pattern: linePattern({
    name: text,
    city: orNull(text),
    state: orNull(text),
    ntee: orNull('"[A-Z][0-9A-Z]{0,2}"'),
    cause: orNull('"[A-Z]"'),
  }),
  bytesMax: organizationBytesMax,
};

const profilesFile: LinesFile = {
  part: parts.profiles,
  pattern: linePattern({
    subsection: orNull(String.raw`"\d\d"`),
    ruling_year: orNull(String.raw`\d{1,4}`),
    former_names: list({ name: text, from: orNull(month), to: month }),
    finances: list({
      tax_year: String.raw`\d{4}`,
      form: orNull(text),
      revenue: sum,
      expenses: sum,
      assets: sum,
      grants_paid: sum,
      source,
    }),
    mission: orNull(text),
    applications: orNull(
      String.raw`\{${fields({
        accepts: '"(?:yes|no)"',
        deadlines: orNull(text),
        form: orNull(text),
        restrictions: orNull(text),
        tax_year: String.raw`\d{4}`,
        source,
      })}\}`,
    ),
  }),
  bytesMax: profileBytesMax,
};

const readEins = "format = 'newline_delimited', columns = {ein: 'VARCHAR'}";

/** Profiles of organizations that are not listed. */
const unlistedSql = `
SELECT count(*) FROM read_json($profiles, ${readEins}) ANTI JOIN read_json($organizations, ${readEins}) USING (ein)`;

/** Profiles of organizations that take applications, or not, other than the index has them. */
const acceptancesSql = `
SELECT count(*) FROM read_json($profiles, format = 'newline_delimited', columns = {ein: 'VARCHAR', applications: 'STRUCT(accepts VARCHAR)'}) AS profiles
LEFT JOIN stated ON stated.ein = profiles.ein::UINTEGER WHERE applications.accepts IS DISTINCT FROM stated.accepts`;

/**
 * Checks the lines of `organizations` and of the profiles, and in the index of names the order of words and organizations and all postings; the words and the
 * sums of some organizations.
 * @param connection whose current database is the index of grants
 * @param counts of organizations and of their profiles, as the manifest says
 */
export async function findOrganizationProblems(
  connection: DuckDBConnection,
  folder: string,
  counts: Pick<Manifest["names"], "organizations" | "profiles">,
): Promise<string[]> {
  const columns = Columns.open(join(folder, parts.organizationColumns));
  try {
    // Each organization is read on its own.
    const held = Object.keys(columns.header.columns).filter((name) => ofOrganizations.test(name));
    await columns.hold(held, Number.POSITIVE_INFINITY);
    const check = new ColumnCheck(columns);
    for (const [starts, rows] of Object.entries(lists)) check.lists(starts, rows, 0);
    const index = check.problems.length === 0 ? new NameIndex(columns) : undefined;
    if (index !== undefined) checkOrder(check, index);
    const found = await findLineProblem(linesFile, folder, counts.organizations, (line) => {
      if (index !== undefined && check.problems.length === 0) checkName(check, index, line);
    });
    if (index !== undefined && check.problems.length === 0) await checkSums(connection, check, index);
    const problems = check.problems.map((each) => `${parts.organizationColumns}: ${each}`);
    return [...found, ...(await findProfileProblems(connection, folder, counts.profiles)), ...problems];
  } finally {
    columns.close();
  }
}

/** Words and EINs must be in order, each once; organizations by grants, then by EIN; and each word must have its organizations. */
function checkOrder(check: ColumnCheck, index: NameIndex) {
  for (let word = 1; word < index.words; word++)
    if (index.wordAt(word - 1) >= index.wordAt(word))
      return check.report("word.start", word, index.wordAt(word), `a word after ${index.wordAt(word - 1)}`);
  const { rows, listOf } = check.postings("posting.start", index.nameWord, "name.start");
  check.equal("posting", rows.length, "name.word", (posting) => listOf[rows[posting] as number]);
  check.ascending("ein.sorted");
  const eins = check.all("ein");
  check.copied("ein.sorted", "ein.organization", "ein", eins);
  const [given, received] = [check.all("given.records"), check.all("received.records")];
  const grants = given.map((records, id) => records + (received[id] as number));
  const disordered = grants.findIndex((records, id) => {
    const more = records - (grants[id - 1] ?? records);
    return more > 0 || (more === 0 && (eins[id - 1] ?? 0) >= (eins[id] as number));
  });
  if (disordered >= 0)
    check.report("ein", disordered, eins[disordered], "organizations in order of grants and EIN");
  const aliases = check.all("alias.organization");
  const stray = aliases.findIndex((id) => id < 0 || id >= index.organizations);
  if (stray >= 0) check.report("alias.organization", stray, aliases[stray], "the number of an organization");
  check.equal("roles", index.organizations, "given.records and received.records", (id) => {
    const funder = (given[id] as number) > 0 ? roleBits.funder : 0;
    return (received[id] as number) > 0 ? funder | roleBits.recipient : funder;
  });
}

/** Checks the profiles: years and former names must be in order, and the organizations listed. */
async function findProfileProblems(
  connection: DuckDBConnection,
  folder: string,
  profiles: number,
): Promise<string[]> {
  const disordered: string[] = [];
  const found = await findLineProblem(profilesFile, folder, profiles, (line) => {
    const { ein, finances, former_names } = JSON.parse(line) as Profile;
    const isDescending = (keys: readonly (number | string)[]) =>
      keys.every((key, index) => index === 0 || key < (keys[index - 1] as typeof key));
    const areNamesOrdered = former_names.every(({ to }, index) => to <= (former_names[index - 1]?.to ?? to));
    if (!isDescending(finances.map(({ tax_year }) => tax_year)) || !areNamesOrdered) disordered.push(ein);
  });
  if (found.length > 0) return found;
  const [first] = disordered;
  const problems =
    first === undefined ? [] : [`${parts.profiles}: years or names of ${first} are out of order`];
  const paths = {
    profiles: literalPath(join(folder, parts.profiles)),
    organizations: literalPath(join(folder, parts.organizations)),
  };
  const wrong = {
    "profiles of organizations that are not listed": unlistedSql,
    "profiles whose applications the index contradicts": acceptancesSql,
  };
  return [...problems, ...(await countProblems(connection, parts.profiles, wrong, paths))];
}

type Profile = {
  readonly ein: string;
  readonly former_names: readonly FormerName[];
  readonly finances: readonly { readonly tax_year: number }[];
};

/**
 * Finds the first line of a file that is malformed, or that a search by halves could not find; otherwise compares the number of
 * lines.
 * @param onSample receives some lines, evenly spread
 */
async function findLineProblem(
  { part, pattern, bytesMax }: LinesFile,
  folder: string,
  lines: number,
  onSample: (line: string) => void,
): Promise<string[]> {
  const step = Math.max(1, Math.floor(lines / samples));
  let [line, last] = [0, ""];
  for await (const block of readLineBlocks(join(folder, part))) {
    if (block.at(-1) !== lineFeed) return [`${part} does not end with a whole line`];
    for (let start = 0; start < block.length; line += 1) {
      const end = block.indexOf(lineFeed, start);
      const [, ein = ""] = pattern.exec(block.toString("latin1", start, end)) ?? [];
      if (ein <= last || end - start >= bytesMax)
        return [`${part}: line ${line} is malformed, too long or out of order`];
      if (line % step === 0) onSample(block.toString("utf8", start, end));
      [last, start] = [ein, end + 1];
    }
  }
  return line === lines ? [] : [`${part} has ${line} lines, the manifest says ${lines}`];
}

/** Compares a name and its place with the index. */
function checkName(check: ColumnCheck, index: NameIndex, line: string): void {
  const { ein, name, city, state } = JSON.parse(line) as Record<string, string | null>;
  const place = [...placeWords(city ?? "", state ?? ""), codeState((state ?? "").trim().toUpperCase())];
  const expected = [...indexedWords(name ?? ""), "in", ...place].join(" ");
  const id = index.findEin(Number(ein));
  const found = id < 0 ? "missing" : describe(index, id);
  if (found !== expected) check.report("name.word", id, found, expected);
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
