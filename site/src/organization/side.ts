// Reads the address of an organization's page, which shows one of its sides, and names the calls that it leads to.
import { parseEin } from "../../../api-static/contract/ein.ts";
import type { Problem } from "../../../api-static/contract/errors.ts";
import { attributeFilters } from "../../../api-static/contract/filters/attributes.ts";
import { formatQuery, type Query, readPageQuery, without, withoutNeedlessMatch } from "../address/query.ts";
import {
  type Call,
  funderHistoryCall,
  funderPeersCall,
  funderSummaryCall,
  recipientHistoryCall,
  recipientPeersCall,
  recipientSummaryCall,
  searchCall,
} from "../api/calls.ts";
import type { FunderSummary, GrantsPage, RecipientSummary } from "../api/client.ts";
import { type FilterName, parametersOf } from "../search/sentences.ts";
import { cleanEin } from "../text/typed.ts";

/** The grants that an organization made, as a funder, or received, as a recipient. Each side has a page of this name. */
export type Side = "funder" | "recipient";

/** The filters of a page, in the order of their fields. */
export const filtersOf: Readonly<Record<Side, readonly FilterName[]>> = {
  funder: [
    ...(["years", "amounts", "purpose", "recipient_name"] as const),
    ...attributeFilters.filter(({ clause }) => clause !== "from").map(({ name }) => name),
  ],
  recipient: [],
};

export const otherSide = { funder: "recipient", recipient: "funder" } as const;

export type Summary = FunderSummary | RecipientSummary;

/** The part of an organization's grants that an address asks for. */
export type Selection = {
  readonly side: Side;
  /** Nine digits. */
  readonly ein: string;
  /** The filters that are set, and the order; of a recipient only `matched`. */
  readonly filters: Query;
  readonly offset: number;
};

export type OrganizationQuery = Omit<Selection, "ein"> & {
  /** Undefined if the address has no valid EIN. */
  readonly ein: string | undefined;
  /** The parameters in the address. */
  readonly query: Query;
  /** Problems with parameters other than the EIN. */
  readonly problems: readonly Problem[];
};

/** Reads the query of a page. @param search e.g., "?ein=200253310&transaction_year=2016" */
export function readOrganization(side: Side, search: string): OrganizationQuery {
  const { query, problems } = readPageQuery(search, ["ein", ...parametersOfPage(side), "offset"]);
  const { ein = "", offset = "0" } = query;
  return {
    side,
    ein: parseEin(cleanEin(ein)),
    query,
    filters: withoutNeedlessMatch(without(query, "ein", "offset")),
    offset: Number(offset) || 0,
    problems: problems.filter(({ parameter }) => parameter !== "ein"),
  };
}

/** The parameters that the fields of a page write. */
export function parametersOfPage(side: Side): readonly string[] {
  return side === "funder"
    ? [...filtersOf.funder.flatMap((name) => parametersOf[name]), "match", "sort"]
    : ["matched"];
}

/** The call of the summary. */
export function summaryCall(side: Side, ein: string): Call<{ data: Summary }> {
  return side === "funder" ? funderSummaryCall(ein) : recipientSummaryCall(ein);
}

/** The call of the organizations that share its recipients or funders. */
export function peersCall({ side, ein }: Pick<Selection, "side" | "ein">) {
  return side === "funder" ? funderPeersCall(ein) : recipientPeersCall(ein);
}

/** The call of the table: a funder's own pages, or a search once it is filtered; for a recipient up to 1,000 grants, as filed or with likely ones. */
export function grantsCall({ side, ein, filters, offset }: Selection): Call<GrantsPage> {
  const page: Query = offset === 0 ? {} : { offset: String(offset) };
  if (side === "recipient")
    return showsLikely(filters)
      ? recipientHistoryCall(ein, { ...filters, limit: "1000", ...page })
      : searchCall({ recipient_ein: ein, limit: "1000", ...page });
  return Object.keys(filters).length === 0
    ? funderHistoryCall(ein, page)
    : searchCall({ funder_ein: ein, ...filters, ...page });
}

/** The CSV file of all grants that pass the filters. @param form the parameters of its form, e.g., `{ excel: "1" }` */
export function csvHref({ side, ein, filters }: Omit<Selection, "offset">, form: Query): string {
  if (showsLikely(filters)) return `/v1/recipients/${ein}/history.csv${formatQuery({ ...filters, ...form })}`;
  return side === "funder"
    ? `/v1/funders/${ein}/history.csv${formatQuery({ ...without(filters, "sort"), ...form })}`
    : `/v1/history.csv${formatQuery({ recipient_ein: ein, ...form })}`;
}

/** True if likely grants are asked for, too. */
export function showsLikely({ matched }: Query): boolean {
  return matched === "include" || matched === "only";
}

/** The list of grants that a reader may follow: its path, and the filters that the path does not have. */
export function followed({ side, ein, filters }: Omit<Selection, "offset">): { path: string; query: Query } {
  return side === "funder"
    ? { path: `/v1/funders/${ein}/history`, query: filters }
    : { path: "/v1/history", query: { recipient_ein: ein } };
}

/** The address of a page with these filters, at its first row. */
export function organizationHref(
  side: Side,
  ein: string,
  filters: Readonly<Record<string, string | number | undefined>> = {},
): string {
  return `/${side}${formatQuery({ ein, ...filters })}`;
}
