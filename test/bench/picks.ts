// Picks the values that the suite searches for from the grants; the same grants give the same values.
import type { DuckDBConnection, DuckDBValue } from "@duckdb/node-api";
import { type Ein, formatEin } from "../../api-static/contract/ein.ts";
import type { Filters } from "../../api-static/contract/filters.ts";
import { openDatabase } from "../../pipeline/database.ts";
import type { Grants } from "./peers/peer.ts";
import type { TextColumn } from "./peers/where.ts";

/** EINs of one column, by their number of grants. */
export type EinPicks = { readonly large: Ein; readonly median: Ein; readonly small: Ein };

/** Canonical texts and their words, by their number of grants. */
export type TextPicks = {
  /** The most frequent text. */
  readonly frequentText: string;
  /** A text of only one grant, at most 200 characters. */
  readonly rareText: string;
  /** The most frequent word, the 30th and the 1,000th (or the last one if there are fewer). */
  readonly frequentWord: string;
  readonly commonWord: string;
  readonly uncommonWord: string;
  readonly rareWord: string;
  /** The most frequent word with a letter outside ASCII. */
  readonly foreignWord: string;
};

/** All six filters with the values of one grant: of the largest funder, if one of its grants has no null. */
export type GrantPick = Required<Filters>;

export type Picks = {
  readonly funders: EinPicks;
  readonly recipients: EinPicks;
  /** The year with the most grants, and the newest and oldest with at least a thousandth of them. */
  readonly years: { readonly large: number; readonly newest: number; readonly oldest: number };
  readonly purposes: TextPicks;
  readonly names: TextPicks;
  readonly grant: GrantPick;
};

/** @throws Error if the grants lack a kind of value, e.g., text outside ASCII: there are too few rows */
export async function pickValues(grants: Grants, spillFolder: string): Promise<Picks> {
  const { connection, instance } = await openDatabase({ memory: "4GB", threads: 2, spillFolder });
  try {
    await connection.run(
      `CREATE VIEW grants AS SELECT * FROM read_parquet('${grants.parquet.replaceAll("'", "''")}')`,
    );
    const funders = await pickEins(connection, "funder_ein");
    return {
      funders,
      recipients: await pickEins(connection, "recipient_ein"),
      years: await pickYears(connection),
      purposes: await pickTexts(connection, "purpose_text"),
      names: await pickTexts(connection, "recipient_name_text"),
      grant: await pickGrant(connection, funders.large),
    };
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

async function pickEins(
  connection: DuckDBConnection,
  column: "funder_ein" | "recipient_ein",
): Promise<EinPicks> {
  const [large, median, small] = await readRow(
    connection,
    `WITH counted AS (SELECT ${column} AS ein, count(*) AS n FROM grants WHERE ${column} IS NOT NULL GROUP BY ALL),
       listed AS (SELECT list(ein ORDER BY n DESC, ein) AS eins FROM counted)
     SELECT eins[1], eins[(len(eins) + 1) // 2], eins[-1] FROM listed`,
  );
  return {
    large: formatEin(Number(large)),
    median: formatEin(Number(median)),
    small: formatEin(Number(small)),
  };
}

async function pickYears(connection: DuckDBConnection): Promise<Picks["years"]> {
  const [large, newest, oldest] = await readRow(
    connection,
    `WITH counted AS (SELECT transaction_year AS year, count(*) AS n FROM grants GROUP BY ALL)
     SELECT arg_max(year, (n, year)), max(year), min(year) FROM counted WHERE n * 1000 >= (SELECT sum(n) FROM counted)`,
  );
  return { large: Number(large), newest: Number(newest), oldest: Number(oldest) };
}

async function pickTexts(connection: DuckDBConnection, column: TextColumn): Promise<TextPicks> {
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE texts AS
     SELECT ${column} AS text, count(*) AS n FROM grants WHERE ${column} IS NOT NULL GROUP BY ALL`,
  );
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE words AS
     SELECT word, sum(n)::BIGINT AS n FROM (
       SELECT unnest(list_distinct(string_split(text, ' '))) AS word, n FROM texts
     ) WHERE length(word) BETWEEN 4 AND 40 GROUP BY word`,
  );
  const picked = await readRow(
    connection,
    `SELECT
       (SELECT text FROM texts WHERE length(text) <= 200 ORDER BY n DESC, text LIMIT 1),
       (SELECT text FROM texts WHERE length(text) BETWEEN 20 AND 200 AND contains(text, ' ')
         ORDER BY n, md5(text) LIMIT 1),
       plain[1], plain[least(30, len(plain))], plain[least(1000, len(plain))],
       (SELECT word FROM words WHERE regexp_full_match(word, '[a-z]+') ORDER BY n, md5(word) LIMIT 1),
       (SELECT word FROM words WHERE strlen(word) > length(word) ORDER BY n DESC, word LIMIT 1)
     FROM (SELECT list(word ORDER BY n DESC, word) AS plain FROM (
       SELECT * FROM words WHERE regexp_full_match(word, '[a-z]+') ORDER BY n DESC, word LIMIT 1000))`,
  );
  const [frequentText, rareText, frequentWord, commonWord, uncommonWord, rareWord, foreignWord] = picked.map(
    (value) => {
      if (value === null) throw new Error(`no ${column} fits one of the suite's searches; set ROWS higher`);
      return String(value);
    },
  ) as [string, string, string, string, string, string, string];
  return { frequentText, rareText, frequentWord, commonWord, uncommonWord, rareWord, foreignWord };
}

async function pickGrant(connection: DuckDBConnection, funder: Ein): Promise<GrantPick> {
  const [giver, recipient, year, amount, purpose, name] = await readRow(
    connection,
    `SELECT funder_ein, recipient_ein, transaction_year, amount_cents, purpose_text, recipient_name_text FROM grants
     WHERE recipient_ein IS NOT NULL AND amount_cents > 0
       AND length(purpose_text) BETWEEN 20 AND 200 AND length(recipient_name_text) BETWEEN 20 AND 200
     ORDER BY funder_ein = $funder DESC, md5(id::VARCHAR) LIMIT 1`,
    { funder: Number(funder) },
  );
  return {
    funderEin: formatEin(Number(giver)),
    recipientEin: formatEin(Number(recipient)),
    transactionYear: Number(year),
    minAmountCents: BigInt(String(amount)),
    purpose: String(purpose),
    recipientName: String(name),
  };
}

async function readRow(
  connection: DuckDBConnection,
  sql: string,
  values: Record<string, DuckDBValue> = {},
): Promise<readonly DuckDBValue[]> {
  const [row] = (await connection.runAndReadAll(sql, values)).getRows();
  if (row === undefined)
    throw new Error("the grants lack values for one of the suite's searches; set ROWS higher");
  return row;
}
