// Tests that the examples of the OpenAPI document are the answers of a server that has the grants of the examples.
import { describe, expect, it } from "vitest";
import { openapi } from "../../../api-static/openapi/document.ts";
import { exampleLines } from "../../../api-static/openapi/examples.ts";
import { makeGuide } from "../../../site/plugins/guide.ts";
import { readAtom, readJsonFeed } from "../readFeed.ts";
import type { CornerGrant } from "../server/corners.ts";
import { useRelease } from "../server/release.fixture.ts";

const grants = exampleLines.map((line): CornerGrant => {
  const textOf = (field: string) => new RegExp(`"${field}":([\\d.]+)`).exec(line)?.[1] ?? null;
  return {
    ...JSON.parse(line),
    ...{ amount: String(textOf("amount")), non_cash_amount: textOf("non_cash_amount") },
  };
});

type Operation = {
  operationId: string;
  responses: { 200: { content: Record<string, { example: unknown }> } };
};

const operations = Object.entries(openapi.paths).flatMap(([path, { get }]) =>
  path.startsWith("/r/") || get === undefined ? [] : [get as unknown as Operation],
);
const exampleOf = (id: string) =>
  Object.values(operations.find(({ operationId }) => operationId === id)?.responses[200].content ?? {})[0]
    ?.example;
const requests = makeGuide().sections.flatMap((section) =>
  section.operations.map(({ id, request }) => [id, request] as const),
);

/** What a release of six grants lacks: a list of names, sources, rules of likely recipients, and a release before it. */
const withoutAnswer =
  /^(?:follow|find|list(?:RecipientGrants|Names)|exportRecipient|readO|readS|readR|reconcile)/;

describe("the examples of the document", () => {
  const served = useRelease({ name: "examples", grants });

  it.each(requests.filter(([id]) => !withoutAnswer.test(id)))("are the answer of %s", async (id, request) => {
    const text = await served().askText(request);
    const example = exampleOf(id);
    if (typeof example === "string") return expect(text).toBe(example);
    const { source: _, ...body } = example as { source?: unknown; data: { matched?: object } };
    if (id === "summarizeRecipient") body.data = { ...body.data, matched: JSON.parse(text).data.matched };
    expect({ ...JSON.parse(text), source: undefined }).toEqual({ ...body, source: undefined });
  });

  it("have the filed and the likely grants of one recipient", () => {
    const { data, matches } = exampleOf("listRecipientGrants") as {
      data: { id: number }[];
      matches: { id: number; match_rule: string }[];
    };
    const { records, matched } = (
      exampleOf("summarizeRecipient") as {
        data: { records: number; matched: { records: number; rules: object[] } };
      }
    ).data;
    expect(data).toHaveLength(records + matched.records);
    expect(data.map(({ id }) => id)).toEqual(expect.arrayContaining(matches.map(({ id }) => id)));
    expect(matched.rules).toEqual([{ match_rule: matches[0]?.match_rule, records: matches.length }]);
    expect(String(exampleOf("exportRecipientGrants")).trim().split("\n")).toHaveLength(data.length + 1);
  });

  it("have a feed for each operation, with the grants that it asks for", () => {
    const [search, funder] = ["followGrants", "followFunder"].map((id) => {
      const { updated: _, ...atom } = readAtom(String(exampleOf(id)));
      const json = readJsonFeed(JSON.stringify(exampleOf(`${id}Json`)));
      expect(json).toEqual({ ...atom, url: atom.url.replace(".atom", ".feed.json") });
      expect(atom.url).toContain(requests.find(([of]) => of === id)?.[1] ?? "no request");
      return atom;
    });
    expect(search?.entries).toHaveLength(exampleLines.length);
    expect(search?.entries).toEqual(expect.arrayContaining(funder?.entries ?? []));
    expect(funder?.entries.every(({ page }) => page === funder.page)).toBe(true);
  });
});
