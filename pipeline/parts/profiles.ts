// Writes the profiles of a release: one line of JSON for each organization whose codes, former names or finances are known.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { formatEin } from "../../api-static/contract/ein.ts";
import * as limits from "../../api-static/contract/limits.ts";
import { indexedWords } from "../../api-static/contract/text/nameWords.ts";
import { parts } from "../../api-static/release/layout.ts";
import { emptyProfile, type FormerName, profileBytesMax } from "../../api-static/release/organizations.ts";
import { integersOf, streamChunks, withOwnTables } from "../base/database.ts";
import { readListFile } from "../warehouse/listFile.ts";
import { financeColumns, namesOf } from "../warehouse/normalize.ts";
import type { FinancesFile } from "../warehouse/organizations.ts";

/** Of rows with the same EIN and tax year, the one with the latest end of its period counts, then the greatest. */
const orderSql = namesOf(financeColumns)
  .map((name) => `${name} DESC NULLS LAST`)
  .join(", ");

const reasonsSql = (nextYear: number) => `CASE
  WHEN ein IS NULL THEN 'the ein is not nine digits'
  WHEN tax_year IS NULL OR tax_year NOT BETWEEN 1900 AND ${nextYear} THEN 'the tax_year is not a year from 1900 to ${nextYear}'
  WHEN ein NOT IN (SELECT ein FROM listed) THEN 'the list of organizations does not have the ein'
END`;

/** Years that have several rows: few, so that only their rows are sorted. */
const repeatedSql = `
CREATE TABLE repeated_years AS
SELECT ein, tax_year, count(*) - 1 AS extra FROM finances WHERE reason IS NULL GROUP BY ein, tax_year HAVING count(*) > 1`;

const dropRepeatedSql = `
DELETE FROM finances WHERE rowid IN (
  SELECT row FROM (
    SELECT finances.rowid AS row, row_number() OVER (PARTITION BY ein, tax_year ORDER BY ${orderSql}) AS place
    FROM finances SEMI JOIN repeated_years USING (ein, tax_year) WHERE reason IS NULL
  ) WHERE place > 1)`;

const emptySql = `
CREATE TABLE finances (ein UINTEGER, tax_year USMALLINT, form VARCHAR, revenue DECIMAL(18,2), expenses DECIMAL(18,2),
  assets DECIMAL(18,2), grants_paid DECIMAL(18,2), return_id VARCHAR, period_end VARCHAR, mission VARCHAR, accepts VARCHAR,
  deadlines VARCHAR, application_form VARCHAR, restrictions VARCHAR, donor_advised BOOLEAN, reason VARCHAR)`;

const emptyStatedSql = "CREATE TABLE stated (ein UINTEGER, accepts VARCHAR, is_sponsor BOOLEAN)";

/** By EIN: `accepts` of the newest return that states it, and whether the newest return states donor-advised funds. */
const statedSql = `
INSERT INTO stated FROM (
  SELECT ein, arg_max(accepts, tax_year) AS accepts, coalesce(arg_max_null(donor_advised, tax_year), false) AS is_sponsor
  FROM finances WHERE reason IS NULL GROUP BY ein
) WHERE accepts IS NOT NULL OR is_sponsor ORDER BY ein`;

/** What a row of `factsSql` says of an organization, in the order of the rows. */
const kinds = { codes: 0, name: 1, finances: 2, mission: 3, applications: 4 };

/** The return of a row of finances. */
const sourceSql = "CASE WHEN return_id IS NOT NULL THEN {object_id: return_id, period: period_end} END";

/**
 * The known facts as JSON, by EIN: codes; names, the present one first; years of finances, the newest first; the newest mission; what the
 * newest return that states whether the organization takes applications says about them.
 */
const factsSql = `
SELECT ein::INTEGER, kind, fact FROM (
  SELECT ein, ${kinds.codes} AS kind, '' AS place, to_json({subsection: subsection, ruling_year: ruling_year})::VARCHAR AS fact
  FROM listed WHERE subsection IS NOT NULL OR ruling_year IS NOT NULL
  UNION ALL
  SELECT ein, ${kinds.name}, max(period) || name, to_json({name: name, "from": min(first_period), "to": max(period)})::VARCHAR
  FROM organization_names WHERE period IS NOT NULL GROUP BY ein, name
  QUALIFY count(*) OVER (PARTITION BY ein) > 1
  UNION ALL
  SELECT ein, ${kinds.finances}, tax_year::VARCHAR, to_json({tax_year: tax_year, form: form, revenue: revenue, expenses: expenses,
    assets: assets, grants_paid: grants_paid,
    source: ${sourceSql}})::VARCHAR
  FROM finances WHERE reason IS NULL
  UNION ALL
  SELECT ein, ${kinds.mission}, '', to_json(arg_max(mission, tax_year))::VARCHAR
  FROM finances WHERE reason IS NULL AND mission IS NOT NULL GROUP BY ein
  UNION ALL
  SELECT ein, ${kinds.applications}, '', to_json(arg_max({accepts: accepts, deadlines: deadlines, form: application_form,
    restrictions: restrictions, tax_year: tax_year, source: ${sourceSql}}, tax_year))::VARCHAR
  FROM finances WHERE reason IS NULL AND accepts IS NOT NULL GROUP BY ein
) ORDER BY ein, kind, place DESC`;

/**
 * Writes the profiles into a release's folder, from the tables `listed` and `organization_names`, and from the file of finances, from which
 * it also makes the table `stated` (ein, accepts, is_sponsor).
 * @param nextYear the greatest tax year that is accepted
 * @param warn receives a line for each reason why rows or lines were left out
 * @returns the number of profiles
 * @throws InputError that names the file, and the column that cannot be read
 */
export async function writeProfiles(
  connection: DuckDBConnection,
  { finances, nextYear }: { readonly finances: FinancesFile | undefined; readonly nextYear: number },
  folder: string,
  warn: (line: string) => void,
): Promise<number> {
  await connection.run(emptyStatedSql);
  return withOwnTables(connection, async () => {
    if (finances === undefined) await connection.run(emptySql);
    else {
      const reading = {
        table: "finances",
        columns: financeColumns,
        selected: "*",
        reason: reasonsSql(nextYear),
      };
      await readListFile(connection, finances, reading, warn);
      await dropRepeated(connection, finances.setting, warn);
    }
    await connection.run(statedSql);
    const counts = { lines: 0, tooLong: 0 };
    await writeFile(join(folder, parts.profiles), formatProfiles(connection, counts));
    if (counts.tooLong > 0)
      warn(
        `warning: ${counts.tooLong} organizations have no profile: its line has more than ${profileBytesMax} bytes`,
      );
    return counts.lines;
  });
}

/** Drops all but one of the rows of the same EIN and tax year. */
async function dropRepeated(
  connection: DuckDBConnection,
  setting: string,
  warn: (line: string) => void,
): Promise<void> {
  await connection.run(repeatedSql);
  const counted = await connection.runAndReadAll(
    "SELECT coalesce(sum(extra), 0)::DOUBLE FROM repeated_years",
  );
  const rows = Number(counted.getRows()[0]?.[0]);
  if (rows === 0) return;
  await connection.run(dropRepeatedSql);
  warn(`warning: ${setting}: ${rows} rows are left out: another row of the ein and tax_year counts`);
}

/** The lines of the profiles, many at a time. */
async function* formatProfiles(connection: DuckDBConnection, counts: { lines: number; tooLong: number }) {
  let known: Facts | undefined;
  let lines: string[] = [];
  const add = (facts: Facts) => {
    const line = formatProfile(facts);
    if (line === undefined) return;
    const isShort = Buffer.byteLength(line) <= profileBytesMax;
    counts[isShort ? "lines" : "tooLong"] += 1;
    if (isShort) lines.push(line);
  };
  for await (const chunk of streamChunks(connection, factsSql)) {
    const [eins, kindsOf] = [integersOf(chunk, 0), integersOf(chunk, 1)];
    const facts = chunk.getColumnValues(2) as string[];
    for (let row = 0; row < chunk.rowCount; row++) {
      const ein = eins[row] as number;
      if (known?.ein !== ein) {
        if (known !== undefined) add(known);
        known = { ein, byKind: [[], [], [], [], []] };
      }
      known.byKind[kindsOf[row] as number]?.push(facts[row] as string);
    }
    yield lines.join("");
    lines = [];
  }
  if (known !== undefined) add(known);
  yield lines.join("");
}

/** The facts of an organization as JSON, by kind. */
type Facts = { readonly ein: number; readonly byKind: readonly string[][] };

/** The line of a profile; undefined if nothing is known: an organization may have had its name in several spellings. */
function formatProfile({ ein, byKind }: Facts): string | undefined {
  const [codes, names = [], finances = [], missions, applied] = byKind;
  const former = findFormerNames(names.map((name) => JSON.parse(name) as FormerName));
  if (former.length + finances.length === 0 && codes?.length === 0) return undefined;
  const { subsection, ruling_year, mission, applications } = emptyProfile;
  const fields = [
    (codes?.[0] ?? JSON.stringify({ subsection, ruling_year })).slice(1, -1),
    `"former_names":${JSON.stringify(former)}`,
    `"finances":[${finances.join()}]`,
    `"mission":${missions?.[0] ?? mission}`,
    `"applications":${applied?.[0] ?? applications}`,
  ];
  return `{"ein":"${formatEin(ein)}",${fields.join()}}\n`;
}

/**
 * The names that an organization had before its present one, the last first. Names of the same words are one name, as it was last
 * spelled; a name that returns gave beside the present one is a misspelling, or another spelling.
 * @param names the present one first, the others from the last one to the first
 */
export function findFormerNames(names: readonly FormerName[]): FormerName[] {
  const byWords = new Map<string, FormerName>();
  for (const { name, from, to } of names) {
    const words = indexedWords(name).join(" ");
    const known = byWords.get(words);
    const isEarlier = from !== null && (known?.from ?? from) >= from;
    byWords.set(words, {
      name: known?.name ?? name,
      from: isEarlier ? from : (known?.from ?? null),
      to: known?.to ?? to,
    });
  }
  const [present, ...others] = byWords.values();
  const start = present?.from ?? present?.to ?? "";
  return others.filter(({ to }) => to < start).slice(0, limits.formerNamesMax);
}
