// Writes the title and description of a page into its HTML, for the previews of links: a funder's name, or what a search is about.
import { parseCents } from "../../contract/amount.ts";
import { type Ein, hyphenateEin, parseEin } from "../../contract/ein.ts";
import { formatDollars } from "../../contract/feedText.ts";
import { groupKeys } from "../../contract/filters.ts";
import { comparedMax } from "../../contract/limits.ts";
import { readQuery } from "../../contract/query.ts";

/** Names and counts of a release. */
export type Facts = {
  readonly nameOf: (ein: Ein) => string | undefined;
  /** Number of grants that a funder made. */
  readonly countOf: (ein: Ein) => number | undefined;
};

export type Tags = { readonly title: string; readonly description?: string };

/** Maximum characters of a text from the address: previews show fewer. */
const maxShown = 80;

/** The tags of a page; undefined if those in its file fit. @param search the query of its address */
export function describePage(path: string, search: string, facts: Facts): Tags | undefined {
  const query = readQuery(search);
  const nameOf = (ein: Ein) => facts.nameOf(ein) ?? `EIN ${hyphenateEin(ein)}`;
  const eins = (parameter: string) =>
    (query.get(parameter) ?? []).flatMap((value) =>
      typeof value === "string" ? (parseEin(value) ?? []) : [],
    );
  const [ein] = eins("ein");
  const filters = describeFilters(query, (parameter) => {
    const [value] = query.get(parameter) ?? [];
    const listed = typeof value === "string" ? value.split(",").map(parseEin) : [];
    const [named] = listed;
    if (named === undefined || listed.includes(undefined)) return undefined;
    return listed.length === 1 ? nameOf(named) : `any of ${listed.length} organizations`;
  });
  if (path === "/compare" && ein !== undefined)
    return { title: `${eins("ein").slice(0, comparedMax).map(nameOf).join(", ")}: grants compared` };
  if (path === "/recipient" && ein !== undefined) return { title: `${nameOf(ein)}: grants received` };
  if (path === "/funder" && ein !== undefined) {
    const count = facts.countOf(ein)?.toLocaleString("en-US");
    if (filters !== "" || count === undefined) return { title: `${nameOf(ein)}: grants made${filters}` };
    const title = `${nameOf(ein)}: ${count} ${count === "1" ? "grant" : "grants"} made`;
    return { title, description: "What it gave, to whom, when and what for, from its annual tax filings." };
  }
  const [by] = query.get("by") ?? [];
  if (path === "/groups" && (filters !== "" || by !== undefined)) return { title: groupsTitle(by, filters) };
  return path === "/" && filters !== "" ? { title: `Grants${filters}` } : undefined;
}

/** e.g., "Funders of grants for “food”". */
function groupsTitle(by: unknown, filters: string): string {
  const key = groupKeys.find((each) => each === by) ?? "funder";
  const noun = key.charAt(0).toUpperCase() + key.slice(1);
  return `${noun}s of ${filters === "" ? "all grants" : `grants${filters}`}`;
}

/** e.g., " for “food” from Ford Foundation in 2018 of $10,000 or more". */
function describeFilters(
  query: ReturnType<typeof readQuery>,
  nameIn: (parameter: string) => string | undefined,
): string {
  const textOf = (parameter: string) => {
    const [value] = query.get(parameter) ?? [];
    return typeof value === "string" && value.trim() !== ""
      ? [...value.trim()].slice(0, maxShown).join("")
      : undefined;
  };
  const yearOf = (parameter: string) => /^\d{4}$/.exec(textOf(parameter) ?? "")?.[0];
  const amountOf = (parameter: string) => {
    const amount = textOf(parameter) ?? "";
    const cents = /^\d{1,15}(?:\.\d{1,2})?$/.test(amount) ? parseCents(amount) : undefined;
    return cents === undefined ? undefined : formatDollars(cents).slice(1);
  };
  const [minYear, maxYear] = [yearOf("min_year"), yearOf("max_year")];
  const [minAmount, maxAmount] = [amountOf("min_amount"), amountOf("max_amount")];
  const isRange = minYear !== undefined && maxYear !== undefined;
  const hasBounds = minAmount !== undefined && maxAmount !== undefined;
  const parts: [string, string | undefined, string?][] = [
    [" for “", textOf("purpose"), "”"],
    [" of type “", textOf("type"), "”"],
    [" from ", nameIn("funder_ein")],
    [" to ", nameIn("recipient_ein")],
    [" to recipients named “", textOf("recipient_name"), "”"],
    [" in ", yearOf("transaction_year")],
    isRange ? [` in ${minYear}–`, maxYear] : [" since ", minYear],
    [" until ", isRange ? undefined : maxYear],
    hasBounds ? [` of $${minAmount} to $`, maxAmount] : [" of $", minAmount, " or more"],
    [" of $", hasBounds ? undefined : maxAmount, " or less"],
  ];
  return parts
    .map(([before, text, after = ""]) => (text === undefined ? "" : before + text + after))
    .join("");
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
