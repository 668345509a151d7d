// Shows the grants that may belong to a recipient but aren't counted, because their EIN differs or is absent.
import { useEffect, useMemo, useState } from "preact/hooks";
import { formatQuery } from "../address/query.ts";
import { searchCall } from "../api/calls.ts";
import { useCall } from "../api/useCall.ts";
import { useStatus } from "../api/useStatus.ts";
import { formatAmount, formatCount, formatCounted, formatEinText } from "../text/numbers.ts";
import { findLookAlikes, isSearchable, type LookAlike, searchedName } from "./lookAlikes.ts";

/** Maximum groups; further ones are summed up. */
const shownGroups = 4;

type Properties = {
  readonly ein: string;
  readonly name: string;
  /** The search runs once the rest of the page is drawn. */
  readonly isIdle: boolean;
};

/** The notice; its place is reserved while the search runs, so that nothing moves. */
export function Uncounted({ ein, name, isIdle }: Properties) {
  const text = searchedName(name);
  const isAsked = useIdle(isIdle) && isSearchable(name);
  const { found, failure, state } = useCall(
    isAsked ? searchCall({ recipient_name: text, limit: "1000" }) : undefined,
  );
  const alikes = useMemo(() => findLookAlikes(ein, found?.body.data ?? []), [ein, found]);
  if (!isSearchable(name)) return null;
  const isFound = state === "found" && alikes.length > 0;
  return (
    <section class={`notice uncounted${isFound ? " notice-warning" : ""}`} aria-live="polite">
      <h2>Grants that may belong here but aren’t counted</h2>
      {failure !== undefined ? (
        <p>
          The search for “{text}” under other EINs did not work. The figures on this page are complete without
          it.
        </p>
      ) : found === undefined || state !== "found" ? (
        <p>Looking for “{text}” under other EINs…</p>
      ) : isFound ? (
        <Groups alikes={alikes} name={text} known={found.body.data.length} total={found.body.total} />
      ) : (
        <p>None: no grant names “{text}” with another EIN or none.</p>
      )}
    </section>
  );
}

type GroupsProperties = { alikes: readonly LookAlike[]; name: string; known: number; total: number };

function Groups({ alikes, name, known, total }: GroupsProperties) {
  const hasReturns = (useStatus().found?.body.returns ?? 0) > 0;
  const shown = alikes.slice(0, shownGroups);
  const rest = alikes.slice(shownGroups);
  const sum = (groups: readonly LookAlike[]) => groups.reduce((count, { grants }) => count + grants, 0);
  const count = sum(alikes);
  return (
    <p>
      {known < total ? `Among the newest ${formatCount(known)} grants that name “${name}”, ` : ""}
      {formatCounted(count)} {count === 1 ? "names" : "name"} {known < total ? "it" : `“${name}”`} with
      another EIN or none:{" "}
      {shown.map((alike, index) => (
        <>
          {index === 0 ? "" : index === alikes.length - 1 ? (alikes.length > 2 ? ", and " : " and ") : ", "}
          <a href={alikeHref(alike, name)}>
            {formatAmount(alike.amount)}{" "}
            {alike.ein === null ? "without an EIN" : `under EIN ${formatEinText(alike.ein)}`}
          </a>
          {alike.slip === undefined ? "" : slipText[alike.slip]}
        </>
      ))}
      {rest.length === 0 ? null : (
        <>
          , and{" "}
          <a href={`/${formatQuery({ recipient_name: name })}`}>
            {formatCounted(sum(rest))} under {formatCounted(rest.length, "other EIN")}
          </a>
        </>
      )}
      .{hasReturns ? " Check the filing before you add them." : ""}
    </p>
  );
}

const slipText = {
  "one digit": ", one digit away from this one,",
  "two digits swapped": ", this one with two digits swapped,",
} as const;

/** The search for a group's grants. Those without an EIN are found by their funder and year, if all have the same. */
function alikeHref({ ein, funder, year }: LookAlike, recipient_name: string): string {
  return `/${formatQuery(
    ein === null
      ? { recipient_name, funder_ein: funder, transaction_year: year }
      : { recipient_name, recipient_ein: ein },
  )}`;
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
