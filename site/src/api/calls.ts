// Names the API's calls that pages make, each with the URL that people can copy.
import type { PageName } from "../../pages.ts";
import { formatQuery, type Query } from "../address/query.ts";
import {
  type Answer,
  type FunderPeers,
  type FunderSummary,
  get,
  type HistoryPage,
  type Organization,
  type RecipientPeers,
  type RecipientSummary,
  type Report,
  type Status,
  toAnswer,
} from "./client.ts";
import { askPage } from "./staticCopy.ts";

/** A call of the API: what is shown and copied, and how it is made. */
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

/** A page of grants of all funders. @param query parameters of `/v1/history` */
export function searchCall(query: Query): Call<HistoryPage> {
  const href = `/v1/history${formatQuery(query)}`;
  const ask = (signal: AbortSignal, release: string | undefined) =>
    release === undefined
      ? get("/v1/history", { params: { query }, signal })
      : get("/r/{release}/v1/history", { params: { path: { release }, query }, signal });
  return { href, ask: (signal, release) => askPage(href, signal, () => toAnswer(ask(signal, release))) };
}

/** A page of a funder's whole history. @param query limit and offset only: filters make it a search */
export function funderHistoryCall(funder_ein: string, query: Query): Call<HistoryPage> {
  const href = `/v1/funders/${funder_ein}/history${formatQuery(query)}`;
  const ask = (signal: AbortSignal, release: string | undefined) =>
    release === undefined
      ? get("/v1/funders/{funder_ein}/history", { params: { path: { funder_ein }, query }, signal })
      : get("/r/{release}/v1/funders/{funder_ein}/history", {
          params: { path: { release, funder_ein }, query },
          signal,
        });
  return { href, ask: (signal, release) => askPage(href, signal, () => toAnswer(ask(signal, release))) };
}

/** A funder's totals. */
export function funderSummaryCall(funder_ein: string): Call<{ data: FunderSummary }> {
  return {
    href: `/v1/funders/${funder_ein}/summary`,
    ask: (signal) =>
      toAnswer(get("/v1/funders/{funder_ein}/summary", { params: { path: { funder_ein } }, signal })),
  };
}

/** A recipient's totals. */
export function recipientSummaryCall(recipient_ein: string): Call<{ data: RecipientSummary }> {
  return {
    href: `/v1/recipients/${recipient_ein}/summary`,
    ask: (signal) =>
      toAnswer(
        get("/v1/recipients/{recipient_ein}/summary", { params: { path: { recipient_ein } }, signal }),
      ),
  };
}

/** The funders of the same recipients. */
export function funderPeersCall(funder_ein: string): Call<{ data: FunderPeers }> {
  return {
    href: `/v1/funders/${funder_ein}/peers`,
    ask: (signal) =>
      toAnswer(get("/v1/funders/{funder_ein}/peers", { params: { path: { funder_ein } }, signal })),
  };
}

/** The other recipients of the same funders. */
export function recipientPeersCall(recipient_ein: string): Call<{ data: RecipientPeers }> {
  return {
    href: `/v1/recipients/${recipient_ein}/peers`,
    ask: (signal) =>
      toAnswer(get("/v1/recipients/{recipient_ein}/peers", { params: { path: { recipient_ein } }, signal })),
  };
}

/** An organization's name and place. */
export function organizationCall(ein: string): Call<{ data: Organization }> {
  return {
    href: `/v1/organizations/${ein}`,
    ask: (signal) => toAnswer(get("/v1/organizations/{ein}", { params: { path: { ein } }, signal })),
  };
}

/** The release being served. */
export const statusCall: Call<Status> = {
  href: "/v1/status",
  ask: (signal) => toAnswer(get("/v1/status", { signal })),
};

/** What the sync read, rejected and changed, and the last syncs. */
export const reportCall: Call<Report> = {
  href: "/v1/report",
  ask: (signal) => toAnswer(get("/v1/report", { signal })),
};
