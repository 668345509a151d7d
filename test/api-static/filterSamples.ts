// Lists for every filter of the contract two searches that differ in its value alone, for tests of titles and sentences.
import { filterNames } from "../../api-static/contract/filters/table.ts";

type Query = Readonly<Record<string, string>>;

/** Values by filter: a filter without values here fails the tests. */
const values: Readonly<Record<(typeof filterNames)[number], readonly [string, string]>> = {
  funder_ein: ["131635294", "131635294,200253310"],
  recipient_ein: ["530196605", "951642394"],
  transaction_year: ["2020", "2021"],
  min_year: ["2018", "2019"],
  max_year: ["2022", "2023"],
  purpose: ["music", "food"],
  recipient_name: ["food bank", "school"],
  type: ["Schedule I", "990-PF"],
  funder_state: ["NY", "ca"],
  recipient_state: ["CA", "PR"],
  funder_cause: ["T", "b2"],
  recipient_cause: ["A68", "B"],
  accepts: ["yes", "no"],
  recipient_city: ["Austin", "new york"],
  recipient_zip: ["787", "10001"],
  min_amount: ["10000", "2500.5"],
  max_amount: ["50000", "-5"],
};

/** Two searches by each filter, and by text and words. */
export const filterSamples: readonly (readonly [name: string, first: Query, second: Query])[] = [
  ...filterNames.map((name) => [name, { [name]: values[name][0] }, { [name]: values[name][1] }] as const),
  ["match", { purpose: "food bank" }, { purpose: "food bank", match: "words" }],
];
