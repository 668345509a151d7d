// Defines the operations on the grants that match filters: pages, totals, groups and exports, and the paths of page files.
import { type CsvForm, csvType } from "../answers/csv.ts";
import { einDigitsSchema } from "../ein.ts";
import { type Filters, type GroupKey, groupKeys } from "../filters.ts";
import { pageSizeDefault, pageSizes, searchNameMax } from "../limits.ts";
import { csvParameters, filterParameters, groupParameters, parameterNames } from "../parameters.ts";
import { type Draft, splitForm } from "../values.ts";
import { found, type Operation, searchErrors } from "./operation.ts";
import {
  type ExportRequest,
  type HistoryRequest,
  href,
  type Matching,
  pageKey,
  parsePageKey,
  parseTotalsKey,
  type TotalsRequest,
  totalsHref,
  totalsKeyOf,
} from "./searches.ts";

/** The parameters that only grants of this scope have. */
function onlyOf(scope: Matching["scope"]): readonly string[] {
  return scope === "recipient" ? ["matched"] : [];
}

const page = {
  about: "A page of grants.",
  schema: "HistoryPage",
  headers: [...found, "Link", "Server-Timing"],
} as const;

function listing(scope: Matching["scope"]) {
  const toRequest = ({ sort, limit = pageSizeDefault, offset = 0, ...filters }: Draft): HistoryRequest => {
    return { kind: "history", scope, filters, ...(sort === "amount" && { sort }), limit, offset };
  };
  const parameters = [...parameterNames, ...onlyOf(scope)];
  return { parameters, errors: searchErrors, answer: page, toRequest, href, keyOf: pageKey };
}

export const historyOperations = [
  { id: "searchGrants", summary: "Grants of all funders", path: "/v1/history", ...listing("search") },
  {
    id: "listFunderGrants",
    summary: "Grants of one funder",
    path: "/v1/funders/{funder_ein}/history",
    ...listing("funder"),
  },
  {
    id: "listRecipientGrants",
    summary: "Grants to one recipient",
    path: "/v1/recipients/{recipient_ein}/history",
    ...listing("recipient"),
    answer: { ...page, schema: "RecipientHistoryPage" },
  },
] as const satisfies readonly Operation<HistoryRequest>[];

const sums = { about: "The totals.", schema: "Totals", headers: found } as const;

function totals(scope: Matching["scope"]) {
  const toRequest = (filters: Draft): TotalsRequest => ({ kind: "totals", scope, filters });
  const parameters = filterParameters;
  return { parameters, errors: searchErrors, answer: sums, toRequest, href: totalsHref, keyOf: totalsKeyOf };
}

export const totalsOperations = [
  {
    id: "summarizeGrants",
    summary: "Totals of all matching grants",
    path: "/v1/history/summary",
    ...totals("search"),
  },
  {
    id: "summarizeFunderGrants",
    summary: "Totals of the matching grants of one funder",
    path: "/v1/funders/{funder_ein}/history/summary",
    ...totals("funder"),
  },
] as const satisfies readonly Operation<TotalsRequest>[];

/** What all CSV files have. They may be larger than a cache takes. */
export const csv = {
  answer: {
    about: "The CSV file.",
    type: csvType.replace(/;.*/, ""),
    headers: ["X-Release", "Vary", "Content-Disposition"],
  },
  isCached: false,
  errors: searchErrors,
} as const;

function exporting(scope: Matching["scope"]) {
  const toRequest = (draft: Draft): ExportRequest => {
    const [filters, form] = splitForm(draft);
    return { kind: "export", scope, filters, form };
  };
  return { ...csv, parameters: [...filterParameters, ...onlyOf(scope), ...csvParameters], toRequest };
}

export const exportOperations = [
  {
    id: "exportGrants",
    summary: "All matching grants, as CSV",
    path: "/v1/history.csv",
    ...exporting("search"),
  },
  {
    id: "exportFunderGrants",
    summary: "All matching grants of one funder, as CSV",
    path: "/v1/funders/{funder_ein}/history.csv",
    ...exporting("funder"),
  },
  {
    id: "exportRecipientGrants",
    summary: "All matching grants to a recipient, as CSV",
    path: "/v1/recipients/{recipient_ein}/history.csv",
    ...exporting("recipient"),
  },
] as const satisfies readonly Operation<ExportRequest>[];

const pageName = {
  description:
    "The limit, a hyphen, and the offset, which is a multiple of the limit. Only lists of more than 100 records have files at limit 1000; a server answers for the others too.",
  schema: { type: "string", pattern: `^(${pageSizes.join("|")})-\\d{1,10}$`, examples: ["100-0"] },
};

const search = {
  description:
    "The filters as in the query of the canonical URL, which the Link header shows; `all` if there are none.",
  schema: {
    type: "string",
    maxLength: searchNameMax,
    pattern: "^(all|[A-Za-z0-9*._+%=&-]+)$",
    examples: ["transaction_year=2023&min_amount=10000.00", "all"],
  },
};

/** The paths of page files, which need not exist. */
export const pageOperations = [
  {
    id: "readFunderPage",
    summary: "One page of a funder's whole history, by its file name",
    path: "/v1/funders/{funder_ein}/history-{page}.json",
    inPath: {
      funder_ein: {
        description: "EIN of the funder.",
        schema: { ...einDigitsSchema, examples: ["131635294"] },
      },
      page: pageName,
    },
    answer: page,
    errors: ["funder_not_found", "not_found", "not_ready"],
    parseKey: parsePageKey,
    href,
    keyOf: pageKey,
  },
  {
    id: "readSearchTotals",
    summary: "The totals of a search, by the name of their file, which need not exist",
    path: "/v1/history/{search}/summary.json",
    inPath: { search },
    answer: sums,
    errors: ["not_found", ...searchErrors],
    parseKey: parseTotalsKey,
    href: totalsHref,
    keyOf: totalsKeyOf,
  },
  {
    id: "readSearchPage",
    summary: "One page of a search, by the name of its file, which need not exist",
    path: "/v1/history/{search}/{page}.json",
    inPath: { search, page: pageName },
    answer: page,
    errors: ["not_found", ...searchErrors],
    parseKey: parsePageKey,
    href,
    keyOf: pageKey,
  },
] as const satisfies readonly Operation[];

/** The matching grants, grouped: the groups from `offset` to `offset + limit`. */
export type GroupsRequest = {
  readonly kind: "groups";
  readonly by: GroupKey;
  /** Causes by whole codes; absent for major groups. */
  readonly level?: "code";
  readonly filters: Filters;
  readonly sort: "amount" | "records";
  readonly limit: number;
  readonly offset: number;
};

/** The first groups as CSV. */
export type GroupsExportRequest = {
  readonly kind: "groupsExport";
  readonly by: GroupKey;
  readonly level?: GroupsRequest["level"];
  readonly filters: Filters;
  readonly sort: GroupsRequest["sort"];
  readonly form: CsvForm;
};

const grouped = {
  own: groupParameters,
  required: { name: "by", rule: `one of ${groupKeys.join(", ")}` },
  errors: searchErrors,
} as const;

/** The operations, in the order of the document. */
export const groupOperations = [
  {
    ...grouped,
    id: "groupGrants",
    summary: "The matching grants by funder, recipient, year, type, town, state or cause",
    path: "/v1/history/groups",
    parameters: ["by", "level", ...filterParameters, "sort", "limit", "offset"],
    answer: { about: "The groups.", schema: "Groups", headers: found },
    toRequest: ({ limit = pageSizeDefault, offset = 0, ...draft }: Draft): GroupsRequest | undefined => {
      const groups = group(draft);
      return groups && { kind: "groups", ...groups, limit, offset };
    },
  },
  {
    ...grouped,
    ...csv,
    id: "exportGroups",
    summary: "The matching grants by funder, recipient, year, type, town, state or cause, as CSV",
    path: "/v1/history/groups.csv",
    parameters: ["by", "level", ...filterParameters, "sort", ...csvParameters],
    toRequest: (draft: Draft): GroupsExportRequest | undefined => {
      const [others, form] = splitForm(draft);
      const groups = group(others);
      return groups && { kind: "groupsExport", ...groups, form };
    },
  },
] as const satisfies readonly Operation[];

/** What is grouped, and how; undefined if it is not said by what. */
function group({ by, level, sort, ...filters }: Draft) {
  if (by === undefined) return undefined;
  return { by, ...(level && { level }), filters, sort: sort === "records" ? sort : ("amount" as const) };
}
