// Chooses searches to try from the newest grants of a release, so that each of them finds something.
import { hyphenateEin } from "../../../api-static/contract/ein.ts";
import { quote } from "../../../api-static/contract/text/searchText.ts";
import { canonicalText } from "../../../api-static/contract/text/text.ts";
import { formatQuery } from "../address/query.ts";
import type { Grant } from "../api/client.ts";
import { groupsHref } from "../groups/group.ts";
import type { Names } from "../names/useNames.ts";

export type Try = { readonly href: string; readonly text: string };

/** Common interests, most wanted first; used if the newest grants have them. */
const wantedPurposes = ["food", "education", "health", "housing", "children", "program", "support"];
const wantedAmongLarge = ["scholarship", "research", "education", "building", "health", "support", "general"];
const wantedRecipients = ["music", "museum", "school", "health", "university", "community", "foundation"];

const largeAmount = 100_000;

/**
 * Up to five searches: a purpose, a purpose of large grants, the funders of a purpose, a recipient's name, and a funder's name,
 * or an EIN if no name is known.
 * @param grants the newest of the release
 */
export function chooseTries(grants: readonly Grant[], names: Names): readonly Try[] {
  const [first] = grants;
  if (first === undefined) return [];
  const purposes = grants.map(({ purpose }) => purpose);
  const large = grants.filter(({ amount }) => amount >= largeAmount).map(({ purpose }) => purpose);
  const purpose = choose(wantedPurposes, purposes) ?? frequentWord(purposes);
  const largePurpose = choose(
    wantedAmongLarge.filter((word) => word !== purpose),
    large,
  );
  const recipients = grants.map(({ recipient_name }) => recipient_name);
  const recipient = choose(wantedRecipients, recipients) ?? frequentWord(recipients);
  const named = grants.find(({ funder_ein }) => isShort(names.nameOf(funder_ein)?.name))?.funder_ein;
  return [
    purpose === undefined ? undefined : search({ purpose }, purpose),
    largePurpose === undefined
      ? undefined
      : search({ purpose: largePurpose, min_amount: largeAmount }, `${largePurpose} of $100,000 or more`),
    purpose === undefined
      ? undefined
      : { href: groupsHref("funder", { purpose }), text: `who funds ${purpose}` },
    recipient === undefined
      ? undefined
      : search({ recipient_name: recipient }, `recipients named ${quote(recipient)}`),
    named === undefined
      ? funder(first.funder_ein, hyphenateEin(first.funder_ein))
      : funder(named, names.nameOf(named)?.name ?? ""), // last, as it arrives last
  ].filter((each) => each !== undefined);
}

function search(query: Readonly<Record<string, string | number>>, text: string): Try {
  return { href: `/${formatQuery(query)}`, text };
}

function funder(ein: string, text: string): Try {
  return { href: `/funder${formatQuery({ ein })}`, text };
}

/** A longer name would fill a whole line. */
function isShort(name: string | undefined): boolean {
  return name !== undefined && name.length <= 34;
}

/** The first of the words that one of the texts contains. */
function choose(words: readonly string[], texts: readonly (string | null)[]): string | undefined {
  const forms = texts.map((text) => canonicalText(text ?? ""));
  return words.find((word) => forms.some((form) => form.includes(word)));
}

/** The word of at least five letters that most of the texts have; of equally frequent ones the first. */
function frequentWord(texts: readonly (string | null)[]): string | undefined {
  const counts = new Map<string, number>();
  for (const text of texts)
    for (const word of new Set(canonicalText(text ?? "").match(/\p{L}{5,}/gu) ?? []))
      counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}
