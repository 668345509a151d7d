// Makes up organizations for the benchmark: names of the sample's vocabulary and, where present, of real filings.

import { once } from "node:events";
import { createWriteStream } from "node:fs";
import type { DuckDBConnection } from "@duckdb/node-api";
import { pick, type Random, seedRandom } from "../../pipeline/verify/random.ts";
import { vocabulary } from "../sample/words.ts";

/** Made-up names repeat words of a vocabulary as names of organizations do: about as frequently as their rank is low. */
const templates: readonly ((word: () => string, random: Random) => string)[] = [
  (word, random) => `${word()} ${institution(random)}`,
  (word, random) => `${word()} ${word()} ${institution(random)}`,
  (word, random) => `${word()} ${word()} ${institution(random)}`,
  (word, random) => `${institution(random)} of ${word()}`,
  (word, random) => `${institution(random)} of ${word()} ${word()}`,
  (word, random) => `${word()} ${pick(random, list("fields"))} ${pick(random, list("endings"))}`,
  (word, random) => `Friends of the ${word()} ${institution(random)}`,
  (word, random) => `${word()} ${institution(random)} of ${word()} County`,
  (word) => `${word()} Family Foundation`,
  (word) => `${word()} and ${word()} ${word()} Foundation`,
  (word) => `The ${word()} ${word()} Charitable Trust`,
  (word) => `Saint ${word()} Catholic Church of ${word()}`,
];

/** Names that many organizations have with another town or number: one of this many. */
const chapterShare = 1 / 50;
const chapters: typeof templates = [
  (word) => `Parent Teacher Association of ${word()} Elementary School`,
  (_, random) => `American Legion Post ${1 + Math.floor(random() * 1000)}`,
];

const list = (name: string) => vocabulary[name] as readonly string[];
const institution = (random: Random) => pick(random, list("institutions"));

/** Towns beside the sample's places. They are words of names, too. */
const maxTowns = 10_000;

/** How the IRS's list shortens words, in one name of ten. */
const shortened: readonly (readonly [RegExp, string])[] = [
  [/\bSaint\b/, "St"],
  [/\bAssociation\b/, "Assn"],
  [/\bFoundation\b/, "Fdn"],
  [/\bUniversity\b/, "Univ"],
  [/\bCenter\b/, "Ctr"],
];

/**
 * Makes the tables `listed` and `grants` of a sync, with organizations of the EINs from 10000000 on.
 * @param real names of real organizations, which are listed first
 * @param path of a temporary file
 * @returns the names by EIN
 */
export async function makeOrganizations(
  connection: DuckDBConnection,
  count: number,
  real: readonly string[],
  path: string,
): Promise<ReadonlyMap<number, string>> {
  const random = seedRandom(32);
  const words = listWords(real);
  const word = () => words[Math.floor(words.length ** random() - 1)] as string; // rare words are rare
  const names = new Map<number, string>();
  const towns = words.filter((_, rank) => rank % 8 === 0).slice(0, maxTowns);
  const file = createWriteStream(path);
  file.write("ein,name,city,state,also\n");
  for (let row = 0; row < count; row++) {
    const name = real[row] ?? makeName(word, random);
    names.set(10_000_000 + row, name);
    const [city, state] = splitPlace(pick(random, list("places")));
    const town = random() < 0.5 ? pick(random, towns).toUpperCase() : city;
    const also = name.startsWith("American Legion") && random() < 0.5 ? `${word()} ${word()} POST` : "";
    const cells = [10_000_000 + row, name.toUpperCase(), town, state, also];
    const line = `${cells.map((cell) => `"${String(cell).replaceAll('"', '""')}"`).join(",")}\n`;
    if (!file.write(line)) await once(file, "drain");
  }
  file.end();
  await once(file, "close");
  await connection.run(
    `CREATE TABLE listed AS SELECT * FROM read_csv($path, header = true,
      types = {ein: 'UINTEGER', name: 'VARCHAR', city: 'VARCHAR', state: 'VARCHAR', also: 'VARCHAR'})`,
    { path },
  );
  await connection.run(
    `CREATE TABLE grants AS SELECT
      (10000000 + hash(i) % ${Math.ceil(count / 14)})::UINTEGER AS funder_ein,
      (10000000 + floor(pow(${count}, (hash(-i) % 1000003) / 1000003)))::UINTEGER AS recipient_ein,
      ((hash(i + 1) % 1000000) / 100)::DECIMAL(18, 2) AS amount, NULL::VARCHAR AS recipient_name, true AS recipient_listable
    FROM range(${2 * count}) AS rows(i)`,
  );
  await connection.run("CREATE TABLE organization_names AS SELECT ein, name FROM listed");
  return names;
}

function makeName(word: () => string, random: Random): string {
  const name = pick(random, random() < chapterShare ? chapters : templates)(word, random);
  const whole = random() < 0.4 && !name.startsWith("American") ? `${name} Inc` : name;
  if (random() >= 0.1) return whole;
  return shortened.reduce((text, [long, short]) => text.replace(long, short), whole);
}

function splitPlace(place: string): [string, string] {
  return [place.slice(0, -3).toUpperCase(), place.slice(-2)];
}

/** The words of names, the most frequent first: those of the vocabulary and of real names, then made-up ones. */
function listWords(real: readonly string[]): string[] {
  const found = real.flatMap((name) => name.split(" ").filter((word) => /^[A-Za-z]{3,}$/.test(word)));
  const random = seedRandom(1);
  const madeUp = list("heads").flatMap((head) =>
    list("middles").flatMap((middle) => list("tails").map((tail) => head + middle + tail)),
  );
  const shuffled = madeUp.map((text) => [random(), text] as const).sort(([a], [b]) => a - b);
  const all = [
    ...list("commonWords"),
    ...found.map((text) => text.toUpperCase()),
    ...shuffled.map(([, text]) => text),
  ];
  return [...new Set(all)];
}
