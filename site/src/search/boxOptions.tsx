// Lists the suggestions for the text in a box. Loaded once a reader is at a box.
import { useLayoutEffect } from "preact/hooks";
import { searchCall } from "../api/calls.ts";
import type { Status } from "../api/client.ts";
import { knows } from "../api/places.ts";
import { useStatus } from "../api/useCall.ts";
import { findNamed, useOrganizations } from "../names/useOrganizations.ts";
import type { Option } from "../parts/combobox.tsx";
import { OrganizationLine } from "../parts/organizationLine.tsx";
import { useLoaded } from "../parts/useLoaded.ts";
import { cleanWords, readEin } from "../text/typed.ts";
import { matchOf, type Scope } from "./fields.ts";
import { readPlace } from "./place.ts";
import {
  organizationHref,
  type Suggestion,
  suggestForEin,
  suggestForWords,
  type Target,
} from "./suggestions.ts";

export type BoxOption = Option & Pick<Suggestion, "target">;

type Properties = {
  readonly text: string;
  readonly scope: Scope;
  readonly onOptions: (options: readonly BoxOption[]) => void;
};

/** Draws nothing: it gives the options to the box whenever they change. */
export function BoxOptions({ text, scope, onOptions }: Properties) {
  const found = useOrganizations(text);
  const status = useStatus().found?.body;
  const causes = useLoaded(true, loadCauses);
  useLayoutEffect(() => {
    const ein = readEin(text);
    const placed = readPlace(text, (name) => knows(status, name));
    const cause = knows(status, "recipient_cause") ? causes?.findCause(placed?.words ?? text) : undefined;
    const suggestions =
      ein === undefined ? suggestForWords(text, scope, found, { placed, cause }) : suggestForEin(ein, found);
    onOptions(
      suggestions.map((suggestion) => ({ ...suggestion, content: <Line suggestion={suggestion} /> })),
    );
  }, [text, scope, found, status, causes]);
  return null;
}

/** The names of causes, which few boxes need before their readers have typed. */
const loadCauses = () => import("./causes.ts");

/**
 * What Enter means by words: the page of the organization that is named so, or of the only one whose name has them if no grant has them;
 * else a search, in a place if they end in one.
 */
export async function resolveWords(text: string, scope: Scope, status: Status | undefined): Promise<Target> {
  const words = cleanWords(text);
  const placed = readPlace(words, (name) => knows(status, name));
  const search = placed ? { scope, words: placed.words, filters: placed.place } : { scope, words };
  if (scope !== "purpose") return search;
  const named = await findNamed(words, status, () => isUnused(words));
  return named === undefined ? search : { href: organizationHref(named) };
}

/** True if no purpose has the words. */
async function isUnused(words: string): Promise<boolean> {
  const answer = await searchCall({ purpose: words, match: matchOf(words), limit: "1" }).ask();
  return answer.isFound && answer.body.total === 0;
}

function Line({ suggestion: { lead, subject, place, organization } }: { suggestion: Suggestion }) {
  if (organization !== undefined) return <OrganizationLine organization={organization} />;
  return (
    <>
      {lead} <b>{subject}</b>
      {place === undefined || place === "" ? null : ` ${place}`}
    </>
  );
}
