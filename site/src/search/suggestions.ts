// Suggests meanings of the words or the EIN in a box.
import { type Ein, hyphenateEin, parseEin } from "../../../api-static/contract/ein.ts";
import { formatQuery } from "../address/query.ts";
import type { NamedFunder } from "../api/client.ts";
import { isNameOf } from "../names/useNames.ts";
import { formatCounted } from "../text/numbers.ts";
import { cleanEin, cleanWords, type Scope } from "./fields.ts";

/** Counts of an EIN's grants in the release; undefined if the call failed. */
export type EinFacts = {
  readonly ein: Ein;
  readonly name: string | undefined;
  readonly made: number | undefined;
  readonly received: number | undefined;
};

export type Suggestion = {
  readonly key: string;
  /** The kind of suggestion, e.g., "Purpose contains". */
  readonly lead: string;
  /** Its subject: the words, a name, or an EIN. */
  readonly subject: string;
  /** Words of the subject to set in bold; undefined sets all of it. */
  readonly bold: string | undefined;
  readonly note: string;
  /** A search for words, or a page to go to. */
  readonly target: { readonly scope: Scope; readonly words: string } | { readonly href: string };
};

const fundersMax = 6;

/** The EIN that a text is, with or without its hyphen. */
export function readEin(text: string): Ein | undefined {
  return parseEin(cleanEin(text));
}

/** The label of a box. @param hasNames whether the release has names of funders */
export function boxLabel(hasNames: boolean): string {
  return hasNames ? "Purpose, funder name, or EIN" : "Purpose or EIN";
}

/** The suggestions for words; none for a blank text. Enter takes the first: a funder of exactly this name, if there is one. */
export function suggestForWords(
  text: string,
  scope: Scope,
  funders: readonly NamedFunder[],
): readonly Suggestion[] {
  const words = cleanWords(text);
  if (words === "") return [];
  const search = (each: Scope): Suggestion => ({
    key: each,
    lead: each === "purpose" ? "Purpose contains" : "Recipient name contains",
    subject: words,
    bold: undefined,
    note: "",
    target: { scope: each, words },
  });
  const searches = [search(scope), search(scope === "purpose" ? "recipient_name" : "purpose")];
  const isNamed = (each: NamedFunder) => isNameOf(words, each);
  const ordered = [...funders.filter(isNamed), ...funders.filter((each) => !isNamed(each))].slice(
    0,
    fundersMax,
  );
  const suggested = ordered.map((each) => suggestFunder(each, words));
  const named = ordered.filter(isNamed).length;
  const [first, ...others] = [...suggested.slice(0, named), ...searches, ...suggested.slice(named)];
  if (first === undefined) return [];
  return [{ ...first, note: first.note === "" ? "Enter" : `${first.note}, Enter` }, ...others];
}

function suggestFunder({ ein, name }: NamedFunder, words: string): Suggestion {
  return {
    key: ein,
    lead: "Funder",
    subject: name,
    bold: words,
    note: hyphenateEin(ein),
    target: { href: `/funder${formatQuery({ ein })}` },
  };
}

/** The suggestions for an EIN: the grants it made and received. Only those that the release has are offered. */
export function suggestForEin({ ein, name, made, received }: EinFacts): readonly Suggestion[] {
  const subject = name ?? `EIN ${hyphenateEin(ein)}`;
  const suggest = (page: "funder" | "recipient", lead: string, count: number | undefined): Suggestion => ({
    key: page,
    lead,
    subject,
    bold: undefined,
    note: count === undefined ? "" : formatCounted(count),
    target: { href: `/${page}${formatQuery({ ein })}` },
  });
  const found = [
    ...(made === 0 ? [] : [suggest("funder", "Grants made by", made)]),
    ...(received === 0 ? [] : [suggest("recipient", "Grants received by", received)]),
  ];
  if (found.length > 0) return found;
  const target = { href: `/funder${formatQuery({ ein })}` }; // the page explains why an EIN may be missing
  return [{ key: "missing", lead: "Not in the data:", subject, bold: undefined, note: "", target }];
}
