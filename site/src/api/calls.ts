// Names the API's calls that pages make, each with the URL that people can copy.
import type { PageName } from "../../pages.ts";
import { formatQuery, type Query } from "../address/query.ts";
import {
  type Answer,
  ask,
  type FunderPeers,
  type FunderSummary,
  type GrantWithSource,
  type HistoryPage,
  type Organization,
  type RecipientPeers,
  type RecipientSummary,
  type Report,
  type SharedRecipients,
  type Status,
} from "./client.ts";
import { askPage } from "./staticCopy.ts";

/** A call of the API: its URL, to show and copy, and a function that makes it. */
export type Call<Body> = {
  /** Path and query, e.g., "/v1/history?purpose=food". */
  readonly href: string;
  /** Makes the call, from a pinned release if one is given. */
  readonly ask: (signal: AbortSignal, release?: string) => Promise<Answer<Body>>;
};

/** Pages that calls link to. */
export function pageHref(page: Exclude<PageName, "search">, query: Query): string {
  return `/${page}${formatQuery(query)}`;
}

/** A call of one URL. */
function callOf<Body>(href: string): Call<Body> {
  return { href, ask: (signal, release) => ask(pinned(href, release), signal) };
}

/** A call of a page of grants, which a static host has in a file. */
function pageCallOf(href: string): Call<HistoryPage> {
  const call = callOf<HistoryPage>(href);
  return { href, ask: (signal, release) => askPage(href, signal, () => call.ask(signal, release)) };
}

/** The URL in a pinned release, if one is given. */
function pinned(href: string, release: string | undefined): string {
  return release === undefined ? href : `/r/${release}${href}`;
}

/** A page of grants of all funders. @param query parameters of `/v1/history` */
export function searchCall(query: Query): Call<HistoryPage> {
  return pageCallOf(`/v1/history${formatQuery(query)}`);
}

/** A page of a funder's whole history. @param query limit and offset only: filters make it a search */
export function funderHistoryCall(funder_ein: string, query: Query): Call<HistoryPage> {
  return pageCallOf(`/v1/funders/${funder_ein}/history${formatQuery(query)}`);
}

/** One grant, and the return that it is from. */
export function grantCall(id: number): Call<GrantWithSource> {
  return callOf(`/v1/grants/${id}`);
}

/** A funder's totals. */
export function funderSummaryCall(funder_ein: string): Call<{ data: FunderSummary }> {
  return callOf(`/v1/funders/${funder_ein}/summary`);
}

/** A recipient's totals. */
export function recipientSummaryCall(recipient_ein: string): Call<{ data: RecipientSummary }> {
  return callOf(`/v1/recipients/${recipient_ein}/summary`);
}

/** A page of the recipients that funders share, of one year or of all. @param window limit and offset */
export function sharedRecipientsCall(
  eins: readonly string[],
  transaction_year: number | undefined,
  window: { readonly limit: number; readonly offset?: number },
): Call<SharedRecipients> {
  return callOf(`/v1/recipients/shared${formatQuery({ funders: eins.join(), transaction_year, ...window })}`);
}

/** The funders of the same recipients. */
export function funderPeersCall(funder_ein: string): Call<{ data: FunderPeers }> {
  return callOf(`/v1/funders/${funder_ein}/peers`);
}

/** The other recipients of the same funders. */
export function recipientPeersCall(recipient_ein: string): Call<{ data: RecipientPeers }> {
  return callOf(`/v1/recipients/${recipient_ein}/peers`);
}

/** An organization's name and place. */
export function organizationCall(ein: string): Call<{ data: Organization }> {
  return callOf(`/v1/organizations/${ein}`);
}

/** The release being served. */
export const statusCall: Call<Status> = callOf("/v1/status");

/** The report of the sync, and the last syncs. */
export const reportCall: Call<Report> = callOf("/v1/report");
