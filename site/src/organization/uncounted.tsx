// Shows the grants that may belong to a recipient but aren't counted, because their EIN differs or is absent.

import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { hyphenateEin } from "../../../api-static/contract/ein.ts";
import { formatQuery } from "../address/query.ts";
import { searchCall } from "../api/calls.ts";
import type { Grant } from "../api/client.ts";
import { useStatus } from "../api/useCall.ts";
import { useKeptHeight } from "../parts/useKeptHeight.ts";
import { formatAmount, formatCounted } from "../text/numbers.ts";
import { chooseSpellings, findLookAlikes, type LookAlike, type Search } from "./lookAlikes.ts";

/** Maximum groups; further ones are summed up. */
const shownGroups = 4;

type Properties = {
  readonly ein: string;
  readonly name: string | null;
  /** The recipient's newest grants; the searches run once they are drawn. */
  readonly grants: readonly Grant[] | undefined;
};

/** The notice; its place is reserved while the searches run, so that nothing moves. */
export function Uncounted({ ein, name, grants }: Properties) {
  const spellings = useMemo(() => chooseSpellings(name, grants ?? []), [name, grants]);
  const searches = useSearches(spellings, useIdle(grants !== undefined));
  const alikes = useMemo(() => findLookAlikes(ein, searches ?? []), [ein, searches]);
  const box = useKeptHeight<HTMLElement>();
  if (spellings.length === 0) return null;
  const isPartial = searches?.some(({ found, total }) => found.length < total) ?? false;
  const searched = new Intl.ListFormat("en-US").format(spellings.map((spelling) => `“${spelling}”`));
  return (
    <section
      ref={box}
      class={`notice uncounted${alikes.length > 0 ? " notice-warning" : ""}`}
      aria-live="polite"
    >
      <h2>Grants that may belong here but aren’t counted</h2>
      {searches === null ? (
        <p key="failed">
          The search for {searched} under other EINs did not work. The figures on this page are complete
          without it.
        </p>
      ) : searches === undefined ? (
        <p key="awaited">Looking for {searched} under other EINs…</p>
      ) : (
        <p key="found">
          {alikes.length > 0 ? <Groups alikes={alikes} /> : "Found none with another EIN or none. "}
          Searched {isPartial ? "the newest grants" : "all grants"} for {searched}; other spellings would not
          be found.
        </p>
      )}
    </section>
  );
}

function Groups({ alikes }: { alikes: readonly LookAlike[] }) {
  const hasReturns = (useStatus().found?.body.returns ?? 0) > 0;
  const rest = alikes.slice(shownGroups);
  const sum = (groups: readonly LookAlike[]) => groups.reduce((count, { grants }) => count + grants, 0);
  const areSeveral = alikes.filter(({ ein }) => ein === null).length > 1;
  const parts: ComponentChildren[] = alikes.slice(0, shownGroups).map((alike) => (
    <>
      <a href={alikeHref(alike)}>
        {formatAmount(alike.amount)}{" "}
        {alike.ein === null ? "without an EIN" : `under EIN ${hyphenateEin(alike.ein)}`}
      </a>
      {alike.ein === null && areSeveral ? ` (“${alike.name}”)` : ""}
      {alike.slip === undefined ? "" : slipText[alike.slip]}
    </>
  ));
  if (rest.length > 0) parts.push(`${formatCounted(sum(rest))} under other EINs or without one`);
  const count = sum(alikes);
  return (
    <>
      {formatCounted(count)} {count === 1 ? "has" : "have"} the name with another EIN or none:{" "}
      {parts.map((part, index) => (
        <>
          {index === 0 ? "" : index < parts.length - 1 ? ", " : parts.length > 2 ? ", and " : " and "}
          {part}
        </>
      ))}
      .{hasReturns ? " Check the filing before you add them." : ""}{" "}
    </>
  );
}

const slipText = {
  "one digit": ", one digit away from this one,",
  "two digits swapped": ", this one with two digits swapped,",
} as const;

/** The search for a group's grants. Those without an EIN are found by their funder and year, if all have the same. */
function alikeHref({ ein, name, funder, year }: LookAlike): string {
  return `/${formatQuery(
    ein === null
      ? { recipient_name: name, funder_ein: funder, transaction_year: year }
      : { recipient_name: name, recipient_ein: ein },
  )}`;
}

type Counted = Search & { readonly total: number };

/**
 * Searches for the spellings, one after the other: the page should not take several of the server's searches at once.
 * @returns undefined while it searches, null after a failure
 */
function useSearches(spellings: readonly string[], isAsked: boolean): readonly Counted[] | null | undefined {
  const [searches, setSearches] = useState<readonly Counted[] | null>();
  const wanted = isAsked ? spellings.join("\n") : "";
  useEffect(() => {
    const controller = new AbortController();
    setSearches(undefined);
    const search = async () => {
      const done: Counted[] = [];
      for (const name of spellings) {
        const call = searchCall({ recipient_name: name, limit: "1000" });
        const answer = await call.ask(controller.signal);
        if (!answer.isFound) return setSearches(null);
        done.push({ name, found: answer.body.data, total: answer.body.total });
      }
      setSearches(done);
    };
    if (wanted !== "") search().catch(() => undefined); // stopped, because the reader went on
    return () => controller.abort();
  }, [wanted]);
  return searches;
}

/** True once the page has been ready and the browser idle. */
function useIdle(isReady: boolean): boolean {
  const [isIdle, setIsIdle] = useState(false);
  useEffect(() => {
    if (!isReady) return undefined;
    if (typeof requestIdleCallback === "undefined") {
      const timer = setTimeout(() => setIsIdle(true), 200); // Safari
      return () => clearTimeout(timer);
    }
    const handle = requestIdleCallback(() => setIsIdle(true), { timeout: 2_000 });
    return () => cancelIdleCallback(handle);
  }, [isReady]);
  return isIdle;
}
