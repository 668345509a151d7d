// Defines the sections of the guide: the operations of each, its introduction, and example requests.

import * as limits from "../../../api-static/contract/limits.ts";

export type SectionPlan = {
  /** Its anchor. */
  readonly id: string;
  readonly title: string;
  /** Paragraphs; text in backticks is code. */
  readonly intro: readonly string[];
  /** Ids of operations in the OpenAPI document. */
  readonly operations: readonly string[];
};

/** The groups, in the order of the guide. Operations outside all groups get a separate section. */
export const sectionPlans: readonly SectionPlan[] = [
  {
    id: "search-grants",
    title: "Search grants",
    intro: [
      "Grants of all funders that match every filter you give, newest year first, then largest amount; with `sort=amount`, largest amount first. `total` is exact on every page.",
    ],
    operations: ["searchGrants"],
  },
  {
    id: "history-of-a-funder",
    title: "History of a funder",
    intro: [
      "All grants of one funder, in the same order and with the same filters. A funder without grants is 404 here, and `total` 0 in a search.",
    ],
    operations: ["listFunderGrants"],
  },
  {
    id: "history-of-a-recipient",
    title: "History of a recipient",
    intro: [
      "All grants that name one recipient’s EIN, and with `matched`, those whose likely recipient it is. `matches` tells which these are, with rule and evidence.",
    ],
    operations: ["listRecipientGrants"],
  },
  {
    id: "csv-downloads",
    title: "CSV downloads",
    intro: [
      "All matching grants in one file, streamed, from one release. `limit` and `offset` do not apply. A file that cannot be finished ends with a connection reset, so your client reports an error.",
      "The format is RFC 4180: a header row with the field names of a record, rows ending in CRLF, quotes where needed. Values are written as in the JSON; null is an empty cell.",
    ],
    operations: ["exportGrants", "exportFunderGrants", "exportRecipientGrants"],
  },
  {
    id: "feeds",
    title: "Feeds",
    intro: [
      "The matching grants that were added last, at most 100, for readers of feeds: as Atom and as JSON Feed. They are those that the releases of the last 60 days, or the newest 1,000 that added some, added and that are still there, the newest release first. A feed without grants was updated when its release was made. No release pins them.",
    ],
    operations: ["followGrants", "followGrantsJson", "followFunder", "followFunderJson"],
  },
  {
    id: "totals-of-a-search",
    title: "Totals of a search",
    intro: [
      "The totals of all grants that match the filters of a search: exact sums by year and by size, and the ten largest funders and recipients. `limit`, `offset` and `sort` do not apply.",
    ],
    operations: ["summarizeGrants", "summarizeFunderGrants"],
  },
  {
    id: "groups-of-a-search",
    title: "Groups of a search",
    intro: [
      "The matching grants by funder, recipient, year, type, town, state or cause, the largest sum first; with `sort=records`, the largest number first. Ties are ordered by the other, then by key. Types are grouped as filed, and recipients without an EIN by name.",
      `Pages are within the first ${limits.groupsMax.toLocaleString("en-US")} groups; \`total\`, \`records\` and \`amount\` count all. The CSV file has the first ${limits.exportedGroupsMax.toLocaleString("en-US")}.`,
    ],
    operations: ["groupGrants", "exportGroups"],
  },
  {
    id: "summaries",
    title: "Summaries",
    intro: [
      "Totals by year and by size, the largest grant, and the ten largest counterparts. Grants without a recipient EIN are grouped by name.",
      "Ties among the ten: the newest grant first for recipients, the lowest EIN first for funders. A name is the one that most of the grants give, as last spelled. Summaries take no parameters.",
    ],
    operations: ["summarizeFunder", "summarizeRecipient"],
  },
  {
    id: "peers",
    title: "Peers",
    intro: [
      "Funders that share many recipients, and recipients that share many funders. Shared organizations that have many counterparts count less, so that giants do not fill every list.",
      "The score is the cosine of the two lists, in which a recipient with n funders weighs 1/n, and a funder with n recipients likewise. Peers have at least two counterparts in common. How often and how much a funder gave makes no difference.",
      "Only grants with a recipient EIN count, so most private foundations have no peers. Recipients with more than 100 funders are ignored, and so are funders with more than 100 recipients for a recipient’s peers.",
    ],
    operations: ["listFunderPeers", "listRecipientPeers"],
  },
  {
    id: "likely-funders",
    title: "Likely funders",
    intro: [
      "For seekers of grants: funders that have not given to an organization, best first. Each has reasons, with the path of an answer that shows them: it gave to organizations that a funder of this one gave to, to the same cause, in the same state; the usual size of its first grants; and how many recipients it had lately.",
      "`model` says how right such lists were: each night hides the filings of the newest year, makes the lists from the others, and counts the recipients that got a new funder from the first ten. A release whose lists are not surely better than the most frequent funders of the state or the cause serves none: 404 `not_served` says why.",
      "An organization without grants gets a list by its state and cause alone, which is right less often. Funders with more than 10,000 recipients are left out.",
    ],
    operations: ["listLikelyFunders"],
  },
  {
    id: "shared-recipients",
    title: "Shared recipients",
    intro: [
      "The recipients that at least two of up to four funders fund, matched by EIN and counted over all grants, of all years or of one.",
    ],
    operations: ["listSharedRecipients"],
  },
  {
    id: "one-grant",
    title: "One grant",
    intro: [
      "A grant by its `id`, and the return that lists it, so that you can check it. `source` is null if the service's data do not come from the IRS's returns directly.",
    ],
    operations: ["readGrant"],
  },
  {
    id: "organizations",
    title: "Organizations",
    intro: [
      "Names come from the operator’s list of organizations, as they are spelled there. An EIN that is not on it is 404 `organization_not_found`, and left out of a list of names.",
      "Finances and the mission come from an organization’s returns. What is unknown is null, or an empty list.",
      `A search by name finds organizations of the list, best match first, then most grants: ${limits.organizationsDefault}, or up to \`limit=${limits.organizationsMax}\`. Abbreviations match the full word. Most organizations have no grants in the data.`,
    ],
    operations: ["findOrganizations", "readOrganization", "listNames"],
  },
  {
    id: "reconciliation",
    title: "Reconciliation",
    intro: [
      "Match the names in a table with EINs. This is a service of the Reconciliation API 0.2, which OpenRefine and other programs use.",
      "In OpenRefine: “Reconcile” → “Start reconciling” → “Add standard service”, with the URL of `/v1/reconcile`. Choose columns for the properties `state`, `city` or `ein`, if there are any: far more names then match. Check what is left, and add the EINs with “Add entity identifiers column”.",
      `Programs send up to ${limits.batchMax} queries as \`queries\` in the URL, or in a form by POST of at most ${limits.formBytesMax / 1024} KB. Each may have \`type\` (\`funder\`, \`recipient\`), \`limit\` and \`properties\`; a \`state\` of two letters must be the organization’s, and a \`city\` raises the score. Answers are not cached.`,
      "`/v1/reconcile` alone describes the service. Suggestions are at `/v1/reconcile/suggest/entity?prefix=`, `…/property` and `…/type`, small pages for frames at `/v1/reconcile/preview?id=`.",
    ],
    operations: ["reconcile"],
  },
  {
    id: "names",
    title: "Names",
    intro: ["Small files that a page can keep: the funders whose EINs start with the same four digits."],
    operations: ["listNamesByEin"],
  },
  {
    id: "status",
    title: "Status",
    intro: ["The release being served. Sums are strings, so that no precision is lost."],
    operations: ["readStatus"],
  },
  {
    id: "report",
    title: "Report",
    intro: ["Rows that the sync read and rejected, its changes, and the results of the last syncs."],
    operations: ["readReport"],
  },
];

/** Operations that the guide describes in texts: page files, downloads, changes, this document, operators' paths, and parts of the Reconciliation API. */
export const describedElsewhere: readonly string[] = [
  "readFunderPage",
  "readSearchPage",
  "readSearchTotals",
  "downloadFile",
  "readChanges",
  "suggestOrganizations",
  "suggestProperties",
  "suggestTypes",
  "previewOrganization",
  "readContract",
  "readHealth",
  "readReadiness",
];

/** The query of an operation's example request, whose answer by the server is the document's example; none if there is no query. */
export const exampleQueries: Readonly<Record<string, string>> = {
  listLikelyFunders: "?limit=2",
  listSharedRecipients: "?funders=131635294,200253310&limit=1",
  searchGrants: "?purpose=food&min_amount=10000&limit=1",
  listFunderGrants: "?limit=2",
  listRecipientGrants: "?matched=include",
  exportGrants: "?purpose=food&min_amount=10000",
  exportRecipientGrants: "?matched=include",
  followGrants: "?purpose=food",
  followGrantsJson: "?purpose=food",
  summarizeGrants: "?min_year=2022&max_amount=200000",
  groupGrants: "?by=recipient&min_year=2022&limit=2",
  exportGroups: "?by=funder&min_year=2022",
  findOrganizations: "?name=harbor+str&limit=1",
  listNames: "?eins=131635294,530196605",
  reconcile: `?queries=${encodeURIComponent('{"q0":{"query":"harbor street foundation"}}')}`,
  suggestOrganizations: "?prefix=harbor+str",
  previewOrganization: "?id=131635294",
};
