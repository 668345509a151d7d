// Defines how the guide groups the operations of the OpenAPI document, what it says about each group, and example requests.

export type SectionPlan = {
  /** Its anchor. */
  readonly id: string;
  readonly title: string;
  /** Paragraphs; text in backticks is code. */
  readonly intro: readonly string[];
  /** Ids of operations in the OpenAPI document. */
  readonly operations: readonly string[];
};

/** The groups, in the order of the guide. Operations that no group names get a section of their own. */
export const sectionPlans: readonly SectionPlan[] = [
  {
    id: "search-grants",
    title: "Search grants",
    intro: [
      "Grants of all funders that match every filter you give, newest year first, then largest amount. `total` is exact, whatever the page.",
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
    id: "summaries",
    title: "Summaries",
    intro: [
      "Totals by year and by size, the largest grant, and the ten largest counterparts. Grants without a recipient EIN are grouped by name.",
    ],
    operations: ["summarizeFunder", "summarizeRecipient"],
  },
  {
    id: "peers",
    title: "Peers",
    intro: [
      "Funders that share many recipients, and recipients that share many funders. Shared organizations that have many counterparts count less, so that giants do not fill every list.",
    ],
    operations: ["listFunderPeers", "listRecipientPeers"],
  },
  {
    id: "csv-downloads",
    title: "CSV downloads",
    intro: [
      "All matching grants in one file, streamed, from one release. `limit` and `offset` do not apply. A file that cannot be finished ends with a connection reset, so your client reports an error.",
    ],
    operations: ["exportGrants", "exportFunderGrants"],
  },
  {
    id: "organizations",
    title: "Organizations",
    intro: ["Names come from the operator’s list of organizations. An EIN that is not on it is 404."],
    operations: ["readOrganization"],
  },
  {
    id: "names",
    title: "Names",
    intro: [
      "Small files that a page can keep: the funders whose EINs begin alike, and the largest funders with a word that begins alike.",
    ],
    operations: ["listNamesByEin", "listNamesByWord"],
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
    intro: ["What the sync read, rejected and changed, and how the last syncs ended."],
    operations: ["readReport"],
  },
];

/** Operations that the guide describes in its rules: page files, this document, and what operators watch. */
export const describedElsewhere: readonly string[] = [
  "readFunderPage",
  "readSearchPage",
  "readContract",
  "readHealth",
  "readReadiness",
  "readMetrics",
];

/** The query of an operation's example request; without one there is none. The examples of the document answer these. */
export const exampleQueries: Readonly<Record<string, string>> = {
  searchGrants: "?purpose=food&min_amount=10000&limit=1",
  listFunderGrants: "?limit=2",
  exportGrants: "?purpose=food&min_amount=10000",
};
