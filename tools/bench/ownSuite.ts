// Builds the requests that only our server answers: ranges, lists, types, the order by amount, totals and groups.
import type { Ein } from "../../api-static/contract/ein.ts";
import type { Filters } from "../../api-static/contract/filters.ts";
import { groupKeys } from "../../api-static/contract/filters.ts";
import type { HistoryRequest } from "../../api-static/contract/operations/searches.ts";
import { href, totalsHref } from "../../api-static/contract/operations/searches.ts";
import type { Picks } from "./picks.ts";

export type OwnCase = {
  /** The class of the request; a class is reported as one. */
  readonly group: string;
  /** Path and query. */
  readonly request: string;
};

/** EINs of a long list. */
const listed = 50;

const offsets = [0, 1_000, 100_000];

/** Builds the suite; no request twice. */
export function buildOwnSuite(picks: Picks): OwnCase[] {
  const matches = matchesOf(picks);
  const cases = [
    ...filtered(picks),
    ...group("order by amount", [
      ...offsets.map((offset) => ask({}, { sort: "amount", offset })),
      ...matches.map((filters) => ask(filters, { sort: "amount" })),
    ]),
    ...group("totals", matches.map(totalsOf)),
    ...groupKeys.flatMap((by) =>
      group(
        `groups by ${by}`,
        matches.map((filters) => groupsOf(by, filters)),
      ),
    ),
  ];
  return [...new Map(cases.map((one) => [one.request, one])).values()];
}

/** Searches with each of the new filters, alone, with a word and with a year. */
function filtered({ years, types, grants, funders, recipients, purposes }: Picks): OwnCase[] {
  const year = grants[0]?.transactionYear ?? years.largest;
  const words = [purposes.frequent[0], purposes.common[0]].filter((word) => word !== undefined);
  const mixed = (filters: readonly Filters[], withYear: Filters = { transactionYear: year }) =>
    filters.flatMap((filter) => [
      ask(filter),
      ...words.map((purpose) => ask({ ...filter, purpose })),
      ask({ ...filter, ...withYear }),
    ]);
  const amounts = grants.slice(0, 3).map(({ minAmountCents }) => minAmountCents);
  return [
    ...group(
      "range of years",
      mixed(
        [{ minYear: year - 2, maxYear: year }, { minYear: years.largest }, { maxYear: years.largest }],
        {},
      ),
    ),
    ...group("maximum amount", mixed(amounts.map((maxAmountCents) => ({ maxAmountCents })))),
    ...group(
      "range of amounts",
      mixed(amounts.map((cents) => ({ minAmountCents: cents / 2n, maxAmountCents: cents }))),
    ),
    ...group(
      "list of funders",
      mixed([
        { funderEins: listOf([...funders.drawn]) },
        { funderEins: listOf([funders.largest, ...grants.map(({ funderEin }) => funderEin)]) },
      ]),
    ),
    ...group(
      "list of recipients",
      mixed([
        { recipientEins: listOf([...recipients.drawn]) },
        { recipientEins: listOf([recipients.largest, ...grants.map(({ recipientEin }) => recipientEin)]) },
      ]),
    ),
    ...group("type", mixed(types.map((type) => ({ type })))),
  ];
}

/** Filters whose matches are added up: from a rare word to all grants. */
function matchesOf({ funders, recipients, grants, purposes, names, years }: Picks): Filters[] {
  const bands = [purposes.rare, purposes.uncommon, purposes.common, purposes.frequent];
  const words = bands.flatMap((band) => band.slice(0, 3));
  const drawn = grants.slice(0, 3).map(({ transactionYear }) => transactionYear);
  return [
    ...words.map((purpose) => ({ purpose })),
    ...drawn.map((transactionYear, index) => ({ transactionYear, purpose: words[3 * index + 3] ?? "a" })),
    ...names.common.slice(0, 2).map((recipientName) => ({ recipientName })),
    { purpose: purposes.common[0] ?? "a", recipientName: names.frequent[0] ?? "a" },
    { funderEin: funders.largest },
    ...grants.slice(0, 2).map(({ funderEin }) => ({ funderEin })),
    { recipientEin: recipients.largest },
    { transactionYear: years.largest },
    ...grants.slice(0, 2).map(({ minAmountCents }) => ({ minAmountCents })),
    {},
  ];
}

/** Different EINs in ascending order, as a request has them. */
function listOf(eins: readonly Ein[]): Ein[] {
  return [...new Set(eins)].slice(0, listed).sort();
}

function ask(filters: Filters, others: Pick<HistoryRequest, "sort"> & { offset?: number } = {}): string {
  return href({ kind: "history", scope: "search", filters, limit: 100, offset: 0, ...others });
}

function totalsOf(filters: Filters): string {
  return totalsHref({ kind: "totals", scope: "search", filters });
}

function groupsOf(by: string, filters: Filters): string {
  const [, query = ""] = totalsOf(filters).split("?");
  return `/v1/history/groups?by=${by}${query === "" ? "" : `&${query}`}`;
}

function group(name: string, requests: readonly string[]): OwnCase[] {
  return requests.map((request) => ({ group: name, request }));
}
