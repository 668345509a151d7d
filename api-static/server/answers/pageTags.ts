// Writes the title and description of a page into its HTML, for the previews of links: a funder's name, or what a search is about.
import { type Ein, hyphenateEin, parseEin } from "../../contract/ein.ts";
import { describeFilters, describeGrouped } from "../../contract/filters/table.ts";
import { groupKeys } from "../../contract/filters.ts";
import { comparedMax } from "../../contract/limits.ts";
import { filterParameters, readParameter } from "../../contract/parameters.ts";
import { readQuery } from "../../contract/query.ts";
import { titleOfGroups } from "../../contract/text/searchText.ts";

/** Names and counts of a release. */
export type Facts = {
  readonly nameOf: (ein: Ein) => string | undefined;
  /** Number of grants that a funder made. */
  readonly countOf: (ein: Ein) => number | undefined;
};

export type Tags = { readonly title: string; readonly description?: string };

/** The parameters that change the title, by page. The pages ignore others. */
const describing: Readonly<Record<string, readonly string[]>> = {
  "/": filterParameters,
  "/groups": ["by", ...filterParameters],
  "/funder": filterParameters.filter((name) => !/^(?:funder_ein|recipient_ein|funder_state)$/.test(name)),
  "/recipient": ["matched"],
  "/compare": ["transaction_year"],
};

/** The tags of a page; undefined if those in its file fit. @param search the query of its address */
export function describePage(path: string, search: string, facts: Facts): Tags | undefined {
  const asked = readQuery(search);
  const query = readValid(asked, describing[path] ?? []);
  const nameOf = (ein: Ein) => facts.nameOf(ein) ?? `EIN ${hyphenateEin(ein)}`;
  const findName = (parameter: string) => {
    const ein = parseEin(query[parameter] ?? "");
    return ein === undefined ? undefined : facts.nameOf(ein);
  };
  const names = { funder: findName("funder_ein"), recipient: findName("recipient_ein") };
  const eins = (asked.get("ein") ?? []).flatMap((value) => parseEin(String(value)) ?? []);
  const [ein] = eins;
  const filters = describeFilters(query, names);
  if (path === "/") return filters === "" ? undefined : { title: `Grants${filters}` };
  if (path === "/groups") {
    const by = groupKeys.find((key) => key === query.by);
    if (filters === "" && by === undefined) return undefined;
    return { title: describeGrouped(titleOfGroups(by ?? "funder"), query, names) };
  }
  if (ein === undefined) return undefined;
  if (path === "/compare")
    return { title: `${eins.slice(0, comparedMax).map(nameOf).join(", ")}: grants compared${filters}` };
  if (path === "/recipient") return { title: `${nameOf(ein)}: grants received${filters}` };
  if (path !== "/funder") return undefined;
  const count = facts.countOf(ein)?.toLocaleString("en-US");
  if (filters !== "" || count === undefined) return { title: `${nameOf(ein)}: grants made${filters}` };
  const title = `${nameOf(ein)}: ${count} ${count === "1" ? "grant" : "grants"} made`;
  return { title, description: "What it gave, to whom, when and what for, from its annual tax filings." };
}

/** The values of the known parameters that the API would accept. */
function readValid(asked: ReturnType<typeof readQuery>, known: readonly string[]): Record<string, string> {
  const query: Record<string, string> = {};
  for (const [name, values] of asked) {
    const [value] = values;
    if (typeof value === "string" && readParameter(known, name, values, {}) === undefined)
      query[name] = value;
  }
  return query;
}

/**
 * The HTML of a page with these tags, in place of those that the build wrote.
 * @param origin of the site, e.g., "https://grants.example.org": previews need the picture's whole URL
 */
export function writeTags(html: string, tags: Tags | undefined, origin: string): string {
  const picture = html.replace(/(<meta property="og:image" content=")(?=\/)/, (tag) => tag + origin);
  if (tags === undefined) return picture;
  const title = escapeHtml(tags.title);
  const titled = picture
    .replace(/(<title>)[^<]*/, (_, tag: string) => `${tag}${title} – Grant History`)
    .replace(/(<meta property="og:title" content=")[^"]*/, (_, tag: string) => tag + title);
  const description = escapeHtml(tags.description ?? "");
  if (description === "") return titled;
  return titled.replace(/(property="og:description" content=")[^"]*/, (_, tag: string) => tag + description);
}

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
