// Tests that facts in several documents are the same everywhere.
import { describe, expect, it } from "vitest";
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
