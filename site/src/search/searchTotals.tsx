// Shows the totals of all grants that a search finds: a sentence, and charts. The list does not wait for them.
import { useRef } from "preact/hooks";
import type { KnownNames } from "../../../api-static/contract/text/searchText.ts";
import { formatQuery, inYear, type Query, without } from "../address/query.ts";
import { totalsCall } from "../api/calls.ts";
import type { Totals } from "../api/client.ts";
import type { Progress } from "../api/useCall.ts";
import { GrantSizes } from "../charts/grantSizes.tsx";
import { YearsSection } from "../charts/yearsSection.tsx";
import { LookAtFunders, Ranking } from "../groups/fold.tsx";
import { TopGroups } from "../groups/topGroups.tsx";
import { Coverage, hasCoverage } from "../parts/coverage.tsx";
import { PublishBar } from "../publish/publishBar.tsx";
import { formatAmountLong, formatCounted } from "../text/numbers.ts";
import { writePlace } from "../text/places.ts";
import { describeMarks, describeTotals } from "../text/totals.ts";

type Properties = {
  readonly progress: Progress<{ data: Totals }>;
  /** The search whose grants are listed. */
  readonly query: Query;
  readonly known: KnownNames;
  /** True if the charts are open at first: not on phones, on later pages, and for a few grants. */
  readonly isOpen: boolean;
};

/** The totals of the listed search. Until they arrive their place is kept, also if they come late. */
export function SearchTotals({ progress, query, known, isOpen }: Properties) {
  const drawn = useRef(progress.found);
  const { href } = totalsCall(query);
  if (progress.found?.href.endsWith(href)) drawn.current = progress.found;
  const totals = drawn.current?.href.endsWith(href) ? drawn.current.body.data : undefined;
  const wasLate = useRef(false);
  const { failure, state, retry } = progress;
  const isFailed = totals === undefined && (state === "failed" || state === "stopped");
  if (totals === undefined && !isFailed) wasLate.current = true;
  return (
    <section
      class={`totals${isOpen && wasLate.current && !isFailed ? " is-late" : ""}`}
      aria-label="Totals of all these grants"
      aria-busy={totals === undefined && !isFailed}
    >
      {totals !== undefined ? (
        <>
          <p class="totals-sentence">{describeTotals(totals)}</p>
          <Coverage totals={totals} />
          <div class="publish-place">
            <PublishBar
              query={without(query, "sort", "limit", "offset")}
              totals={totals}
              release={drawn.current?.release}
              known={known}
            />
          </div>
          <details open={isOpen}>
            <summary>By year, size, funder and recipient</summary>
            <Charts totals={totals} query={query} />
          </details>
        </>
      ) : !isFailed ? (
        <>
          <p class="totals-sentence is-missing">Adding up the totals…</p>
          {hasCoverage(query) ? <Coverage totals={undefined} /> : null}
        </>
      ) : failure?.code === "static_host" ? (
        <p class="note">This static copy has no totals of this search.</p>
      ) : (
        <p class="note">
          {state === "stopped"
            ? "The totals were stopped before they were added up."
            : "The totals of this search couldn’t be added up."}{" "}
          <button type="button" class="link-button" onClick={retry}>
            Try again
          </button>
        </p>
      )}
    </section>
  );
}

function Charts({ totals, query }: { totals: Totals; query: Query }) {
  const { years, sizes, top_funders, top_recipients, funders, recipients, without_recipient } = totals;
  const chosen = query.transaction_year;
  return (
    <div class="totals-charts">
      <div class="columns">
        <YearsSection
          years={years}
          way="given"
          isFiltered
          hrefOf={(year) => `/${formatQuery(inYear(query, year))}`}
          chosen={chosen === undefined ? undefined : Number(chosen)}
        />
        <GrantSizes sizes={sizes} />
      </div>
      <div class="columns">
        <TopGroups isCompact by="funder" groups={top_funders} total={funders} query={query} />
        <TopGroups isCompact by="recipient" groups={top_recipients} total={recipients} query={query} />
      </div>
      {query.recipient_cause === undefined || writePlace(query) === "" ? null : (
        <LookAtFunders query={query} />
      )}
      <Ranking query={query} names={["recipient_state", "funder_state"]} />
      <Ranking query={query} names={["recipient_cause"]} />
      <p class="note">
        {without_recipient.records === 0
          ? null
          : `${formatCounted(without_recipient.records)} (${formatAmountLong(without_recipient.amount)}) name no recipient.`}
        {describeMarks(totals)}
      </p>
    </div>
  );
}
