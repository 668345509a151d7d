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
    ["compose.yaml", /image: grants:(\S+)/],
    ["deploy/kubernetes/kustomization.yaml", /newTag: (\S+)/],
    ["docs/kubernetes.md", /grants:(\d\S*)/],
    ["CHANGELOG.md", /^## (\d\S*)/m],
  ])("is named by %s", (path, pattern) => {
    expect(pattern.exec(readDocument(path))?.[1]).toBe(version);
  });

  it("is in the footer of the built site", () => {
    expect(existsSync(site), "run make site").toBe(true);
    expect(readFileSync(site, "utf8")).toContain(`Version ${version}<`);
  });
});
