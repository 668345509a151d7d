// Lists the pages of the site in the states that people meet, for checks of accessibility and for screenshots.
import type { Page } from "playwright-core";

export type State = {
  /** Name of its picture. */
  readonly name: string;
  /** The address, from what the release holds. */
  readonly path: (known: Known) => string;
  /** Brings the page into the state, if the address alone doesn't. */
  readonly reach?: (page: Page) => Promise<unknown>;
  /** What answers instead of the server: failures that a healthy server never gives. */
  readonly prepare?: (page: Page) => Promise<unknown>;
  /** Messages of the console that belong to the state. */
  readonly allowed?: RegExp;
};

/** EINs and words that a release holds. */
export type Known = {
  readonly funder: string;
  readonly otherFunder: string;
  readonly recipient: string;
  /** A recipient that is no funder. */
  readonly onlyRecipient: string;
  readonly word: string;
  /** A year without grants for the word. */
  readonly emptyYear: number;
};

const notFound = /status of 404/;

export const states: readonly State[] = [
  { name: "search-home", path: () => "/" },
  { name: "search-results", path: ({ word }) => `/?purpose=${word}&min_amount=10000` },
  {
    name: "search-nothing",
    path: ({ word, emptyYear }) => `/?purpose=${word}&transaction_year=${emptyYear}`,
  },
  { name: "search-invalid", path: () => "/?funder_ein=12&color=red", allowed: /status of 400/ },
  {
    name: "search-between",
    path: ({ funder, recipient }) => `/?funder_ein=${funder}&recipient_ein=${recipient}`,
  },
  { name: "funder", path: ({ funder }) => `/funder?ein=${funder}` },
  {
    name: "funder-only-recipient",
    path: ({ onlyRecipient }) => `/funder?ein=${onlyRecipient}`,
    allowed: notFound,
  },
  { name: "funder-unknown", path: () => "/funder?ein=999999999", allowed: notFound },
  { name: "recipient", path: ({ recipient }) => `/recipient?ein=${recipient}` },
  { name: "compare-empty", path: () => "/compare" },
  { name: "compare", path: ({ funder, otherFunder }) => `/compare?ein=${funder}&ein=${otherFunder}` },
  { name: "docs", path: () => "/docs" },
  { name: "status", path: () => "/status" },
];
