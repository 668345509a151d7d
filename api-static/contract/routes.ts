// Defines the path template of every operation, for OpenAPI and metrics, and finds the template that a path matches.

/** Path templates of all operations. `{name}` is one path segment or part of one. */
export const routes = {
  history: "/v1/history",
  funderHistory: "/v1/funders/{funder_ein}/history",
  funderPage: "/v1/funders/{funder_ein}/history-{page}.json",
  totalsPage: "/v1/history/{search}/summary.json",
  searchPage: "/v1/history/{search}/{page}.json",
  totals: "/v1/history/summary",
  funderTotals: "/v1/funders/{funder_ein}/history/summary",
  groups: "/v1/history/groups",
  groupsExport: "/v1/history/groups.csv",
  export: "/v1/history.csv",
  funderExport: "/v1/funders/{funder_ein}/history.csv",
  feed: "/v1/history.atom",
  jsonFeed: "/v1/history.feed.json",
  funderFeed: "/v1/funders/{funder_ein}/history.atom",
  funderJsonFeed: "/v1/funders/{funder_ein}/history.feed.json",
  funderSummary: "/v1/funders/{funder_ein}/summary",
  sharedRecipients: "/v1/recipients/shared",
  recipientHistory: "/v1/recipients/{recipient_ein}/history",
  recipientExport: "/v1/recipients/{recipient_ein}/history.csv",
  recipientSummary: "/v1/recipients/{recipient_ein}/summary",
  funderPeers: "/v1/funders/{funder_ein}/peers",
  likelyFunders: "/v1/recipients/{recipient_ein}/likely-funders",
  recipientPeers: "/v1/recipients/{recipient_ein}/peers",
  grant: "/v1/grants/{id}",
  organizations: "/v1/organizations",
  organization: "/v1/organizations/{ein}",
  reconcile: "/v1/reconcile",
  suggestEntities: "/v1/reconcile/suggest/entity",
  suggestProperties: "/v1/reconcile/suggest/property",
  suggestTypes: "/v1/reconcile/suggest/type",
  preview: "/v1/reconcile/preview",
  names: "/v1/names",
  namesByEin: "/v1/names/eins/{digits}.json",
  download: "/v1/downloads/{file}",
  changes: "/v1/changes/{file}",
  status: "/v1/status",
  report: "/v1/report",
  health: "/healthz",
  ready: "/readyz",
  openapi: "/openapi.json",
} as const;

export type Route = (typeof routes)[keyof typeof routes];

/** The path for agents, which speak the Model Context Protocol there. It is no operation of the API, and no release pins it. */
export const mcpPath = "/mcp";

const patterns = Object.values(routes).map((route) => {
  const literals = route.split(/\{[a-z_]+\}/).map((text) => text.replaceAll(".", "\\."));
  return { route, pattern: new RegExp(`^${literals.join("[^/]+")}$`) };
});

/** The template that a path matches; undefined for the site's files and unknown paths. */
export function findRoute(pathname: string): Route | typeof mcpPath | undefined {
  if (pathname === mcpPath) return mcpPath;
  return patterns.find(({ pattern }) => pattern.test(pathname))?.route;
}

/** A template with at most one name, cut at it. */
export type CutTemplate = {
  readonly head: string;
  /** Undefined if the template has no name; `head` is then all of it. */
  readonly keyName: string | undefined;
  readonly tail: string;
};

export function cutTemplate(template: string): CutTemplate {
  const [head = "", keyName, tail = ""] = template.split(/\{([a-z_]+)\}/);
  return { head, keyName, tail };
}

/** The text in the place of a template's name ("" if it has none); undefined if the path does not match. */
export function findSegment({ head, keyName, tail }: CutTemplate, pathname: string): string | undefined {
  if (keyName === undefined) return pathname === head ? "" : undefined;
  if (!pathname.startsWith(head) || !pathname.endsWith(tail)) return undefined;
  if (pathname.length < head.length + tail.length) return undefined;
  const segment = pathname.slice(head.length, pathname.length - tail.length);
  return segment.includes("/") ? undefined : segment;
}
