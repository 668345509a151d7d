// Formats page keys, and finds the page, or the totals, of a URL in its plain spelling. CloudFront functions run it, so it avoids features
// that they lack: destructuring, `for … of`, spread, `Map`, `URLSearchParams` and `BigInt`.
import { offsetMax, pageSizeDefault, pageSizes, searchNameMax } from "./limits.ts";

/** Stands for the filters of the unfiltered search in its page keys. */
export const noFilters = "all";

/** The key of a page of a funder's whole history. */
export function funderPageKey(funderEin: string, limit: number, offset: number): string {
  return `v1/funders/${funderEin}/history-${limit}-${offset}.json`;
}

/** The key of the totals of a search. `name` comes from `searchName`. */
export function totalsKey(name: string): string {
  return `v1/history/${name}/summary.json`;
}

/** The key of a page of a search. `name` comes from `searchName`. */
export function searchPageKey(name: string, limit: number, offset: number): string {
  return `v1/history/${name}/${limit}-${offset}.json`;
}

type PlainParameter = {
  readonly name: string;
  /** Matches plain values. */
  readonly pattern: RegExp;
  readonly canonical?: (value: string) => string;
};

const ein = /^\d{9}$/;
/** Words of unaccented letters and digits, with one space between two. */
const words = /^[a-z\d]+(?:(?:\+|%20)[a-z\d]+)*$/i;
const number = /^(?:0|[1-9]\d{0,9})$/;

/** In the order of page keys. The others have no plain spelling, because some of them are refused together. */
const filters: readonly PlainParameter[] = [
  { name: "funder_ein", pattern: ein },
  { name: "recipient_ein", pattern: ein },
  { name: "transaction_year", pattern: /^\d{4}$/ },
  { name: "purpose", pattern: words, canonical: canonicalWords },
  { name: "recipient_name", pattern: words, canonical: canonicalWords },
  { name: "min_amount", pattern: /^(?:0|[1-9]\d{0,14})(?:\.\d{1,2})?$/, canonical: withCents },
];

const parameters: readonly PlainParameter[] = filters.concat([
  { name: "limit", pattern: number },
  { name: "offset", pattern: number },
]);

/**
 * The key of the page or totals that a URL requests: parsing the key gives what `parseRequest` gives for the URL. Undefined if
 * the URL has none, or is not in plain spelling; then `parseRequest` decides.
 * @param path percent-encoded, e.g., "/v1/funders/131635294/history"
 * @param query without "?", e.g., "limit=100&offset=200"
 */
export function findPlainPage(path: string, query: string): string | undefined {
  const values = readPlainQuery(query);
  if (values === undefined) return undefined;
  const limit = values.limit === undefined ? pageSizeDefault : Number(values.limit);
  const offset = values.offset === undefined ? 0 : Number(values.offset);
  if (pageSizes.indexOf(limit as (typeof pageSizes)[number]) < 0) return undefined;
  if (offset % limit !== 0 || offset > offsetMax) return undefined;
  const name = formatName(values);
  const funder = /^\/v1\/funders\/(\d{9})\/history$/.exec(path);
  if (funder !== null) return name === "" ? funderPageKey(String(funder[1]), limit, offset) : undefined;
  // The page of a whole funder stands for the funder's own path, which is 404 if the funder has no grants.
  if (name.length > searchNameMax || /^funder_ein=\d+$/.test(name)) return undefined;
  const folder = name === "" ? noFilters : name;
  const hasWindow = values.limit !== undefined || values.offset !== undefined;
  if (path === "/v1/history/summary") return hasWindow ? undefined : totalsKey(folder);
  return path === "/v1/history" ? searchPageKey(folder, limit, offset) : undefined;
}

/** The canonical values of a query; undefined if one of them is not plain, not known or repeated. */
function readPlainQuery(query: string): Readonly<Record<string, string>> | undefined {
  const values: Record<string, string> = {};
  const pairs = query === "" ? [] : query.split("&");
  const arePlain = pairs.every((pair) => {
    const nameEnd = pair.indexOf("=");
    const name = pair.slice(0, nameEnd);
    const value = pair.slice(nameEnd + 1);
    const parameter = parameters.filter((one) => one.name === name)[0];
    if (parameter === undefined || values[name] !== undefined || !parameter.pattern.test(value)) return false;
    values[name] = parameter.canonical === undefined ? value : parameter.canonical(value);
    return true;
  });
  return arePlain ? values : undefined;
}

/** The name of a search in its page keys; "" if it has no filters. */
function formatName(values: Readonly<Record<string, string>>): string {
  return filters
    .filter((filter) => values[filter.name] !== undefined)
    .map((filter) => `${filter.name}=${values[filter.name]}`)
    .join("&");
}

function canonicalWords(value: string): string {
  return value.replace(/%20/g, "+").toLowerCase();
}

function withCents(amount: string): string {
  const point = amount.indexOf(".");
  return point < 0 ? `${amount}.00` : `${amount}00`.slice(0, point + 3);
}
