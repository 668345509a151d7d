// Opens the site in Chromium as a reader does, and watches for events that no page may cause.
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { type ReleaseSource, type Served, useRelease } from "../api-static/server/release.fixture.ts";
import { readPort, type ServerProcess, startServer } from "../api-static/server/socket.fixture.ts";
import { findProgram, firstInstalled, isFontInstalled, isInstalled } from "../programs.ts";

/** Debian's Chromium. Without its windows, a page takes a third of the processor time: that is a package of its own. */
const program = firstInstalled("chromium-headless-shell", "chromium");

/** Whether Chromium is installed; prints which tests are skipped if it is not. */
export const hasChromium = isInstalled(program, "the site in a browser");

/** A font that stands in for the site's own until those arrive, with the same metrics: without one, pages move then. */
const hasFallback = hasChromium && isFontInstalled(["Arial", "Liberation Sans"], "the layout shift of pages");

/** The widths that the site is designed for, in px. */
export const widths = { desktop: 1280, phone: 390, narrow: 320 } as const;

export type Scheme = "light" | "dark";

export type VisitOptions = {
  readonly width?: number;
  readonly scheme?: Scheme;
  readonly context?: BrowserContextOptions;
  /** Messages of the console that belong to the journey, e.g., of a response that is a 404. */
  readonly allowed?: RegExp;
  /** Why elements may move without the reader's doing. */
  readonly moves?: string;
  /** Prepares the page before the address is opened, e.g., to delay answers. */
  readonly prepare?: (page: Page) => Promise<unknown>;
};

export type Visit = {
  readonly page: Page;
  /** Fails if the console has errors, a policy was violated, another host was requested, an id is repeated, or the layout shifted. */
  readonly expectClean: () => Promise<void>;
};

export type Site = {
  readonly served: Served;
  readonly origin: string;
  /** Opens an address in a new window and waits until nothing is loading and, unless the page was prepared, its totals are there. */
  readonly visit: (path: string, options?: VisitOptions) => Promise<Visit>;
};

/**
 * The largest cumulative layout shift that https://web.dev/articles/cls counts as good. If nothing else moves, fonts that arrive after the
 * text was shown move a page by up to 0.064, which they do on a busy machine.
 */
const shiftMax = 0.1;

/** A frame in which something moved although the reader had done nothing for 500 ms. */
type Shift = {
  /** Milliseconds since the document began. */
  readonly at: number;
  readonly value: number;
  /** What moved, from where to where, e.g., "section.totals y 120→180 h 40→40". */
  readonly moved: readonly string[];
};

/** Serves the site by the real server with a new release, and opens it in Chromium. Use it only if `hasChromium`. */
export function useSite(source: ReleaseSource, settings: Record<string, string> = {}): () => Site {
  const served = useRelease(source);
  let server: ServerProcess;
  let browser: Browser;
  let origin = "";
  beforeAll(async () => {
    // Other tests may run beside it.
    server = startServer({ DATA: served().data, PORT: "0", SEARCH_SECONDS: "30", ...settings });
    browser = await chromium.launch({ executablePath: findProgram(program), args: ["--no-sandbox"] });
    origin = `http://127.0.0.1:${await readPort(server)}`;
  });
  afterAll(async () => {
    await browser?.close();
    server?.child.kill();
    await server?.ended;
  });
  return () => ({
    served: served(),
    origin,
    visit: (path, options) => visit(browser, new URL(path, origin), options),
  });
}

async function visit(browser: Browser, url: URL, options: VisitOptions = {}): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width: options.width ?? widths.desktop, height: 900 },
    colorScheme: options.scheme ?? "light",
    locale: "en-US",
    ...options.context,
  });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const page = await context.newPage();
  const complaints: string[] = [];
  const complain = (text: string) => options.allowed?.test(text) || complaints.push(text);
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complain(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => complain(`script: ${error.message}`));
  page.on("request", (request) => {
    const { protocol, host } = new URL(request.url());
    if (protocol !== "blob:" && host !== url.host) complain(`another host: ${request.url()}`);
  });
  await page.addInitScript(watchPage);
  await options.prepare?.(page);
  await page.goto(url.href);
  await page.waitForLoadState("networkidle");
  // On a busy machine, the network may be idle before the script has run, totals are asked for, or their answer is shown.
  await page.waitForSelector("h1", { state: "attached" });
  const waiting = ".summary-skeleton, .totals[aria-busy=true], .totals-sentence[aria-busy=true]";
  if (options.prepare === undefined)
    await page.waitForFunction((selector) => document.querySelector(selector) === null, waiting);
  const expectClean = async () => {
    const { shifts, violations } = await page.evaluate(() => watched);
    const ids = await page.locator("[id]").evaluateAll((elements) => elements.map(({ id }) => id));
    const repeated = ids.filter((id, index) => ids.indexOf(id) !== index);
    expect({ complaints, violations, repeated }, url.href).toStrictEqual({
      complaints: [],
      violations: [],
      repeated: [],
    });
    if (!hasFallback || options.moves !== undefined) return;
    const listed = shifts.map(
      ({ at, value, moved }) => `${Math.round(at)} ms: ${value.toFixed(4)} ${moved.join(", ")}`,
    );
    expect(sumOfWorst(shifts), `layout shift of ${page.url()}:\n${listed.join("\n")}\n`).toBeLessThanOrEqual(
      shiftMax,
    );
  };
  return { page, expectClean };
}

/**
 * The cumulative layout shift: the largest sum of a session window, whose shifts follow each other in less than a second, and which lasts at
 * most five (https://web.dev/articles/cls#what-is-cls).
 */
function sumOfWorst(shifts: readonly Shift[]): number {
  let [worst, sum, first, last] = [0, 0, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { at, value } of shifts) {
    const isNew = at - last >= 1_000 || at - first >= 5_000;
    [sum, first, last] = isNew ? [value, at, at] : [sum + value, first, at];
    worst = Math.max(worst, sum);
  }
  return worst;
}

/** Opens the calls behind a page. Returns their text. */
export async function callsOf(page: Page): Promise<string | null> {
  await page.locator(".call-bar summary").click();
  return page.locator(".call-lines").textContent();
}

/** The page's width and the elements that reach beyond the window, if the page scrolls sideways. */
export function findTooWide(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    const isTooWide = (element: Element) => element.getBoundingClientRect().right > clientWidth;
    const elements = [...document.querySelectorAll("body *")].filter(isTooWide);
    return [
      `${scrollWidth} px`,
      ...elements.map(
        (element) =>
          `${element.tagName}.${element.getAttribute("class")} ${element.textContent?.slice(0, 40)}`,
      ),
    ];
  });
}

declare const watched: { shifts: Shift[]; violations: string[] };

/** Runs in the page, before its scripts. */
function watchPage(): void {
  const seen: typeof watched = { shifts: [], violations: [] };
  Object.assign(globalThis, { watched: seen });
  addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
    seen.violations.push(`${violatedDirective} ${blockedURI}`),
  );
  type Source = { node?: Node; previousRect: DOMRectReadOnly; currentRect: DOMRectReadOnly };
  type Entry = PerformanceEntry & { value: number; hadRecentInput: boolean; sources: Source[] };
  const describe = ({ node, previousRect: from, currentRect: to }: Source) => {
    const element = node instanceof Element ? node : node?.parentElement;
    const name = [element?.localName, ...(element?.classList ?? [])].join(".");
    return `${name} y ${from.y}→${to.y} h ${from.height}→${to.height}`;
  };
  new PerformanceObserver((list) => {
    for (const { startTime: at, value, hadRecentInput, sources } of list.getEntries() as Entry[])
      if (!hadRecentInput) seen.shifts.push({ at, value, moved: sources.map(describe) });
  }).observe({ type: "layout-shift", buffered: true });
}
