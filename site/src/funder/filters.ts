// Reads the filters of a funder's page, and names the calls that they lead to.
import { parseEin } from "../../../api-static/contract/ein.ts";
import type { Problem } from "../../../api-static/contract/errors.ts";
import { formatQuery, type Query, readPageQuery, without } from "../address/query.ts";
import { type Call, funderHistoryCall, searchCall } from "../api/calls.ts";
import type { HistoryPage } from "../api/client.ts";

/** The parameters of the page that filter grants, in the order of the form. */
export const filterNames = ["transaction_year", "min_amount", "purpose", "recipient_name"] as const;

export type FilterName = (typeof filterNames)[number];

export type FunderQuery = {
  /** Nine digits; undefined if the address has no EIN, or one that is none. */
  readonly ein: string | undefined;
  /** What the address says. */
  readonly query: Query;
  /** The filters that are set. */
  readonly filters: Query;
  readonly offset: number;
  /** Problems with parameters other than the EIN. */
  readonly problems: readonly Problem[];
};

/** Reads the query of a funder's page. @param search e.g., "?ein=200253310&transaction_year=2016" */
export function readFunderQuery(search: string): FunderQuery {
  const { query, problems } = readPageQuery(search, ["ein", ...filterNames, "offset"]);
  const { ein = "", offset = "0" } = query;
  return {
    ein: parseEin(ein.trim()),
    query,
    filters: without(query, "ein", "offset"),
    offset: Number(offset) || 0,
    problems: problems.filter(({ parameter }) => parameter !== "ein"),
  };
}

/** The call of the table: the funder's own pages, or a search once it is filtered. */
export function grantsCall(ein: string, filters: Query, offset: number): Call<HistoryPage> {
  const page: Query = offset === 0 ? {} : { offset: String(offset) };
  return Object.keys(filters).length === 0
    ? funderHistoryCall(ein, page)
    : searchCall({ funder_ein: ein, ...filters, ...page });
}

/** The file of all grants that pass; text that a spreadsheet would run stays text. */
export function csvHref(ein: string, filters: Query): string {
  return `/v1/funders/${ein}/history.csv${formatQuery({ ...filters, formulas: "escape" })}`;
}

/** The address of the page with these filters, at its first row. */
export function funderHref(ein: string, filters: Readonly<Record<string, string | undefined>>): string {
  return `/funder${formatQuery({ ein, ...filters })}`;
}

/** The filters that a form holds: blank fields are left out, amounts lose "$" and commas. */
export function readForm(values: Readonly<Record<FilterName, string>>): Query {
  const { min_amount, ...texts } = values;
  const entries = Object.entries({ ...texts, min_amount: min_amount.replaceAll(/[$,\s]/g, "") });
  return Object.fromEntries(
    entries.map(([name, value]) => [name, value.trim()]).filter(([, value]) => value !== ""),
  );
}

/** What is wrong with a filter, in words for its field. */
export function formatProblem({ parameter, code, message }: Problem): string {
  if (code === "repeated") return "Give this once.";
  if (code === "blank") return "This is blank.";
  if (parameter === "min_amount") return "Enter dollars, for example 10000 or 2500.50.";
  if (parameter === "transaction_year") return "A year has four digits, for example 2018.";
  if (code === "out_of_range") return "Enter at most 200 characters.";
  return message;
}

/** A filter in words, e.g., "At least $10,000". */
export function formatFilter(
  name: FilterName,
  value: string,
  formatAmount: (amount: number) => string,
): string {
  switch (name) {
    case "transaction_year":
      return `Year ${value}`;
    case "min_amount":
      return `At least ${formatAmount(Number(value))}`;
    case "purpose":
      return `Purpose: ${value}`;
    case "recipient_name":
      return `Recipient: ${value}`;
  }
}
