// Lists the pages of the site in the states that people meet, for checks of accessibility and for screenshots.
import type { Page } from "playwright-core";
import type { ErrorCode } from "../../api-static/contract/errors.ts";
import { allCalls, fail, failed, historyCalls, neverAnswer, serveFilesAlone } from "./answers.fixture.ts";
import { answerFacts, answerLikely } from "./likely.fixture.ts";

export type State = {
  /** Name of its picture. */
  readonly name: string;
  /** The address, from facts about the release. */
  readonly path: (known: Known) => string;
  /** Brings the page into the state, if the address alone doesn't. */
  readonly reach?: (page: Page) => Promise<unknown>;
  /** Answers instead of the server, with failures that a healthy server never gives. */
  readonly prepare?: (page: Page) => Promise<unknown>;
  /** Messages of the console that belong to the state. */
  readonly allowed?: RegExp;
  /** Why elements may move without the reader's doing. */
  readonly moves?: string;
};

/** EINs and words that a release holds. */
export type Known = {
  readonly funder: string;
  /** The funder and up to three others, which fund the same recipients if any do. */
  readonly funders: readonly string[];
  readonly recipient: string;
  /** A recipient that is no funder. */
  readonly onlyRecipient: string;
  readonly word: string;
  /** The id of the release. */
  readonly release: string;
  /** A year without grants for the word. */
  readonly emptyYear: number;
};

const notFound = /status of 404/;

const search = ({ word }: Known) => `/?purpose=${word}&min_amount=10000`;
const funder = (known: Known) => `/funder?ein=${known.funder}`;
const recipient = (known: Known) => `/recipient?ein=${known.recipient}`;

const heading = (page: Page, name: string) => page.getByRole("heading", { name }).waitFor();

/** Types into the box and waits for suggestions. */
async function type(page: Page, text: string): Promise<void> {
  await page.locator("#box").fill(text);
  await page.getByRole("option").first().waitFor();
  await page.waitForLoadState("networkidle");
}

/** Opens the checks of a total, and waits until its grants are read. */
async function openPublished(page: Page): Promise<void> {
  await page.locator(".publish-bar summary").click();
  await page.locator(".verdict", { hasNotText: "Reading" }).waitFor();
}

/** Reloads a page that is pinned to a release that is not kept. The page does both, so that the browser has the pin before it reloads. */
export async function pinGoneRelease(page: Page): Promise<void> {
  await page.evaluate(() => {
    history.replaceState({ release: "20200101T040000Z" }, "");
    location.reload();
  });
}

/** A search that fails. */
function searchFails(code: ErrorCode, title: string, headers: Record<string, string> = {}): State {
  return {
    name: `search-${code.replaceAll("_", "-")}`,
    path: search,
    prepare: (page) => page.route(historyCalls, fail(code, headers)),
    reach: (page) => heading(page, title),
    allowed: failed,
  };
}

/** A page on a host that serves files alone. */
function staticCopy(name: string, path: State["path"]): State {
  return { name: `${name}-static-copy`, path, prepare: serveFilesAlone, allowed: failed };
}

/** Opens the first mark of a likely grant. */
async function openMark(page: Page): Promise<void> {
  await page.locator(".likely-mark summary").first().click();
}

/** Opens the charts of a search, which are closed on phones. */
async function openCharts(page: Page): Promise<void> {
  const charts = page.locator(".totals > details");
  await charts.waitFor();
  if ((await charts.getAttribute("open")) === null) await charts.locator("> summary").click();
}

/** Opens the charts of a search, and a fold below them. */
async function openFold(page: Page, fold: string): Promise<void> {
  await openCharts(page);
  await page.locator(`${fold} > summary`).click();
  await page.waitForLoadState("networkidle");
}

/** Opens the states of a search's grants, and waits until they are drawn. */
export async function openStates(page: Page): Promise<void> {
  await openFold(page, ".by-state");
  await page.locator(".state-grid > svg").waitFor();
}

function recipientWithLikely(
  name: string,
  path: State["path"],
  isOnly: boolean,
  reach?: State["reach"],
): State {
  const state = { name, path, prepare: answerLikely(isOnly), allowed: notFound };
  return reach === undefined ? state : { ...state, reach };
}

const ofSearch: readonly State[] = [
  { name: "search-home", path: () => "/" },
  { name: "search-suggestions", path: () => "/", reach: (page) => type(page, "food") },
  {
    name: "search-suggestions-ein",
    path: (known) => `/?funder_ein=${known.funder}`,
    reach: (page) => type(page, new URL(page.url()).searchParams.get("funder_ein") ?? ""),
  },
  {
    name: "search-suggestions-organizations",
    path: () => "/",
    reach: async (page) => {
      await type(page, "foundation");
      await page.locator("[role=option] .found").first().waitFor();
    },
  },
  { name: "search-suggestions-place", path: () => "/", reach: (page) => type(page, "music in Austin TX") },
  { name: "search-place", path: () => "/?purpose=education&recipient_city=Portland&recipient_state=OR" },
  {
    name: "search-funders-to-look-at",
    path: () => "/?recipient_cause=B&recipient_state=TX",
    reach: async (page) => {
      await openFold(page, ".to-look-at");
      await page.locator(".likely-funders ul li:nth-child(3)").first().waitFor();
    },
    moves: "what is known of each funder comes after the list that a reader opened",
  },
  { name: "search-by-cause", path: () => "/?min_amount=10000", reach: (page) => openFold(page, ".by-cause") },
  {
    name: "search-constant-dollars",
    path: () => "/?min_year=2015&min_amount=10000",
    reach: async (page) => {
      await openCharts(page);
      await page.getByRole("button", { name: "In 2024 dollars" }).click();
      await page.getByText("In prices of 2024").waitFor();
    },
  },
  { name: "groups-of-cause", path: () => "/groups?by=funder&recipient_cause=A68" },
  { name: "groups-causes", path: () => "/groups?by=recipient_cause" },
  { name: "search-results", path: search },
  { name: "search-published", path: search, reach: openPublished },
  { name: "groups", path: ({ word }) => `/groups?by=recipient&purpose=${word}&min_amount=10000` },
  {
    name: "search-by-state",
    path: () => "/?min_amount=10000",
    reach: openStates,
  },
  { name: "search-in-state", path: () => "/?min_amount=10000&recipient_state=TX" },
  { name: "groups-states", path: () => "/groups?by=recipient_state&min_amount=10000" },
  { name: "groups-invalid", path: () => "/groups?by=color&min_year=2020&max_year=2018" },
  staticCopy("groups", () => "/groups?by=funder"),
  {
    name: "search-without-totals",
    path: search,
    prepare: (page) => page.route(/history\/summary/, fail("overloaded", { "Retry-After": "120" })),
    reach: (page) => page.getByText("couldn’t be added up").waitFor(),
    allowed: failed,
    moves: "rows that came first take the place that was kept for the totals",
  },
  {
    name: "search-between",
    path: (known) => `/?funder_ein=${known.funder}&recipient_ein=${known.recipient}`,
  },
  {
    name: "search-nothing",
    path: ({ word, emptyYear }) => `/?purpose=${word}&transaction_year=${emptyYear}`,
  },
  { name: "search-near-names", path: () => "/?purpose=comunity+foundtion&match=words" },
  { name: "search-invalid", path: () => "/?funder_ein=12&color=red", allowed: /status of 400/ },
  {
    name: "search-slow",
    path: () => "/",
    prepare: neverAnswer,
    reach: async (page) => {
      await page.locator("#box").fill("food");
      await page.keyboard.press("Enter");
      await page.getByText("Still searching…").waitFor();
    },
  },
  searchFails("timeout", "This search took too long"),
  searchFails("overloaded", "Too many searches right now", { "Retry-After": "120" }),
  searchFails("internal", "Something went wrong on our side"),
  {
    name: "search-offline",
    path: search,
    reach: async (page) => {
      await page.waitForSelector("table.grants");
      await page.context().setOffline(true);
      await page.locator("#box").fill("anything");
      await page.keyboard.press("Enter");
      await heading(page, "You’re offline");
    },
    allowed: failed,
  },
  {
    name: "search-release-gone",
    path: search,
    reach: async (page) => {
      await pinGoneRelease(page);
      await heading(page, "This release is no longer kept");
    },
    allowed: failed,
  },
  {
    name: "search-not-ready",
    path: search,
    prepare: (page) => page.route(allCalls, fail("not_ready")),
    reach: (page) => heading(page, "The first release is being made"),
    allowed: failed,
  },
  staticCopy("search", search),
];

const ofOrganizations: readonly State[] = [
  { name: "funder", path: funder },
  { name: "funder-filtered", path: (known) => `${funder(known)}&min_amount=10000` },
  { name: "funder-published", path: funder, reach: openPublished },
  { name: "funder-pinned", path: (known) => `/r/${known.release}${funder(known)}` },
  { name: "funder-release-gone", path: (known) => `/r/20200101T040000Z${funder(known)}`, allowed: notFound },
  {
    name: "funder-only-recipient",
    path: ({ onlyRecipient }) => `/funder?ein=${onlyRecipient}`,
    allowed: notFound,
  },
  { name: "funder-unknown", path: () => "/funder?ein=999999999", allowed: notFound },
  { name: "funder-invalid", path: () => "/funder?ein=20-02533" },
  staticCopy("funder", funder),
  // The list of organizations may lack a recipient: the API then answers 404, which browsers log.
  { name: "recipient", path: recipient, allowed: notFound },
  recipientWithLikely("recipient-with-likely-matches", recipient, false, async (page) => {
    await page.locator(".switch", { hasText: "As filed" }).getByText("With likely matches").click();
    await openMark(page);
  }),
  recipientWithLikely(
    "recipient-only-likely",
    (known) => `${recipient(known)}&matched=include`,
    true,
    openMark,
  ),
  recipientWithLikely("recipient-only-likely-as-filed", recipient, true),
  { name: "recipient-invalid", path: (known) => `${recipient(known)}&offset=first`, allowed: notFound },
  { name: "recipient-unknown", path: () => "/recipient?ein=999999999", allowed: notFound },
  { name: "compare-empty", path: () => "/compare" },
  {
    name: "compare",
    path: ({ funders }) =>
      `/compare?${funders
        .slice(0, 2)
        .map((ein) => `ein=${ein}`)
        .join("&")}`,
  },
  {
    name: "compare-four",
    path: ({ funders }) => `/compare?${funders.map((ein) => `ein=${ein}`).join("&")}`,
  },
  {
    name: "compare-years",
    path: ({ funders }) =>
      `/compare?${funders
        .slice(0, 3)
        .map((ein) => `ein=${ein}`)
        .join("&")}&min_year=2015`,
    reach: (page) => page.getByText("Same scale").click(),
  },
  {
    name: "compare-unknown",
    path: ({ funder }) => `/compare?ein=${funder}&ein=999999999`,
    allowed: notFound,
  },
];

const ofService: readonly State[] = [
  { name: "docs", path: () => "/docs" },
  { name: "status", path: () => "/status" },
  { name: "status-with-rules", path: () => "/status", prepare: answerFacts },
  {
    name: "status-not-ready",
    path: () => "/status",
    prepare: (page) => page.route(allCalls, fail("not_ready")),
    allowed: failed,
  },
  staticCopy("status", () => "/status"),
  { name: "downloads", path: () => "/downloads" },
  {
    name: "downloads-none",
    path: () => "/downloads",
    prepare: (page) => page.route(/datapackage/, fail("not_found")),
    reach: (page) => heading(page, "This release has no downloads"),
    allowed: failed,
  },
  {
    name: "downloads-not-ready",
    path: () => "/downloads",
    prepare: (page) => page.route(allCalls, fail("not_ready")),
    reach: (page) => heading(page, "The first release is being made"),
    allowed: failed,
  },
  staticCopy("downloads", () => "/downloads"),
];

export const states: readonly State[] = [...ofSearch, ...ofOrganizations, ...ofService];
