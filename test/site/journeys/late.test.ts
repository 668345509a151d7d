// Holds back each answer of a page in turn, as a busy server or a slow network does, and checks that nothing moves when it arrives.
import pLimit from "p-limit";
import type { Page, Request } from "playwright-core";
import { describe, expect, it } from "vitest";
import { isRealTested, realWarehouse } from "../../realWarehouse.ts";
import { hasChromium, type Site, useSite, type Visit, widths } from "../browser.fixture.ts";
import { setFilter } from "../fields.fixture.ts";
import { openStates } from "../states.ts";

/** Milliseconds that an answer is held back: longer than a search waits for names, 1.5 s, which is the longest wait of a page. */
const heldFor = 2_000;

/** Milliseconds that an answer to a change is held back: browsers blame the reader's key for what moves in the first 500. */
const heldAfterKey = 900;

/** Visits at once: more would wait for the server and the browser. */
const inTurn = pLimit(3);

/** A call as the page makes it, e.g., "/v1/history?purpose=food"; undefined for other requests. */
function callOf(request: Request): string | undefined {
  const { pathname, search } = new URL(request.url());
  return /^(\/r\/\w+)?\/v1\//.test(pathname) ? pathname + search : undefined;
}

const hold = (page: Page, isHeld: (call: string) => boolean, milliseconds: number) =>
  page.route(
    ({ pathname, search }) => isHeld(pathname + search),
    async (route) => {
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
      await route.continue();
    },
  );

/** Waits until the page shows the answers to its calls. */
const settle = (page: Page) =>
  page.waitForFunction(() => document.querySelector("[aria-busy=true], .is-old") === null);

const allowed = /status of 404/;

const wide = [widths.desktop];
const both = [widths.desktop, widths.phone];

/** The calls that a page makes. */
async function listCalls(site: Site, path: string, width: number): Promise<readonly string[]> {
  const calls = new Set<string>();
  const follow = (request: Request) => {
    const call = callOf(request);
    if (call !== undefined) calls.add(call);
  };
  const prepare = async (page: Page) => page.on("request", follow);
  const { page } = await site.visit(path, { width, allowed, prepare });
  await expect.poll(() => calls.size).toBeGreaterThan(1);
  await settle(page);
  await page.context().close();
  return [...calls];
}

/** What a visit ended with: nothing, or why it was not clean. */
async function end({ page, expectClean }: Visit, late: string): Promise<string[]> {
  const complaints = await expectClean().then(
    () => [],
    (error: Error & { actual?: unknown }) => [
      `with ${late} late: ${error.message} ${JSON.stringify(error.actual)}`,
    ],
  );
  await page.context().close();
  return complaints;
}

/** The complaints of visits of a page, each with other answers held back. */
async function visitLate(site: Site, path: string, width: number): Promise<string[]> {
  const calls = await listCalls(site, path, width);
  const visits = calls.map((held) =>
    inTurn(async () => {
      const prepare = (page: Page) => hold(page, (call) => call === held, heldFor);
      return end(await site.visit(path, { width, allowed, prepare }), held);
    }),
  );
  return (await Promise.all(visits)).flat();
}

describe.runIf(hasChromium)("an answer that comes late moves nothing on", { timeout: 120_000 }, () => {
  const site = useSite({ sampleRows: 20_000 });
  const keyOf = async (by: "funder" | "recipient", index = 0) => {
    const answer = await site().served.ask(`/v1/history/groups?by=${by}&purpose=education`);
    return String((await answer.json()).data[index][`${by}_ein`]);
  };
  const compareFour = async () => {
    const eins = await Promise.all([0, 1, 2, 3].map((index) => keyOf("funder", index)));
    return `/compare?${eins.map((ein) => `ein=${ein}`).join("&")}`;
  };
  const pages: readonly (readonly [name: string, path: () => Promise<string>, widths: readonly number[]])[] =
    [
      ["the home page", async () => "/", both],
      ["a search", async () => "/?purpose=education", wide],
      [
        "a funder, filtered",
        async () => `/funder?ein=${await keyOf("funder")}&purpose=education&min_year=2020`,
        both,
      ],
      ["a recipient", async () => `/recipient?ein=${await keyOf("recipient")}`, wide],
      ["a comparison of four", compareFour, both],
      ["all funders", async () => "/groups?by=funder&purpose=education", wide],
    ];
  const cases = pages.flatMap(([name, path, all]) => all.map((width) => ({ name, path, width })));
  it.for(cases)("$name, $width px", async ({ path, width }) => {
    expect(await visitLate(site(), await path(), width)).toStrictEqual([]);
  });

  const lists = { rows: /\/v1\/history\?/, totals: /\/history\/summary\?/ };
  const changes = Object.entries(lists).flatMap(([late, held]) => [
    { late, held, name: "a funder", path: async () => `/funder?ein=${await keyOf("funder")}` },
    { late, held, name: "a search", path: async () => "/?purpose=education" },
  ]);
  it.for(changes)("$name whose filters change, with the $late late", async ({ late, held, path }) => {
    const prepare = (page: Page) => hold(page, (call) => held.test(call), heldAfterKey);
    const visit = await site().visit(await path(), { prepare });
    const { page } = visit;
    const filters = {
      recipient_name: "school",
      min_year: "2018",
      max_year: "2020",
      max_amount: "50,000",
      sort: "amount",
    };
    for (const [name, value] of Object.entries(filters)) {
      if ((await page.locator(`#filter-${name}`).count()) === 0) continue; // the search has no field of the recipient's name
      const isSummed = name !== "sort"; // the order makes no difference to totals
      const answered = late === "rows" || isSummed ? page.waitForResponse(held) : undefined;
      await setFilter(page, name, value);
      await answered;
      await settle(page);
    }
    expect(await end(visit, late)).toStrictEqual([]);
  });

  it.for(both)("the states that a reader asks for, %i px", async (width) => {
    const prepare = (page: Page) => hold(page, (call) => /\/history\/groups\?/.test(call), heldAfterKey);
    const visit = await site().visit("/?purpose=education", { width, prepare });
    await openStates(visit.page);
    expect(await end(visit, "the states")).toStrictEqual([]);
  });
});

describe.runIf(hasChromium && isRealTested("late answers"))(
  "a late answer about real filings moves nothing on",
  { timeout: 120_000 },
  () => {
    const site = useSite({ warehouse: realWarehouse });
    it.for(["/funder?ein=200253310&purpose=food", "/recipient?ein=951642394"])("%s", async (path) => {
      expect(await visitLate(site(), path, widths.desktop)).toStrictEqual([]);
    });
  },
);
