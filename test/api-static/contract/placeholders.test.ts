// Tests which names of recipients stand for a list elsewhere. Most are from filings.
import { DuckDBInstance, listValue } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { isPlaceholder, placeholderSql } from "../../../api-static/contract/placeholders.ts";

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

it("is the same in SQL", async () => {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  const found = await connection.runAndReadAll(
    `SELECT list(name ORDER BY place) FROM (SELECT unnest($names::VARCHAR[]) AS name, unnest(range(len($names))) AS place)
      WHERE ${placeholderSql("name")}`,
    { names: listValue([...names, ...placeholders]) },
  );
  expect(found.getRowsJson()).toEqual([[placeholders]]);
});
