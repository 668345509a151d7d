// Tests the site's files for agents: llms.txt in the format of llmstxt.org, and the API guide as Markdown.
import { describe, expect, it } from "vitest";
import { changesFolder } from "../../../api-static/contract/answers/changes.ts";
import { parseDownloadKey } from "../../../api-static/contract/answers/downloads.ts";
import { paths } from "../../../api-static/contract/request.ts";
import { formatApiDocument, siteOpening } from "../../../site/plugins/apiDocument.ts";
import { makeGuide } from "../../../site/plugins/guide.ts";
import { useRelease } from "../../api-static/server/release.fixture.ts";

const served = useRelease({ sampleRows: 1_000 });

/** The paths that a text links to. */
const linksOf = (text: string) => [...text.matchAll(/\]\((\/[^)]*)\)/g)].map(([, path = ""]) => path);

/** True for a path that not every release has, or that takes only POST. */
const isNamed = (path: string) =>
  path === paths.callTools ||
  path === `/${changesFolder}/index.json` ||
  parseDownloadKey(path.slice(1)) !== undefined;

describe("/llms.txt", () => {
  it("has a title, a summary, and sections of links", async () => {
    const text = await served().askText("/llms.txt");
    const [title, summary, notes, ...sections] = text.split("\n\n");
    expect(title).toMatch(/^# .+$/);
    expect(summary).toMatch(/^> .+$/);
    expect(notes).toMatch(/^(?:- .+\n?)+$/);
    for (const section of sections) expect(section).toMatch(/^## .+$|^(?:- \[.+\]\(\/[^)]*\): .+\n?)+$/);
    expect(linksOf(text)).toContain("/api.md");
  });
});

it("every link of /llms.txt and /api.md leads somewhere", async () => {
  for (const page of ["/llms.txt", "/api.md"])
    for (const path of linksOf(await served().askText(page)).filter((path) => !isNamed(path)))
      expect((await served().ask(path)).status, path).toBe(200);
});

it("/api.md is the guide as Markdown", async () => {
  const response = await served().ask("/api.md");
  expect(response.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
  expect(await response.text()).toBe(formatApiDocument(makeGuide(), siteOpening));
});
