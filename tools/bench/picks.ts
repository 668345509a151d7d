// Draws the values that the suite searches for from the grants by lot; the same grants give the same values.
import type { DuckDBConnection, DuckDBValue } from "@duckdb/node-api";
import { type Ein, formatEin } from "../../api-static/contract/ein.ts";
import type { Filters } from "../../api-static/contract/filters.ts";
import { canonicalText } from "../../api-static/contract/text/text.ts";
import { openDatabase } from "../../pipeline/base/database.ts";
import type { Grants } from "./peers/peer.ts";
import type { FilterName, TextColumn } from "./peers/where.ts";

/** Another seed gives another suite of the same kinds. */
const seed = "1";

const grantsDrawn = 64;
const einsDrawn = 8;
const wordsDrawn = 8;
const typesDrawn = 3;

/** EINs of one column. */
export type EinPicks = {
  /** The one with the most grants. */
  readonly largest: Ein;
  /** Drawn among all EINs, so most have few grants; the EINs of drawn grants have many. */
  readonly drawn: readonly Ein[];
};

/** Bands of words by frequency, from the most frequent: the ranks 1 to n^¼, to n^½, to n^¾ and to n of n words. */
export const bands = ["frequent", "common", "uncommon", "rare"] as const;
export type Band = (typeof bands)[number];

/** Words of canonical texts, of any length and script, drawn from each band. */
export type WordPicks = Readonly<Record<Band | "foreign", readonly string[]>>;

/** The values of one grant, which has them all. Its texts are canonical and have at most 200 characters. */
export type GrantPick = Required<Pick<Filters, FilterName>>;

export type Picks = {
  readonly funders: EinPicks;
  readonly recipients: EinPicks;
  /** The year with the most grants, and the newest and oldest with at least a thousandth of them. */
  readonly years: { readonly largest: number; readonly newest: number; readonly oldest: number };
  readonly purposes: WordPicks;
  readonly names: WordPicks;
  /** The canonical text of the most frequent type, and of others. */
  readonly types: readonly string[];
  /** Drawn among all complete grants, so their values are as frequent as they are among grants. */
  readonly grants: readonly GrantPick[];
};

/** @throws Error if the grants lack a kind of value, e.g., text outside ASCII: there are too few rows */
export async function pickValues(grants: Grants, spillFolder: string): Promise<Picks> {
  const { connection, instance } = await openDatabase({ memory: "4GB", threads: 2, spillFolder });
  try {
    await connection.run(
      `CREATE VIEW grants AS SELECT * FROM read_parquet('${grants.parquet.replaceAll("'", "''")}')`,
    );
    return {
      funders: await pickEins(connection, "funder_ein"),
      recipients: await pickEins(connection, "recipient_ein"),
      years: await pickYears(connection),
      purposes: await pickWords(connection, "purpose_text"),
      names: await pickWords(connection, "recipient_name_text"),
      types: await pickTypes(connection),
      grants: await pickGrants(connection),
    };
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** SQL that orders rows by lot. */
const lot = (value: string) => `md5('${seed}' || ${value}::VARCHAR)`;

async function pickEins(
  connection: DuckDBConnection,
  column: "funder_ein" | "recipient_ein",
): Promise<EinPicks> {
  const rows = await readRows(
    connection,
    `WITH counted AS (SELECT ${column} AS ein, count(*) AS n FROM grants WHERE ${column} IS NOT NULL GROUP BY ALL)
     (SELECT ein FROM counted ORDER BY n DESC, ein LIMIT 1)
     UNION ALL (SELECT ein FROM counted ORDER BY ${lot("ein")} LIMIT ${einsDrawn})`,
  );
  const [largest, ...drawn] = rows.map(([ein]) => formatEin(Number(ein)));
  if (largest === undefined) throw new Error(`no grant has a ${column}; set ROWS higher`);
  return { largest, drawn };
}

async function pickYears(connection: DuckDBConnection): Promise<Picks["years"]> {
  const [[largest, newest, oldest] = []] = await readRows(
    connection,
    `WITH counted AS (SELECT transaction_year AS year, count(*) AS n FROM grants GROUP BY ALL)
     SELECT arg_max(year, (n, year)), max(year), min(year) FROM counted WHERE n * 1000 >= (SELECT sum(n) FROM counted)`,
  );
  return { largest: Number(largest), newest: Number(newest), oldest: Number(oldest) };
}

async function pickTypes(connection: DuckDBConnection): Promise<string[]> {
  const rows = await readRows(
    connection,
    `WITH counted AS (SELECT type, count(*) AS n FROM grants WHERE length(type) <= 200 GROUP BY ALL)
     (SELECT type FROM counted ORDER BY n DESC, type LIMIT 1)
     UNION ALL (SELECT type FROM counted ORDER BY ${lot("type")} LIMIT ${typesDrawn})`,
  );
  return [...new Set(rows.map(([type]) => canonicalText(String(type))))];
}

/** Every word counts once for each grant whose text holds it. */
async function pickWords(connection: DuckDBConnection, column: TextColumn): Promise<WordPicks> {
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE words AS
     SELECT word, row_number() OVER (ORDER BY sum(n) DESC, word) AS place FROM (
       SELECT unnest(list_distinct(string_split(text, ' '))) AS word, n FROM (
         SELECT ${column} AS text, count(*) AS n FROM grants WHERE ${column} IS NOT NULL GROUP BY ALL)
     ) WHERE length(word) BETWEEN 1 AND 40 AND regexp_matches(word, '[\\pL\\pN]') GROUP BY word`,
  );
  const draw = async (condition: string) => {
    const rows = await readRows(
      connection,
      `SELECT word FROM words, (SELECT count(*) AS all_words FROM words)
       WHERE ${condition} ORDER BY ${lot("word")} LIMIT ${wordsDrawn}`,
    );
    if (rows.length === 0)
      throw new Error(`no ${column} fits one of the suite's searches (${condition}); set ROWS higher`);
    return rows.map(([word]) => String(word));
  };
  const ofBand = (band: Band) => {
    const quarter = bands.indexOf(band);
    const above = quarter === 0 ? "0" : `pow(all_words, ${quarter / 4})`;
    return draw(`place > ${above} AND place <= pow(all_words, ${(quarter + 1) / 4})`);
  };
  return {
    frequent: await ofBand("frequent"),
    common: await ofBand("common"),
    uncommon: await ofBand("uncommon"),
    rare: await ofBand("rare"),
    foreign: await draw("strlen(word) > length(word)"),
  };
}

async function pickGrants(connection: DuckDBConnection): Promise<GrantPick[]> {
  const rows = await readRows(
    connection,
    `SELECT funder_ein, recipient_ein, transaction_year, amount_cents, purpose_text, recipient_name_text FROM grants
     WHERE recipient_ein IS NOT NULL AND amount_cents > 0
       AND length(purpose_text) BETWEEN 8 AND 200 AND length(recipient_name_text) BETWEEN 8 AND 200
     ORDER BY ${lot("id")} LIMIT ${grantsDrawn}`,
  );
  if (rows.length < grantsDrawn)
    throw new Error(
      `only ${rows.length} grants have all fields, the suite needs ${grantsDrawn}; set ROWS higher`,
    );
  return rows.map(([giver, recipient, year, amount, purpose, name]) => ({
    funderEin: formatEin(Number(giver)),
    recipientEin: formatEin(Number(recipient)),
    transactionYear: Number(year),
    minAmountCents: BigInt(String(amount)),
    purpose: String(purpose),
    recipientName: String(name),
  }));
}

async function readRows(
  connection: DuckDBConnection,
  sql: string,
): Promise<readonly (readonly DuckDBValue[])[]> {
  return (await connection.runAndReadAll(sql)).getRows();
}
