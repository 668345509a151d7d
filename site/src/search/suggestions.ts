// Suggests meanings of the words or the EIN in a box: searches for words, organizations of that name, or an EIN's grants.
import { hyphenateEin } from "../../../api-static/contract/ein.ts";
import { formatQuery } from "../address/query.ts";
import type { FoundOrganization } from "../api/client.ts";
import { type FoundNames, isNamed, nameToAsk } from "../names/useOrganizations.ts";
import { formatCounted } from "../text/numbers.ts";
import { cleanWords, type Scope } from "./fields.ts";

export type Suggestion = {
  readonly key: string;
  /** The kind of suggestion, e.g., "Purpose contains"; "" for an organization. */
  readonly lead: string;
  /** Its subject: the words, a name, or an EIN. */
  readonly subject: string;
  readonly note: string;
  /** The organization, whose place and sums are shown. */
  readonly organization?: FoundOrganization;
  /** A search for words, or a page to go to. */
  readonly target: { readonly scope: Scope; readonly words: string } | { readonly href: string };
};

type Side = "funder" | "recipient";

/** The page of an organization: of the grants that it made or, if it made none, that it received. */
export function pageOf({ given, received }: Pick<FoundOrganization, "given" | "received">): Side {
  return given.records === 0 && received.records > 0 ? "recipient" : "funder";
}

/** The address of an organization's page. */
export function organizationHref(organization: FoundOrganization, side = pageOf(organization)): string {
  return `/${side}${formatQuery({ ein: organization.ein })}`;
}

/**
 * The suggestions for words; none for a blank text. Enter takes the first: an organization of exactly this name, if purposes are
 * searched, there is one, and it has grants.
 * @param found the organizations of this or an earlier text
 */
export function suggestForWords(text: string, scope: Scope, found: FoundNames): readonly Suggestion[] {
  const words = cleanWords(text);
  if (words === "") return [];
  const search = (each: Scope): Suggestion => ({
    key: each,
    lead: each === "purpose" ? "Purpose contains" : "Recipient name contains",
    subject: words,
    note: "",
    target: { scope: each, words },
  });
  const searches = [search(scope), search(scope === "purpose" ? "recipient_name" : "purpose")];
  const [best, ...others] = found.organizations ?? [];
  const isCurrent = found.name !== undefined && found.name === nameToAsk(text);
  const isFirst = scope === "purpose" && isCurrent && best !== undefined && isNamed(found.name, best);
  const suggested = [best, ...others].flatMap((each) => (each === undefined ? [] : [suggest(each)]));
  const [first, ...rest] = isFirst
    ? [...suggested.slice(0, 1).flat(), ...searches, ...suggested.slice(1).flat()]
    : [...searches, ...suggested.flat()];
  if (first === undefined) return [];
  return [{ ...first, note: "Enter" }, ...rest];
}

/** An organization; one that made and received grants has a line for those received too. */
function suggest(organization: FoundOrganization): readonly Suggestion[] {
  const { ein, given, received } = organization;
  const line: Suggestion = {
    key: ein,
    lead: "",
    subject: nameOrEin(organization),
    note: "",
    organization,
    target: { href: organizationHref(organization) },
  };
  return given.records > 0 && received.records > 0 ? [line, suggestSide(organization, "recipient")] : [line];
}

function suggestSide(organization: FoundOrganization, side: Side): Suggestion {
  const { given, received } = organization;
  return {
    key: `${organization.ein}-${side}`,
    lead: side === "funder" ? "Grants made by" : "Grants received by",
    subject: nameOrEin(organization),
    note: formatCounted((side === "funder" ? given : received).records),
    target: { href: organizationHref(organization, side) },
  };
}

/** The suggestions for an EIN: the grants it made and received. Only those that the release has are offered. */
export function suggestForEin(ein: string, { name, organizations }: FoundNames): readonly Suggestion[] {
  if (name !== ein) return []; // until the answer arrives
  const [found] = organizations ?? [];
  const sides = (["funder", "recipient"] as const).filter(
    (side) => (side === "funder" ? found?.given : found?.received)?.records,
  );
  if (found !== undefined && sides.length > 0) return sides.map((side) => suggestSide(found, side));
  const subject = found === undefined ? `EIN ${hyphenateEin(ein)}` : nameOrEin(found);
  const lead =
    organizations === undefined
      ? "Grants made by"
      : found === undefined
        ? "Not in the data:"
        : "Has no grants in the data:";
  const target = { href: `/funder${formatQuery({ ein })}` }; // the page explains why an EIN may be missing
  return [{ key: "missing", lead, subject, note: "", target }];
}

function nameOrEin({ name, ein }: FoundOrganization): string {
  return name ?? `EIN ${hyphenateEin(ein)}`;
}
