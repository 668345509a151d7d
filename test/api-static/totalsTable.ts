// Lists requests with ranges, types and lists of EINs, and for totals and groups, for the table of requests.
import { formatEin } from "../../api-static/contract/ein.ts";
import { groupKeys } from "../../api-static/contract/filters.ts";
import type { TableFacts } from "./tableFacts.ts";
import { ok, type Query, refusal, type TableRequest } from "./tableRequest.ts";

/** Filters of ranges, types and lists, alone and together, in both orders, as a search and on the funder's path. */
function rangeFilters(facts: TableFacts): Query[] {
  const { recipientEin, unknownEin, year, purposeWord, type, amount, state } = facts;
  const range = { min_year: year - 1, max_year: year + 1, min_amount: amount, max_amount: amount };
  const recipients = `${unknownEin},${recipientEin.slice(0, 2)}-${recipientEin.slice(2)},${recipientEin}`;
  return [
    { min_year: year },
    { max_year: year },
    { max_amount: amount },
    { type: ` ${type.toUpperCase()} ` },
    { type: type.slice(1) },
    { recipient_ein: recipients },
    range,
    { ...range, type, recipient_ein: recipients, purpose: purposeWord },
    { recipient_state: state.toLowerCase(), purpose: purposeWord },
    { funder_state: state, recipient_state: state, type },
    { accepts: "unstated", purpose: purposeWord },
  ];
}

export function rangesAndLists(facts: TableFacts): TableRequest[] {
  const { big, middle, small, unknownEin, state } = facts;
  const funder_ein = [small, unknownEin, big, middle, small].map((one) => Object(one).ein ?? one).join();
  const windows: Query[] = [{}, { limit: 7, offset: 3 }, { sort: "amount" }, { sort: "amount", offset: 2 }];
  return [
    ...rangeFilters(facts).flatMap((filters) =>
      windows.flatMap((window) => [
        ok("/v1/history", { ...filters, ...window }),
        ok("/v1/history", { funder_ein, ...filters, ...window }),
        ok(`/v1/funders/${big.ein}/history`, { ...filters, ...window }),
      ]),
    ),
    ...["funder_state", "recipient_state"].flatMap((name) => [
      ok("/v1/history", { [name]: state }),
      ok("/v1/history", { [name]: "QQ", purpose: facts.purposeWord }),
      ok("/v1/history", { funder_ein: small.ein, [name]: state, transaction_year: facts.year }),
      ok(`/v1/funders/${big.ein}/history`, { [name]: state, limit: 7, offset: 3 }),
      ok(`/v1/funders/${middle.ein}/history`, { [name]: state }),
      ok(`/v1/history/${name}=${state}/100-0.json`),
      {
        path: `/v1/history/${name}=${state.toLowerCase()}/100-0.json`,
        status: 404,
        code: "not_found",
      } as const,
    ]),
    ok("/v1/history.csv", { recipient_state: state, funder_state: state }),
    ok("/v1/history", { funder_ein: Array.from({ length: 50 }, (_, index) => formatEin(index)).join() }),
    ok("/v1/history", { sort: "year" }),
    ok("/v1/history", { sort: "amount", limit: 1000, offset: 100_000 }),
    ok("/v1/history.csv", { funder_ein, type: facts.type, max_amount: facts.amount }),
    ok(`/v1/history/max_year=${facts.year}&type=${facts.type.toLowerCase().replaceAll(" ", "+")}/100-0.json`),
    ok(`/v1/history/funder_ein=${[big.ein, small.ein].sort().join("%252C")}/100-0.json`),
    { path: `/v1/history/funder_ein=${big.ein},${small.ein}/100-0.json`, status: 404, code: "not_found" },
  ];
}

/** The totals of searches with and without files, and requests for none. */
export function totals(facts: TableFacts): TableRequest[] {
  const { big, unknownEin, year, purposeWord } = facts;
  const path = "/v1/history/summary";
  const ofFunder = `/v1/funders/${big.ein}/history/summary`;
  const nowhere = ["summary/", "summary.json", "type=A/summary.json", `funder_ein=${big.ein}/summary.json`];
  return [
    ...[
      {},
      { transaction_year: year },
      { purpose: purposeWord.toUpperCase() },
      ...rangeFilters(facts),
    ].flatMap((filters) => [ok(path, filters), ok(ofFunder, filters)]),
    ok(path, { funder_ein: big.ein }),
    ok(path, { funder_ein: unknownEin }),
    ok(path, { purpose: "no grant has this purpose" }),
    ok("/v1/history/all/summary.json"),
    ok(`/v1/history/transaction_year=${year}/summary.json`),
    ok(`/v1/history/max_year=${year}/summary.json`),
    {
      path: ofFunder.replace(big.ein, `${big.ein.slice(0, 2)}-${big.ein.slice(2)}`),
      status: 308,
      location: ofFunder,
    },
    { path: ofFunder.replace(big.ein, unknownEin), status: 404, code: "funder_not_found" },
    ...["limit=5", "sort=amount", "by=year", "min_amount=2&max_amount=1"].flatMap((query) => [
      refusal(`${path}?${query}`),
      refusal(`${ofFunder}?${query}`),
    ]),
    ...nowhere.map((name): TableRequest => ({ path: `/v1/history/${name}`, status: 404, code: "not_found" })),
  ];
}

/** Groups by each key, in both orders, on several pages and as CSV; and requests for none. */
export function groups(facts: TableFacts): TableRequest[] {
  const path = "/v1/history/groups";
  const windows: Query[] = [{}, { sort: "records", limit: 3, offset: 1 }, { offset: 9_000, limit: 1000 }];
  const filters = { purpose: facts.purposeWord, max_year: facts.year };
  const places = { funder_state: facts.state, recipient_state: facts.state };
  const refused = ["", "by=", "by=state", "by=year&sort=year", "by=year&offset=9901", "by=year&limit=0"];
  return [
    ...groupKeys.flatMap((by) => [
      ...windows.map((window) => ok(path, { by, ...window })),
      ok(path, { by, ...filters }),
      ok(path, { by, ...places }),
      ok(`${path}.csv`, { by, ...filters }),
      ok(`${path}.csv`, { by, sort: "records", excel: 1, names: 1 }),
    ]),
    ok(path, { by: "year", funder_ein: facts.unknownEin }),
    ...["yes", "no", "unstated"].map((accepts) => ok(path, { by: "funder", accepts })),
    refusal(`${path}?by=funder&accepts=maybe`),
    ...["by=recipient_cause&level=major", "by=year&level=code"].map((query) => refusal(`${path}?${query}`)),
    ...refused.map((query) => refusal(`${path}?${query}`)),
    refusal(`${path}.csv?by=year&limit=5`),
    ...[`${path}/`, `${path}.json`, `/v1/funders/${facts.big.ein}/history/groups`].map(
      (path): TableRequest => ({ path: `${path}?by=year`, status: 404, code: "not_found" }),
    ),
  ];
}
