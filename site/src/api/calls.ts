// Names the API's calls that pages make, each with the URL that people can copy.
import type { PageName } from "../../pages.ts";
import { formatQuery, type Query, without } from "../address/query.ts";
import { type Answer, ask, type Body, type Path } from "./client.ts";
import { askOrFind } from "./staticCopy.ts";

/** A call of the API: its URL, to show and copy, and a function that makes it. */
export type Call<Found> = {
  /** Path and query, e.g., "/v1/history?purpose=food". */
  readonly href: string;
  /** Makes the call, from a pinned release if one is given. */
  readonly ask: (signal?: AbortSignal, release?: string) => Promise<Answer<Found>>;
};

/** The names in braces in a path template. */
type NamesIn<Template> = Template extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

/**
 * A call of an operation.
 * @param path its template in the OpenAPI document
 * @param inPath the values of the names in the template
 */
export function callOf<const Of extends Path>(
  path: Of,
  inPath: Readonly<Record<NamesIn<Of>, string | number>>,
  query: Readonly<Record<string, string | number | undefined>> = {},
): Call<Body<Of>> {
  const values: Readonly<Record<string, string | number>> = inPath;
  const href = path.replaceAll(/\{(\w+)\}/g, (_, name) => String(values[name])) + formatQuery(query);
  return { href, ask: (signal, release) => ask(pinned(href, release), signal) };
}

/** The URL in a pinned release, if one is given. */
function pinned(href: string, release: string | undefined): string {
  return release === undefined ? href : `/r/${release}${href}`;
}

/** The call, whose answer is in a file on a static host. */
function orFile<Found>({ href, ask }: Call<Found>): Call<Found> {
  return { href, ask: (signal, release) => askOrFind(href, signal, () => ask(signal, release)) };
}

/** A page of grants of all funders. @param query parameters of `/v1/history` */
export const searchCall = (query: Query) => orFile(callOf("/v1/history", {}, query));

/** A page of a funder's whole history. @param query limit and offset only: filters make it a search */
export const funderHistoryCall = (funder_ein: string, query: Query) =>
  orFile(callOf("/v1/funders/{funder_ein}/history", { funder_ein }, query));

/** The totals of all grants that a search finds. @param query of the search; its page and order make no difference */
export const totalsCall = (query: Query) =>
  orFile(callOf("/v1/history/summary", {}, without(query, "sort", "limit", "offset")));

/** The totals of a funder's grants that pass filters. */
export const funderTotalsCall = (funder_ein: string, filters: Query) =>
  callOf("/v1/funders/{funder_ein}/history/summary", { funder_ein }, without(filters, "sort"));

/** A page of the groups of the grants that a search finds. @param query filters, `by`, `sort`, `limit` and `offset` */
export const groupsCall = (query: Query) => callOf("/v1/history/groups", {}, query);

/** One grant, and the return that it is from. */
export const grantCall = (id: number) => callOf("/v1/grants/{id}", { id });

/** A funder's totals. */
export const funderSummaryCall = (funder_ein: string) =>
  callOf("/v1/funders/{funder_ein}/summary", { funder_ein });

/** A page of all grants to a recipient, with likely ones. @param query `matched`, limit and offset */
export const recipientHistoryCall = (recipient_ein: string, query: Query) =>
  callOf("/v1/recipients/{recipient_ein}/history", { recipient_ein }, query);

/** A recipient's totals. */
export const recipientSummaryCall = (recipient_ein: string) =>
  callOf("/v1/recipients/{recipient_ein}/summary", { recipient_ein });

/** A page of the recipients that funders share. @param query years, limit and offset */
export const sharedRecipientsCall = (eins: readonly string[], query: Parameters<typeof formatQuery>[0]) =>
  callOf("/v1/recipients/shared", {}, { funders: eins.join(), ...query });

/** The funders of the same recipients. */
export const funderPeersCall = (funder_ein: string) =>
  callOf("/v1/funders/{funder_ein}/peers", { funder_ein });

/** The other recipients of the same funders. */
export const recipientPeersCall = (recipient_ein: string) =>
  callOf("/v1/recipients/{recipient_ein}/peers", { recipient_ein });

/** Organizations by name, best first. @param query `name` as canonical text, so that equal names have one URL */
export const organizationsCall = (query: Parameters<typeof formatQuery>[0]) =>
  callOf("/v1/organizations", {}, query);

/** The release being served. */
export const statusCall = callOf("/v1/status", {});

/** The names and places of organizations. @param eins at most `namesMax` */
export const namesCall = (eins: readonly string[]) => orFile(callOf("/v1/names", {}, { eins: eins.join() }));

/** The address of a page that calls link to. */
export function pageHref(page: Exclude<PageName, "search">, query: Query): string {
  return `/${page}${formatQuery(query)}`;
}
