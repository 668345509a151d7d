// Writes the sentences on an organization's money, and on what the IRS's list says of it.
import { nameCode } from "../../../api-static/contract/text/causeCodes.ts";
import type { Organization } from "../api/client.ts";
import { causeFundersHref } from "../groups/group.ts";
import { formatAmountLong, formatYears } from "../text/numbers.ts";
import type { Piece } from "./sentences.ts";

export type Year = Organization["finances"][number];

/** The sums of a year in the order of the sentence and of the charts. */
export const sums = [
  { field: "revenue", title: "Revenue", before: "took in ", after: "" },
  { field: "expenses", title: "Expenses", before: "spent ", after: "" },
  { field: "grants_paid", title: "Grants paid", before: "paid ", after: " in grants" },
  { field: "assets", title: "Assets", before: "held ", after: " at its end" },
] as const satisfies readonly { field: keyof Year; title: string; before: string; after: string }[];

/**
 * e.g., "In its tax year 2023, it took in $912,500, spent $803,218, paid $200,223 in grants, and held $2.5 million at its end.";
 * empty if the return states none of these.
 */
export function moneySentence(year: Year): Piece[] {
  const stated = sums.flatMap(({ field, before, after }) => {
    const amount = year[field];
    return amount === null ? [] : [{ before, after, amount: formatAmountLong(amount) }];
  });
  if (stated.length === 0) return [];
  const last = stated.length - 1;
  const clauses = stated.flatMap(({ before, after, amount }, index): Piece[] => {
    const separator = index === 0 ? "" : index < last ? ", " : last === 1 ? " and " : ", and ";
    return [`${separator}${before}`, { strong: amount }, after];
  });
  return [`In its tax year ${year.tax_year}, it `, ...clauses, "."];
}

/** e.g., "Music (A68): funders of this cause. 501(c)(3) since 1955. Formerly OLD NAME (2012 to 2019)."; empty if nothing is known. */
export function describeListed({ ntee, subsection, ruling_year, former_names }: Organization): Piece[] {
  const cause = ntee?.slice(0, 3);
  const section = /^[0-2]\d$/.test(subsection ?? "") ? `501(c)(${Number(subsection)})` : undefined;
  const since = ruling_year === null ? "" : ` since ${ruling_year}`;
  const former = former_names.map(({ name, from, to }) => {
    const last = Number(to.slice(0, 4));
    return `${name} (${formatYears(from === null ? last : Number(from.slice(0, 4)), last)})`;
  });
  return [
    ...(cause === undefined
      ? []
      : [`${nameCode(cause)}: `, { text: "funders of this cause", href: causeFundersHref({}, cause) }, ". "]),
    ...(section === undefined && since === "" ? [] : [`${section ?? "Exempt"}${since}. `]),
    ...(former.length === 0 ? [] : [`Formerly ${former.join(", ")}.`]),
  ];
}
