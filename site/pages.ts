// Lists the pages of the site: address, file, and name in the masthead.

export type PageName =
  | "search"
  | "groups"
  | "funder"
  | "recipient"
  | "compare"
  | "docs"
  | "status"
  | "downloads"
  | "missing";

export type SitePage = {
  /** The path in the address bar. */
  readonly path: string;
  /** The HTML file that answers it, in the site's root folder. */
  readonly file: string;
  readonly title: string;
  /** The name of its link in the masthead; pages without one are reached through others. */
  readonly link?: string;
};

export const pages: Readonly<Record<PageName, SitePage>> = {
  search: { path: "/", file: "index.html", title: "Grant History", link: "Search" },
  groups: {
    path: "/groups",
    file: "groups.html",
    title: "Groups of grants – Grant History",
    link: "Funders",
  },
  funder: { path: "/funder", file: "funder.html", title: "Funder – Grant History" },
  recipient: { path: "/recipient", file: "recipient.html", title: "Recipient – Grant History" },
  compare: {
    path: "/compare",
    file: "compare.html",
    title: "Compare funders – Grant History",
    link: "Compare",
  },
  downloads: {
    path: "/downloads",
    file: "downloads.html",
    title: "Download all grants – Grant History",
    link: "Downloads",
  },
  docs: { path: "/docs", file: "docs.html", title: "API guide – Grant History", link: "API guide" },
  status: { path: "/status", file: "status.html", title: "Status – Grant History", link: "Status" },
  missing: { path: "/404", file: "404.html", title: "Page not found – Grant History" },
};

/** The description of every page, for search engines and previews of links; a server writes a better one for some addresses. */
export const description = "Who gave what to whom, and what for: grants in US tax filings.";

export const pageNames = Object.keys(pages) as readonly PageName[];
