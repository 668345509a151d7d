// Tests which names of recipients stand for a list elsewhere. Most are from filings.
import { expect, it } from "vitest";
import { isPlaceholder } from "../../../pipeline/irs/placeholders.ts";

it.each([
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
])('"%s" is a placeholder', (name) => {
  expect(isPlaceholder(name)).toBe(true);
});

it.each([
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
  null,
])('"%s" is none', (name) => {
  expect(isPlaceholder(name)).toBe(false);
});
