// Tests which names of recipients stand for a list elsewhere. Most are from filings.
import { DuckDBInstance, listValue } from "@duckdb/node-api";
import { expect, it } from "vitest";
import {
  isPlaceholder,
  peopleSql,
  placeholderSql,
} from "../../../../api-static/contract/text/placeholders.ts";

const placeholders = [
  "SEE ATTACHED",
  "SEE ATTACHED SCHEDULE",
  "Please see the attached list",
  "SEE PART III",
  "SEE STMT 12",
  "AS PER SCHEDULE",
  "LIST ATTACHED",
  "ATTACHMENT",
  "ATTACHMENT 5",
  "ATTACHMENT A",
  "ATTACHMENT - GRANTS PAID",
  "ATTACHMENTS TO FORM 990-PF",
  "SCHEDULE 3",
  "VARIOUS",
  "VARIOUS CHARITIES",
  "VARIOUS EAGLE CHARITIES",
  "VARIOUS - LESS THAN 5K PER PERSONINSTITUTION",
  "VARIOUS SCHOOLS WITH VESTAVIA HILLS CITY SCHOOL SYSTEM",
  "VARIOUS FOUNDATIONS",
  "MULTIPLE RECIPIENTS",
  "MULTIPLE CHARITABLE ORGANIZATIONS",
  "MISCELLANEOUS",
  "MISC CONTRIBUTIONS",
  "(SEE ATTACHED)",
  '"SEE ATTACHED"',
  "“See attached.”",
  "** SEE ATTACHED LIST **",
  "<SEE SCHEDULE>",
  "- SEE ATTACHED",
  "GRANTS — SEE ATTACHED",
  "VARIOUS - SEE ATTACHED",
  "501(C)(3) ORGANIZATIONS [SEE STATEMENT 3A]",
  "AVAILABLE UPON REQUEST",
  "LIST OF GRANTS ATTACHED",
  "LIST OF HOSPITALS ATTACHED",
  "PER ATTACHED SCHEDULE",
  "SCHEDULE IV",
  "LIST",
  "NONE",
  "N/A",
  "n.a.",
  "ANONYMOUS DONOR",
];

const names = [
  "MULTIPLE SCLEROSIS SOCIETY",
  "MULTIPLE SCLEROSIS SOCIETY OF PORTLAND",
  "Multiple Myeloma Research Foundation, Inc.",
  "VARIOUS ARTISTS FOUNDATION",
  "ATTACHMENT & TRAUMA NETWORK",
  "ATTACHMENT AND BONDING CENTER OF OHIO",
  "ATTACHMENT PARENTING INTERNATIONAL",
  "SEE FOREVER FOUNDATION",
  "SEE AND LISTEN PROJECT",
  "SEEDCO",
  "PER SCHOLAS INC",
  "PERSON COUNTY PARKS",
  "Seeds of Peace",
  "Susan B Anthony List Inc",
  "PLEASE TOUCH MUSEUM",
  "LIST FOUNDATION",
  "SEE INTERNATIONAL",
  "STATEMENT ARTS INC",
  "ATTACHED AT THE HEART INC",
  "UNKNOWN SOLDIERS FUND",
  "ANONYMOUS ENSEMBLE",
  "INDIVIDUALS FIRST",
  "NA PALI COAST OHANA",
  "N.A.A.C.P.",
  "MULTIPLE DISTRICT 49 LIONS",
  "FOOD BANK (SEE ATTACHED)",
  "ÉLAN LIST",
  "",
  `${"a ".repeat(50_000)}é`,
];

it.each(placeholders)('"%s" is a placeholder', (name) => {
  expect(isPlaceholder(name)).toBe(true);
});

it.each(names)('"%s" is none', (name) => {
  expect(isPlaceholder(name)).toBe(false);
});

/** The texts for which the SQL of a condition holds. */
async function findWhere(condition: string, texts: readonly string[]): Promise<unknown> {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  const found = await connection.runAndReadAll(
    `SELECT list(name ORDER BY place) FROM (SELECT unnest($names::VARCHAR[]) AS name, unnest(range(len($names))) AS place)
      WHERE ${condition}`,
    { names: listValue([...texts]) },
  );
  return found.getRowsJson()[0]?.[0];
}

it("is the same in SQL", async () => {
  expect(await findWhere(placeholderSql("name"), [...names, ...placeholders])).toEqual(placeholders);
});

const people = [
  "various needy patients",
  "individuals",
  "SCHOLARSHIP RECIPIENTS",
  "students - see attached",
  "various families in need",
  "3 individuals",
  "low income persons",
];

const otherNames = [
  "see attached",
  "various charities",
  "grant recipients",
  "students for life",
  "family foundation",
];

it("stands for people if it names only those", async () => {
  expect(await findWhere(peopleSql("name"), [...names, ...otherNames, ...people])).toEqual(people);
});
