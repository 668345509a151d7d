// Defines the two tools that ChatGPT's connectors know: `search` finds documents, `fetch` reads one. Both ask the other tools.
// Source: https://platform.openai.com/docs/mcp
import { type Ein, hyphenateEin, parseEin } from "../../contract/ein.ts";
import { textLengthMax } from "../../contract/limits.ts";
import type { ListedOrganization } from "../../contract/organizations.ts";
import type { Parameter } from "../../contract/parameters.ts";
import type { GrantRecord } from "../../contract/record.ts";
import { routes } from "../../contract/routes.ts";
import { malformed, readText } from "../../contract/values.ts";
import type { Asker } from "./ask.ts";
import { getOrganization } from "./organizationTools.ts";
import { exactly } from "./outputs.ts";
import type { Tool } from "./tool.ts";

/** Documents of each kind that a search lists. */
const foundMax = 10;

const query: Parameter = {
  description: "Words of an organization's name, or of a grant's purpose.",
  schema: { type: "string", minLength: 1, maxLength: textLengthMax },
  read: readText("query", "name"),
};

const id: Parameter = {
  description: "`organization:` with an EIN, or `grant:` with an id, as search gives them.",
  schema: { type: "string", pattern: "^(organization:\\d{9}|grant:-?\\d{1,19})$" },
  read: (value) =>
    new RegExp(String(id.schema.pattern)).test(value)
      ? undefined
      : malformed("id must be organization: with an EIN, or grant: with an id", value),
};

const [text, link] = [{ type: "string" }, { type: "string", format: "uri" }] as const;

export const search: Tool = {
  name: "search",
  title: "Search organizations and grants",
  description:
    "Use this when only documents can be read: it finds organizations by name and grants by purpose, for fetch. The other tools answer more.",
  accepted: { query },
  required: ["query"],
  output: exactly({ results: { type: "array", items: exactly({ id: text, title: text, url: link }) } }),
  call: async (given, asker) => {
    const words = String(given.get("query"));
    const limit = String(foundMax);
    const [organizations, grants] = await Promise.all([
      asker.ask(routes.organizations, new URLSearchParams({ name: words, limit })),
      asker.ask(
        routes.history,
        new URLSearchParams({ purpose: words, match: "words", sort: "amount", limit }),
      ),
    ]);
    const listed = organizations.data as readonly ListedOrganization[];
    const records = grants.data as readonly GrantRecord[];
    const results = [
      ...listed.map(({ ein, name, city, state, given }) => ({
        id: `organization:${ein}`,
        title: [name ?? `EIN ${hyphenateEin(ein)}`, city, state].filter(Boolean).join(", "),
        url: pageOf(asker, ein, given.records > 0 ? "funder" : "recipient"),
      })),
      ...(await describeGrants(records, asker)),
    ];
    return { content: { results } };
  },
};

export const fetch: Tool = {
  name: "fetch",
  title: "Fetch an organization or a grant",
  description: "Use this when search has found a document: all about the organization or the grant, as JSON.",
  accepted: { id },
  required: ["id"],
  output: exactly({ id: text, title: text, text, url: link, metadata: { type: "object" } }),
  call: async (given, asker) => {
    const [kind, key = ""] = String(given.get("id")).split(":");
    const metadata = { release: asker.release };
    if (kind === "grant") {
      const { success, ...body } = await asker.ask(routes.grant.replace("{id}", key));
      const [document] = await describeGrants([body.data as GrantRecord], asker);
      return { content: { ...document, text: JSON.stringify(body), metadata } };
    }
    const { content } = await getOrganization.call(new Map([["ein", key]]), asker);
    const { name = `EIN ${hyphenateEin(key)}` } = (content.organization ?? {}) as { name?: string };
    const url = pageOf(asker, key, content.as_funder === null ? "recipient" : "funder");
    return {
      content: { id: String(given.get("id")), title: name, text: JSON.stringify(content), url, metadata },
    };
  },
};

/** Pages and grants are linked in the current release: a citation outlives the releases that are kept. */
function pageOf(asker: Asker, ein: string, page: "funder" | "recipient"): string {
  return asker.href(`/${page}`, new URLSearchParams({ ein }), false);
}

async function describeGrants(records: readonly GrantRecord[], asker: Asker) {
  const names = await asker.namesOf(records.flatMap(({ funder_ein }) => parseEin(funder_ein) ?? []));
  return records.map(({ id, funder_ein, recipient_name, amount, transaction_year }) => ({
    id: `grant:${id}`,
    title: `$${Number(amount).toLocaleString("en-US")} to ${recipient_name ?? "an unnamed recipient"} from ${
      names[funder_ein as Ein] ?? `EIN ${hyphenateEin(funder_ein)}`
    }, ${transaction_year}`,
    url: asker.href(routes.grant.replace("{id}", String(id)), undefined, false),
  }));
}
