// Tests that readers find what they look for, with data that has gaps: no list of names, wrong EINs, no release, no server.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { formatCount } from "../../../site/src/text/numbers.ts";
import type { CornerGrant } from "../../api-static/server/corners.ts";
import { readPort, startServer } from "../../api-static/server/socket.fixture.ts";
import { allCalls, failed } from "../answers.fixture.ts";
import { callsOf, hasChromium, useSite, widths } from "../browser.fixture.ts";

const funder = "200253310";
const recipient = "951642394";
const mistyped = "911642394"; // one digit off

let lastId = 0;
const grant = (
  recipient_ein: string | null,
  recipient_name: string,
  amount: string,
  transaction_year = 2018,
): CornerGrant => ({
  id: ++lastId,
  funder_ein: funder,
  transaction_year,
  recipient_name,
  recipient_ein,
  type: null,
  amount,
  non_cash_amount: null,
  non_cash_description: null,
  purpose: "FOOD BANK",
  created_at: "2024-02-14T00:00:00Z",
});

const grants = [
  grant(recipient, "CALTECH", "5000.00"),
  grant(recipient, "CALTECH", "4000.00", 2017),
  grant(recipient, "California Institute of Technology", "3000.00", 2016),
  grant(mistyped, "CALIFORNIA INSTITUTE OF TECHNOLOGY", "803151.00"),
  grant(null, "California Institute of Technology", "10000.00"),
];

const main = (page: Page) => page.locator("main");

describe.runIf(hasChromium)("without a list of names", () => {
  const site = useSite({ name: "finding", grants });

  it("no field promises to find names", async () => {
    for (const path of ["/", "/?purpose=food", "/compare", "/status"]) {
      const { page } = await site().visit(path);
      const texts = await page
        .locator("input, label")
        .evaluateAll((fields) =>
          fields.map((field) => `${field.getAttribute("placeholder") ?? ""} ${field.textContent}`),
        );
      expect(texts.join("\n"), path).not.toMatch(/organization|name or EIN/i);
      await page.context().close();
    }
    const { page } = await site().visit("/?funder_ein=Ford");
    expect(await main(page).textContent()).not.toContain("the funders that the field lists");
  });

  it("unknown parameters change nothing, and repeated spaces are one", async () => {
    const home = await site().visit("/?msclkid=abc&utm_source=mail");
    expect(await home.page.locator("h1").textContent()).toBe("Who gave what to whom, and what for");
    await home.page.locator("#box").fill("food   bank ");
    await home.page.keyboard.press("Enter");
    await home.page.locator("#result", { hasText: "5 grants for “food” and “bank”" }).waitFor();
    const { page, expectClean } = await site().visit(`/funder?ein=${funder}&srsltid=feed&_hsenc=2`);
    await page.waitForSelector("table.grants");
    expect(await main(page).locator(".notice-error").count()).toBe(0);
    expect(await main(page).innerHTML()).not.toMatch(/srsltid|_hsenc/);
    await expectClean();
  });

  it("words are found in any order, and the page shows the call that finds them", async () => {
    const { page, expectClean } = await site().visit("/");
    await page.locator("#box").fill("bank food");
    await page.keyboard.press("Enter");
    await page.locator("#result", { hasText: "5 grants for “bank” and “food”" }).waitFor();
    expect(
      await page.locator("table.grants tbody tr").first().locator("mark").allTextContents(),
    ).toStrictEqual(["FOOD", "BANK"]);
    await expectClean();
    expect(await callsOf(page)).toContain("/v1/history?purpose=bank+food&match=words");
    const literal = await site().served.ask("/v1/history?purpose=bank+food");
    expect(await literal.json()).toMatchObject({ total: 0 });
  });

  it("a filtered funder's page begins with the filtered sum and count", async () => {
    const { page, expectClean } = await site().visit(`/funder?ein=${funder}&min_amount=10000`);
    const sentence = page.locator(".totals-sentence");
    await sentence
      .filter({ hasText: /^\$813,151 in 2 grants to \d recipients?: at least \$10,000\.$/ })
      .waitFor();
    expect(await page.locator(".lede").first().textContent()).toMatch(/^In all, gave \$825,151 in 5 grants/);
    await expectClean();
  });

  it("the status does not call old filings up to date, and announces no sync that is not scheduled", async () => {
    const { page } = await site().visit("/status");
    await page.getByText("Old filings").waitFor();
    const text = await page.locator("body").textContent();
    expect(text).toContain("The newest filing is from Feb 14, 2024");
    expect(text).not.toMatch(/next sync|up to date/i);
  });
});

describe.runIf(hasChromium)("with a list of names", () => {
  const site = useSite({ sampleRows: 1_000 }, { SYNC_SCHEDULED: "1" });
  /** The funder of a newest grant that the list names: handmade ones are not on it. */
  const findNamed = async () => {
    const { ask } = site().served;
    const { data } = (await (await ask("/v1/history?limit=100")).json()) as {
      data: { funder_ein: string }[];
    };
    for (const { funder_ein: ein } of data) {
      const answer = await ask(`/v1/organizations/${ein}`);
      if (answer.status === 200)
        return { ein, name: ((await answer.json()) as { data: { name: string } }).data.name };
    }
    throw new Error("no funder of the newest grants has a name");
  };

  it("a funder's whole name and Enter lead to the funder", async () => {
    const { ein, name } = await findNamed();
    const { page } = await site().visit("/");
    await page.locator("#box").fill(name.toLowerCase());
    await page.getByRole("option", { name: /gave .*Enter$/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.pathname === "/funder");
    expect(new URL(page.url()).search).toBe(`?ein=${ein}`);
  });

  it("Enter right after a pasted name leads to the funder too, before suggestions are shown", async () => {
    const { ein, name } = await findNamed();
    const { page } = await site().visit("/status");
    await page.keyboard.press("/");
    await page.keyboard.insertText(name);
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.pathname === "/funder");
    expect(new URL(page.url()).search).toBe(`?ein=${ein}`);
    await page.waitForFunction(
      (text) => document.activeElement?.tagName === "H1" && document.activeElement.textContent === text,
      name,
    );
  });

  it("a search that finds nothing offers the organization of that name, and explains only what was searched", async () => {
    const { ein, name } = await findNamed();
    const { page, expectClean } = await site().visit(
      `/?${new URLSearchParams({ recipient_name: name, transaction_year: "1990" })}`,
    );
    const near = page.getByRole("region", { name: "Did you mean an organization?" });
    await near.locator(`a[href="/funder?ein=${ein}"]`).waitFor();
    expect(await page.locator(".nothing-note").textContent()).toMatch(
      /^A recipient’s name is searched letter for letter/,
    );
    await expectClean();
    const year = await site().visit("/?transaction_year=1990");
    expect(await year.page.locator(".nothing-note").count()).toBe(0);
  });

  it("the masthead and the numbers of the home page lead to all funders and to the downloads", async () => {
    const { page, expectClean } = await site().visit("/");
    const { records, funders } = (await (await site().served.ask("/v1/status")).json()) as {
      records: number;
      funders: number;
    };
    await page.locator(".nav").getByRole("link", { name: "Downloads" }).click();
    await page.waitForURL((url) => url.pathname === "/downloads");
    await page.locator(".nav").getByRole("link", { name: "Funders" }).click();
    await page.locator("#result", { hasText: `${formatCount(funders)} funders of all grants` }).waitFor();
    const current = page.locator(".nav [aria-current]");
    expect(await current.textContent()).toBe("Funders");
    await page.getByRole("link", { name: "Years", exact: true }).click();
    await page.locator("#result", { hasText: "years of all grants" }).waitFor();
    expect(await current.count()).toBe(0);
    await page.getByRole("link", { name: "Search", exact: true }).click();
    await page
      .locator(".figures")
      .getByRole("link", { name: formatCount(funders), exact: true })
      .click();
    await page.waitForURL((url) => url.pathname + url.search === "/groups?by=funder");
    await page.goBack();
    await page
      .locator(".figures")
      .getByRole("link", { name: formatCount(records), exact: true })
      .click();
    await page.waitForURL((url) => url.pathname === "/downloads");
    await expectClean();
  });

  it("the next sync is announced where one is scheduled", async () => {
    const { page } = await site().visit("/status");
    expect(await page.locator("#release").textContent()).toMatch(/Next sync at 4:00\sAM UTC/);
  });

  it.each([
    ["page", "/status", ".nav"],
    ["tab", "/funder", ".tabs"],
  ])("the current %s stands out in forced colors", async (_, path, links) => {
    const { page } = await site().visit(
      `${path}${path === "/funder" ? `?ein=${site().served.facts.big.ein}` : ""}`,
    );
    await page.emulateMedia({ forcedColors: "active" });
    await page.locator(`${links} [aria-current]`).waitFor();
    const colors = await page
      .locator(`${links} :is(a, .tab)`)
      .evaluateAll((shown) =>
        shown.map((link) => [link.hasAttribute("aria-current"), getComputedStyle(link).borderBottomColor]),
      );
    const [highlight, canvas] = await page.evaluate(() =>
      ["Highlight", "Canvas"].map((color) => {
        document.body.style.borderBottomColor = color;
        return getComputedStyle(document.body).borderBottomColor;
      }),
    );
    expect(highlight).not.toBe(canvas);
    for (const [isCurrent, color] of colors) expect(color).toBe(isCurrent ? highlight : canvas);
    expect(colors.filter(([isCurrent]) => isCurrent)).toHaveLength(1);
  });

  it("a link skips to the first grant, past filters", async () => {
    const { page } = await site().visit("/?min_amount=1");
    await page.waitForSelector("table.grants");
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    const skip = page.getByRole("link", { name: "Skip to the first grant" });
    await skip.focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.closest("tr")?.rowIndex)).toBe(1);
    expect(new URL(page.url()).hash).toBe("");
  });
});

describe.runIf(hasChromium)("an address", () => {
  const site = useSite({ sampleRows: 1_000 });

  it("without a page is a page that leads on", async () => {
    for (const width of [widths.desktop, widths.narrow]) {
      const { page } = await site().visit("/no/such/page", { allowed: failed, width });
      expect(await page.locator("h1").textContent()).toBe("There is no page at this address");
      await page.getByRole("link", { name: "Search the grants" }).click();
      await page.waitForURL(`${site().origin}/`);
    }
  });

  it("of a server that stopped is not taken for a reader who is offline", async () => {
    const { page } = await site().visit("/?min_amount=1", {
      allowed: /ERR_CONNECTION_REFUSED/,
      prepare: async (opened) => {
        // A machine without a network, such as one for tests, would be offline.
        await opened.addInitScript(() => Object.defineProperty(navigator, "onLine", { get: () => true }));
        await opened.route(allCalls, (route) => route.abort("connectionrefused"));
      },
    });
    await page.getByRole("heading", { name: "The server doesn’t answer" }).first().waitFor();
    expect(await page.getByText("You’re offline").count()).toBe(0);
  });

  it("before the first release is a page of the site that waits for it", async () => {
    const data = await mkdtemp(join(tmpdir(), "early-"));
    const server = startServer({ DATA: data, PORT: "0" });
    try {
      const origin = `http://127.0.0.1:${await readPort(server)}`;
      for (const path of ["/?purpose=food", "/status"]) {
        const { page } = await site().visit(origin + path, { allowed: failed });
        await page.getByRole("heading", { name: "The first release is being made" }).first().waitFor();
        expect(await page.locator(".masthead").count()).toBe(1);
      }
    } finally {
      server.child.kill();
      await server.ended;
      await rm(data, { recursive: true, force: true });
    }
  });
});
