// Follows a funder, a recipient and a search: the link, by keyboard, and the feeds that the head names.
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { readAtom, readJsonFeed } from "../../api-static/readFeed.ts";
import { hasChromium, useSite } from "../browser.fixture.ts";

const name = "Follow new grants in a feed reader";

/** The addresses of the feeds in the page's head, by type. */
const headOf = (page: Page) =>
  page.evaluate(() =>
    Object.fromEntries(
      [...document.head.querySelectorAll<HTMLLinkElement>('link[rel="alternate"]')].map((link) => [
        link.type,
        link.getAttribute("href") ?? "",
      ]),
    ),
  );

describe.runIf(hasChromium)("the link to follow", () => {
  const site = useSite({ sampleRows: 5_000 });

  it.for(["funder", "filtered funder", "recipient", "search", "search by state"])(
    "(%s) leads to its feed",
    async (kind) => {
      const { big, recipientEin, purposeWord, state } = site().served.facts;
      const purpose = `purpose=${purposeWord.toLowerCase()}`;
      const [address = "", feed = ""] = {
        funder: [`/funder?ein=${big.ein}`, `/v1/funders/${big.ein}/history.atom`],
        "filtered funder": [
          `/funder?ein=${big.ein}&${purpose}&sort=amount`,
          `/v1/funders/${big.ein}/history.atom?${purpose}`,
        ],
        recipient: [`/recipient?ein=${recipientEin}`, `/v1/history.atom?recipient_ein=${recipientEin}`],
        search: [`/?${purpose}&offset=1`, `/v1/history.atom?${purpose}`],
        "search by state": [`/?funder_state=${state}`, `/v1/history.atom?funder_state=${state}`],
      }[kind] as string[];
      const { page, expectClean } = await site().visit(address, { allowed: /status of 404/ }); // a name that is not listed
      const link = page.getByRole("link", { name, exact: true });
      await link.waitFor();
      expect(await link.getAttribute("href")).toBe(feed);
      const head = await headOf(page);
      expect(head["application/atom+xml"]).toBe(feed);
      const json = feed.replace(".atom", ".feed.json");
      expect(head["application/feed+json"]).toBe(json);
      expect(readAtom(await site().served.askText(feed)).url).toBe(feed);
      expect(readJsonFeed(await site().served.askText(json)).url).toBe(json);
      await page.getByRole("link", { name: "CSV for Excel" }).focus();
      await page.keyboard.press("Tab");
      expect(await link.evaluate((element) => element === document.activeElement)).toBe(true);
      await expectClean();
    },
  );
});
