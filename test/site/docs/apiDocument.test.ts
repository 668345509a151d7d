// Tests that docs/api.md has the text of the guide, and that the page files it names exist.
import { join } from "node:path";
import { expect, it } from "vitest";
import { parsePageKey, parseTotalsKey } from "../../../api-static/contract/operations/searches.ts";
import { parseNamesKey } from "../../../api-static/contract/text/names.ts";
import { formatApiDocument } from "../../../site/plugins/apiDocument.ts";
import { makeGuide } from "../../../site/plugins/guide.ts";
import { rules } from "../../../site/src/docs/rules.ts";
import { repository } from "../../docs/markdown.fixture.ts";

it("docs/api.md is current; `-u` writes it", async () => {
  await expect(formatApiDocument(makeGuide())).toMatchFileSnapshot(join(repository, "docs/api.md"));
});

it("page files have the names that the guide gives", () => {
  const files = rules.find(({ title }) => title === "Page files")?.items ?? [];
  expect(files.length).toBeGreaterThan(3);
  for (const { name } of files) {
    const key = name.slice(1);
    expect(parsePageKey(key) ?? parseTotalsKey(key) ?? parseNamesKey(key), name).toBeDefined();
  }
});
