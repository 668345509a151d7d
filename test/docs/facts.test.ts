// Tests that facts in several documents are the same everywhere.
import { describe, expect, it } from "vitest";
import * as limits from "../../api-static/contract/limits.ts";
import { readServerSettings } from "../../api-static/server/settings.ts";
import { grantTypes } from "../../pipeline/irs/return.ts";
import { documents, findSection, readDocument } from "./markdown.fixture.ts";

describe("the types of grants", () => {
  const types: readonly string[] = Object.values(grantTypes);

  it("are those that docs/irs.md lists", () => {
    const rows = findSection(readDocument("docs/irs.md"), "Grants in a return").split("\n");
    const listed = rows.map((row) => /^\|[^|]*\| `([^`]+)` \|/.exec(row)?.[1]).slice(3);
    expect(listed.filter(Boolean)).toEqual(types);
  });

  it("are those of every grant that a document shows", () => {
    const shown = documents.flatMap((path) => [...readDocument(path).matchAll(/"type":"([^"]*)"/g)]);
    expect(shown.length).toBeGreaterThan(5);
    for (const [, type] of shown) expect(types).toContain(type);
  });
});

it("the limits of docs/get-started.md are those of the code", () => {
  const { clients, searches, exports } = readServerSettings({});
  const rows = findSection(readDocument("docs/get-started.md"), "Limits")
    .split("\n")
    .filter((line) => /\d/.test(line) && line.startsWith("|"));
  const shown = rows.map((row) =>
    (row.split("|")[2] ?? "").match(/\d[\d,]*/g)?.map((text) => Number(text.replaceAll(",", ""))),
  );
  expect(shown).toEqual([
    [limits.pageSizeDefault, limits.pageSizeMax],
    [limits.offsetMax, limits.offsetByAmountMax],
    [limits.groupsMax, limits.exportedGroupsMax],
    [limits.organizationsDefault, limits.organizationsMax],
    [limits.einsMax],
    [limits.textLengthMax],
    [limits.urlLengthMax],
    [clients.searchesPerMinute, 1_200],
    [searches.seconds],
    [exports.running],
  ]);
  const served = [
    "compose.yaml",
    "deploy/systemd/grants-server.service",
    "deploy/kubernetes/deployment.yaml",
  ];
  for (const path of served) expect(readDocument(path), path).toMatch(/SEARCH_RATE\W+(value: )?"?1200\b/);
});
