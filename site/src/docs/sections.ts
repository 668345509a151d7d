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
    intro: ["Grants of all funders that match every filter, newest year first, then largest amount."],
    operations: ["searchGrants"],
  },
  {
    id: "history-of-a-funder",
    title: "History of a funder",
    intro: ["The same for one funder. A funder without grants is 404 here, and `total` 0 in a search."],
    operations: ["listFunderGrants"],
  },
  {
    id: "history-of-a-recipient",
    title: "History of a recipient",
    intro: ["Grants that name one recipient’s EIN, and with `matched`, those whose likely recipient it is."],
    operations: ["listRecipientGrants"],
  },
  {
    id: "csv-downloads",
    title: "CSV downloads",
    intro: [
      "All matching grants of one release, streamed. A file that cannot be finished ends with a connection reset.",
      "RFC 4180, with a header row. Values are as in the JSON; null is an empty cell. With `matched`, the columns `matched_ein` and `match_rule` follow.",
    ],
    operations: ["exportGrants", "exportFunderGrants", "exportRecipientGrants"],
  },
  {
    id: "feeds",
    title: "Feeds",
    intro: [
      "The matching grants that were added last, at most 100, newest release first, from the releases of 60 days, or the newest 1,000 that added grants. Feeds cannot be pinned.",
    ],
    operations: ["followGrants", "followGrantsJson", "followFunder", "followFunderJson"],
  },
  {
    id: "totals-of-a-search",
    title: "Totals of a search",
    intro: [
      "Exact totals of all matching grants, by year and size, and the ten largest funders and recipients.",
    ],
    operations: ["summarizeGrants", "summarizeFunderGrants"],
  },
  {
    id: "groups-of-a-search",
    title: "Groups of a search",
    intro: [
      "The largest sum comes first, or with `sort=records` the largest number. Ties are ordered by the other, then by key. Types are grouped as filed, recipients without an EIN by name.",
      `Pages are within the first ${limits.groupsMax.toLocaleString("en-US")} groups; \`total\`, \`records\` and \`amount\` count all. The CSV file has the first ${limits.exportedGroupsMax.toLocaleString("en-US")}.`,
    ],
    operations: ["groupGrants", "exportGroups"],
  },
  {
    id: "summaries",
    title: "Summaries",
    intro: [
      "Totals by year and size, the largest grant, and the ten largest counterparts; recipients without an EIN by name.",
      "Among equal recipients, the newest grant comes first, among funders the lowest EIN. A name is the one that most grants give, as last spelled.",
    ],
    operations: ["summarizeFunder", "summarizeRecipient"],
  },
  {
    id: "peers",
    title: "Peers",
    intro: [
      "Funders that share many recipients, and recipients that share many funders.",
      "The score is the cosine of the two lists, in which a recipient with n funders weighs 1/n, and a funder with n recipients likewise. Peers have at least two counterparts in common.",
      "Only grants with a recipient EIN count. Recipients with more than 100 funders are ignored, and for a recipient’s peers funders with more than 100 recipients.",
    ],
    operations: ["listFunderPeers", "listRecipientPeers"],
  },
  {
    id: "likely-funders",
    title: "Likely funders",
    intro: [
      "Funders that have not given to an organization, best first: 10, or up to `limit=50`, with reasons, and paths of answers that show them.",
      "Each night makes lists without the newest year’s filings, and counts the recipients that got a new funder from the first ten. If that is not surely better than the most frequent funders of the state or cause, all is 404 `not_served`.",
      "An organization without grants gets a list by state and cause alone. Funders with more than 10,000 recipients are left out.",
    ],
    operations: ["listLikelyFunders"],
  },
  {
    id: "shared-recipients",
    title: "Shared recipients",
    intro: ["The recipients, by EIN, that at least two of up to four funders fund."],
    operations: ["listSharedRecipients"],
  },
  {
    id: "one-grant",
    title: "One grant",
    intro: ["A grant by its `id`, and the return that lists it."],
    operations: ["readGrant"],
  },
  {
    id: "organizations",
    title: "Organizations",
    intro: [
      "Names come from the operator’s list. An EIN not on it is 404 `organization_not_found`, and left out of `/v1/names`.",
      "Finances and mission come from returns. Unknown values are null, or an empty list.",
      `A search by name has the best match first, then most grants: ${limits.organizationsDefault}, or up to \`limit=${limits.organizationsMax}\`. Abbreviations match the full word.`,
    ],
    operations: ["findOrganizations", "readOrganization", "listNames"],
  },
  {
    id: "reconciliation",
    title: "Reconciliation",
    intro: [
      "Matches names in a table with EINs.",
      "In OpenRefine, add `/v1/reconcile` by “Reconcile”, “Start reconciling”, “Add standard service”; columns for `state`, `city` or `ein` match far more names. “Add entity identifiers column” adds the EINs.",
      `Programs send up to ${limits.batchMax} queries as \`queries\` in the URL, or in a form by POST of at most ${limits.formBytesMax / 1024} KB. Each may have \`type\` (\`funder\`, \`recipient\`), \`limit\` and \`properties\`; a \`state\` of two letters must be the organization’s, and a \`city\` raises the score. Answers are not cached.`,
      "`/v1/reconcile` alone describes the service. Suggestions are at `/v1/reconcile/suggest/entity?prefix=`, `…/property` and `…/type`, previews at `/v1/reconcile/preview?id=`.",
    ],
    operations: ["reconcile"],
  },
  {
    id: "names",
    title: "Names",
    intro: ["Small files that a page can keep."],
    operations: ["listNamesByEin"],
  },
  {
    id: "status",
    title: "Status",
    intro: ["Sums are strings, so that no precision is lost."],
    operations: ["readStatus"],
  },
  {
    id: "report",
    title: "Report",
    intro: ["What the last syncs read, rejected and changed."],
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
