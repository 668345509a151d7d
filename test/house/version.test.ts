// Tests that every place that names the version names that of package.json.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openapi } from "../../api-static/openapi/document.ts";
import packageFile from "../../package.json" with { type: "json" };
import { readDocument, repository } from "../docs/markdown.fixture.ts";

const { version } = packageFile;
const site = join(repository, "site/dist/index.html");

describe("the version", () => {
  it("is that of the OpenAPI document", () => {
    expect(openapi.info.version).toBe(version);
  });

  it.each([
    ["compose.yaml", /image: grants:(\S+)/g],
    ["deploy/kubernetes/kustomization.yaml", /newTag: (\S+)/g],
    ["docs/kubernetes.md", /grants:(\d\S*)/g],
  ])("is the only one that %s names", (path, pattern) => {
    const named = [...readDocument(path).matchAll(pattern)].map(([, one]) => one);
    expect([...new Set(named)]).toStrictEqual([version]);
  });

  it("is the first in CHANGELOG.md", () => {
    expect(/^## (\d\S*)/m.exec(readDocument("CHANGELOG.md"))?.[1]).toBe(version);
  });

  it("is in the footer of the built site", () => {
    expect(existsSync(site), "run make site").toBe(true);
    expect(readFileSync(site, "utf8")).toContain(`Version ${version}<`);
  });
});
