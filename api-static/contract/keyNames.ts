// Formats page keys: the paths of page files below the public folder, without ".gz".

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
