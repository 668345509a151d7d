// Defines the two tools that ChatGPT's connectors know, over the others: `search` finds documents, `fetch` reads one.
// Source: https://platform.openai.com/docs/mcp

import type { GrantRecord } from "../../contract/answers/record.ts";
import { hyphenateEin } from "../../contract/ein.ts";
import { malformed } from "../../contract/errors.ts";
import { textLengthMax } from "../../contract/limits.ts";
import type { ListedOrganization } from "../../contract/operations/organizations.ts";
import { paths } from "../../contract/request.ts";
import { parseText } from "../../contract/text/text.ts";
import { readBy } from "../../contract/values.ts";
import type { Asker } from "./ask.ts";
import { searchGrants } from "./dataTools.ts";
import { findOrganizations, getOrganization } from "./organizationTools.ts";
import { exactly, type Tool } from "./tool.ts";

const [text, link] = [{ type: "string" }, { type: "string", format: "uri" }] as const;

export const search: Tool = {
  name: "search",
  title: "Search organizations and grants",
  description:
    "Use this when only documents can be read: it finds organizations by name and grants by purpose, for fetch. The other tools answer more.",
  accepted: {
    query: {
      description: "Words of an organization's name, or of a grant's purpose.",
      schema: { ...text, minLength: 1, maxLength: textLengthMax },
      read: readBy(parseText, "query", "name"),
    },
  },
  required: ["query"],
  output: exactly({ results: { type: "array", items: exactly({ id: text, title: text, url: link }) } }),
  call: async (given, asker) => {
    const query = String(given.get("query"));
    const [organizations, grants] = await Promise.all([
      findOrganizations.call(new Map(Object.entries({ name: query, limit: "10" })), asker),
      searchGrants.call(
        new Map(Object.entries({ purpose: query, match: "words", sort: "amount", limit: "10" })),
        asker,
      ),
    ]);
    const listed = organizations.content.data as readonly ListedOrganization[];
    const records = grants.content.data as readonly GrantRecord[];
    const results = [
      ...listed.map(({ ein, name, given }) => describeOrganization(asker, ein, name, given.records > 0)),
      ...records.map((record) => describeGrant(asker, record)),
    ];
    return { content: { results } };
  },
};

export const fetch: Tool = {
  name: "fetch",
  title: "Fetch an organization or a grant",
  description: "Use this when search has found a document: all about the organization or the grant, as JSON.",
  accepted: {
    id: {
      description: "`organization:` with an EIN, or `grant:` with an id, as search lists them.",
      schema: text,
      read: (value) =>
        /^(?:organization:\d{9}|grant:-?\d+)$/.test(value)
          ? undefined
          : malformed("id must be organization: with an EIN, or grant: with an id", value),
    },
  },
  required: ["id"],
  output: exactly({ id: text, title: text, text, url: link, metadata: { type: "object" } }),
  call: async (given, asker) => {
    const [kind, key = ""] = String(given.get("id")).split(":");
    const metadata = { release: asker.release };
    if (kind === "grant") {
      const { success, ...body } = await asker.ask(paths.readGrant.replace("{id}", key));
      return {
        content: { ...describeGrant(asker, body.data as GrantRecord), text: JSON.stringify(body), metadata },
      };
    }
    const { content } = await getOrganization.call(new Map([["ein", key]]), asker);
    const { name = null } = (content.organization ?? {}) as { name?: string };
    const described = describeOrganization(asker, key, name, content.as_funder !== null);
    return { content: { ...described, text: JSON.stringify(content), metadata } };
  },
};

/** Documents are linked in the current release: a citation outlives the releases that are kept. */
function describeOrganization(asker: Asker, ein: string, name: string | null, isFunder: boolean) {
  const url = asker.href(isFunder ? "/funder" : "/recipient", new URLSearchParams({ ein }), false);
  return { id: `organization:${ein}`, title: name ?? `EIN ${hyphenateEin(ein)}`, url };
}

function describeGrant(asker: Asker, { id, recipient_name, transaction_year, amount }: GrantRecord) {
  const title = `${recipient_name ?? "Unnamed recipient"}, ${transaction_year}: $${Number(amount).toLocaleString("en-US")}`;
  return {
    id: `grant:${id}`,
    title,
    url: asker.href(paths.readGrant.replace("{id}", String(id)), undefined, false),
  };
}
