// Tests the titles and descriptions of pages for the previews of links.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { groupKeys } from "../../../../api-static/contract/filters.ts";
import { describePage, writeTags } from "../../../../api-static/server/answers/pageTags.ts";
import { filterSamples } from "../../filterSamples.ts";
import { createTestApp, useRelease } from "../release.fixture.ts";

const served = useRelease({ sampleRows: 0 });
const facts = {
  nameOf: (ein: string) => (ein === "131684331" ? 'FORD & "SONS" <FUND>' : undefined),
  countOf: (ein: string) => (ein === "131684331" ? 1_723 : undefined),
};
const titleOf = (path: string, search: string) => describePage(path, search, facts)?.title;

describe("the title of a page", () => {
  it("names the funder, its grants, and its filters", () => {
    expect(titleOf("/funder", "?ein=13-1684331")).toBe('FORD & "SONS" <FUND>: 1,723 grants made');
    expect(titleOf("/funder", "?ein=131684331&purpose=food&transaction_year=2018&utm_source=x")).toBe(
      'FORD & "SONS" <FUND>: grants made for “food” in 2018',
    );
    expect(titleOf("/funder", "?ein=999999999")).toBe("EIN 99-9999999: grants made");
    expect(titleOf("/recipient", "?ein=999999999")).toBe("EIN 99-9999999: grants received");
    expect(titleOf("/compare", "?ein=999999999&ein=131684331")).toMatch(/^EIN 99-9999999, FORD/);
  });

  it("says what a search is about", () => {
    const search =
      "?purpose=food+bank&funder_ein=999999999&recipient_name=church&min_amount=10000&transaction_year=2018";
    expect(titleOf("/", search)).toBe(
      "Grants of $10,000 or more for “food bank” from EIN 99-9999999 to recipients named “church” in 2018",
    );
  });

  it("says ranges, types and lists of EINs", () => {
    expect(titleOf("/", "?min_year=2018&max_amount=5000&type=990-PF")).toBe(
      "Grants of $5,000 or less of type “990-PF” since 2018",
    );
    expect(titleOf("/", "?max_amount=999999999999999.99")).toBe("Grants of $999,999,999,999,999.99 or less");
    const ranges = "min_year=2018&max_year=2020&min_amount=1000&max_amount=5000";
    expect(titleOf("/", `?${ranges}&recipient_ein=999999999,131684331`)).toBe(
      "Grants of $1,000 to $5,000 to any of 2 recipients in 2018–2020",
    );
  });

  it("names the groups of a search", () => {
    expect(titleOf("/groups", "?by=recipient&purpose=food")).toBe("Recipients of grants for “food”");
    expect(titleOf("/groups", "?by=year")).toBe("Years of all grants");
    expect(titleOf("/groups", "?by=funder_state")).toBe("Funder states of all grants");
    const titles = groupKeys.map((by) => titleOf("/groups", `?by=${by}`));
    expect(new Set(titles).size).toBe(groupKeys.length);
    expect(titles.join()).not.toContain("_");
  });

  it.each(filterSamples)("has the value of %s, on each page that has the filter", (name, first, second) => {
    const isOfFunder = !["funder_ein", "funder_state", "recipient_ein"].includes(name);
    const pages = ["/?", "/groups?", "/groups?by=year&", isOfFunder ? "/funder?ein=131684331&" : "/?"];
    for (const page of pages) {
      const [path = "", fixed = ""] = page.split("?");
      const titles = [{}, first, second].map((query) =>
        titleOf(path, `?${fixed}${new URLSearchParams(query)}`),
      );
      expect(new Set(titles).size, titles.join("|")).toBe(3);
    }
  });

  it("has the filters of a recipient and of a comparison, and no filter that the page ignores", () => {
    expect(titleOf("/recipient", "?ein=999999999&matched=include&purpose=x")).toBe(
      "EIN 99-9999999: grants received, with likely ones",
    );
    expect(titleOf("/compare", "?ein=131684331&transaction_year=2018&type=x")).toMatch(/compared in 2018$/);
    expect(titleOf("/funder", "?ein=999999999&funder_state=NY")).toBe("EIN 99-9999999: grants made");
  });

  it("is that of the file if no parameter describes the page", () => {
    for (const [path, search] of [
      ["/", ""],
      ["/", "?utm_source=x&limit=5&purpos=food&matched=only"],
      ["/groups", "?offset=0"],
      ["/", "?purpose=%FF&min_amount=x&transaction_year=18&funder_ein=1"],
      ["/funder", "?ein=1"],
      ["/docs", "?purpose=food"],
    ] as const)
      expect(describePage(path, search, facts), search).toBeUndefined();
  });
});

describe("the HTML of a page", () => {
  const read = async (path: string, siteUrl = "") => {
    const app = createTestApp(served().release, undefined, { siteUrl });
    const answer = await app.request(path);
    return { answer, html: await answer.text() };
  };

  it("has the title of its address, and an ETag of its own", async () => {
    const { big } = served().facts;
    const [plain, funder] = [await read("/funder"), await read(`/funder?ein=${big.ein}`)];
    const [, title = ""] = /<title>([^<]*)<\/title>/.exec(funder.html) ?? [];
    expect(title).toMatch(/: [\d,]+ grants made – Grant History$/);
    expect(funder.html).toContain(`property="og:title" content="${title.replace(" – Grant History", "")}"`);
    expect(funder.answer.headers.get("ETag")).not.toBe(plain.answer.headers.get("ETag"));
    const again = await served().ask(`/funder?ein=${big.ein}`, {
      "If-None-Match": String(funder.answer.headers.get("ETag")),
    });
    expect(again.status).toBe(304);
  });

  it("names the whole URL of the picture if the site's is set", async () => {
    expect((await read("/", "https://grants.example.org")).html).toContain(
      'property="og:image" content="https://grants.example.org/picture.png"',
    );
    const picture = await served().ask("/picture.png");
    expect([picture.status, picture.headers.get("Content-Type")]).toEqual([200, "image/png"]);
    const png = Buffer.from(await picture.arrayBuffer());
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1200, 630]);
  });

  it("holds text of the address only as text", async () => {
    const { html: page } = await read("/");
    const countTags = (html: string) => html.match(/<[a-z!/]/gi)?.length;
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom("</title><script>", '"><b x="', "$&$1$'"),
    );
    fc.assert(
      fc.property(text, (title) => {
        const html = writeTags(page, { title, description: title }, "");
        expect(countTags(html)).toBe(countTags(page));
        expect(html.match(/"/g)?.length).toBe(page.match(/"/g)?.length);
      }),
      { numRuns: 25 },
    );
  });
});
