// Suggests meanings of the words or the EIN in a box: searches for words, organizations of that name, or an EIN's grants.
import { hyphenateEin } from "../../../api-static/contract/ein.ts";
import { formatQuery, type Query } from "../address/query.ts";
import type { FoundOrganization } from "../api/client.ts";
import { type FoundNames, isNamed, nameToAsk } from "../names/useOrganizations.ts";
import { formatCounted } from "../text/numbers.ts";
import { writePlace } from "../text/places.ts";
import { cleanWords } from "../text/typed.ts";
import type { Scope, Words } from "./fields.ts";
import type { Placed } from "./place.ts";

export type Suggestion = {
  readonly key: string;
  /** The kind of suggestion, e.g., "Purpose contains"; "" for an organization. */
  readonly lead: string;
  /** Its subject: the words, a name, or an EIN. */
  readonly subject: string;
  /** The place that was read after the words, e.g., "in Austin TX". */
  readonly place?: string;
  readonly note: string;
  /** The organization, whose place and sums are shown. */
  readonly organization?: FoundOrganization;
  /** A search for words, or a page to go to. */
  readonly target: Target;
};

export type Target = Words | { readonly href: string };

/** What the text of a box may mean beside its words. */
export type Readings = {
  readonly placed?: Placed | undefined;
  /** The cause whose whole name the words are, without those of the place. */
  readonly cause?: { readonly code: string; readonly name: string } | undefined;
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
 * searched, there is one, and it has grants; else the words in a place, if one was read.
 * @param found the organizations of this or an earlier text
 */
export function suggestForWords(
  text: string,
  scope: Scope,
  found: FoundNames,
  { placed, cause }: Readings = {},
): readonly Suggestion[] {
  const words = cleanWords(text);
  if (words === "") return [];
  const both = [scope, scope === "purpose" ? "recipient_name" : "purpose"] as const;
  const literal = both.map((each) => suggestSearch({ scope: each, words }));
  const inPlace = placed && [
    suggestSearch({ scope, words: placed.words, filters: placed.place }),
    ...literal,
  ];
  const searches = [
    ...(inPlace ?? literal),
    ...(cause === undefined ? [] : [suggestCause(scope, cause, placed?.place)]),
  ];
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

function suggestSearch(target: Words): Suggestion {
  const { scope, words, filters } = target;
  const lead = scope === "purpose" ? "Purpose contains" : "Recipient name contains";
  if (filters === undefined) return { key: scope, lead, subject: words, note: "", target };
  const [key, place] = ["place", writePlace(filters)];
  if (words === "") return { key, lead: "Grants to recipients", subject: place, note: "", target };
  return { key, lead, subject: words, place, note: "", target };
}

/** The grants to recipients of a cause, in a place if one was read. */
function suggestCause(
  scope: Scope,
  { code, name }: NonNullable<Readings["cause"]>,
  place: Query = {},
): Suggestion {
  const filters = { ...place, recipient_cause: code };
  const target = { scope, words: "", filters };
  return {
    key: "cause",
    lead: "Recipients for",
    subject: name,
    place: writePlace(place),
    note: "Cause",
    target,
  };
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
