// Starts the page of a funder: the totals of the grants that it made, all or those that pass the filters.
import { inYear, type Query, without } from "../address/query.ts";
import type { FunderSummary } from "../api/client.ts";
import { knows } from "../api/places.ts";
import { useStatus } from "../api/useCall.ts";
import { GrantSizes } from "../charts/grantSizes.tsx";
import { YearsSection } from "../charts/yearsSection.tsx";
import { Ranking } from "../groups/fold.tsx";
import { TopGroups } from "../groups/topGroups.tsx";
import { Coverage, hasCoverage } from "../parts/coverage.tsx";
import { Section } from "../parts/section.tsx";
import { useKeptHeight } from "../parts/useKeptHeight.ts";
import { useLoaded } from "../parts/useLoaded.ts";
import { useNarrow } from "../parts/useNarrow.ts";
import { PublishBar } from "../publish/publishBar.tsx";
import { repeatsOfYears } from "../text/totals.ts";
import { FilterForm } from "./filterForm.tsx";
import { filteredSentence, funderSentence, repeatedSentence } from "./funderSentences.ts";
import { startOrganization } from "./page.tsx";
import { organizationHref } from "./side.ts";
import { Lede, type Passing, Tabs, type TotalsProperties } from "./totals.tsx";

const loadRanked = () => import("../groups/ranked.tsx");

/** Sentences on the grants made. Those that pass the filters come first. */
function Sentences({ read, summary, passing }: TotalsProperties<FunderSummary>) {
  const repeated = repeatedSentence(summary);
  return (
    <>
      {passing === undefined ? null : <Filtered totals={passing} filters={without(read.filters, "sort")} />}
      <Lede pieces={funderSentence(summary, passing && "In all, gave ")} />
      {repeated === undefined ? null : <p class="repeated">{repeated}</p>}
    </>
  );
}

/** The totals of the grants made. */
function Made({ read, name, summary, release, passing }: TotalsProperties<FunderSummary>) {
  const { ein, filters } = read;
  const chosen = without(filters, "sort");
  const found = passing?.state === "found" ? passing.found : undefined;
  return (
    <>
      <PublishBar
        query={{ ...(passing && chosen), funder_ein: ein }}
        totals={passing === undefined ? summary : found?.body.data}
        release={passing === undefined ? release : found?.release}
        known={{ funder: name }}
        repeated={repeatsOfYears(summary, passing && chosen)}
      />
      <Tabs ein={ein} shown="funder" made={summary.records} received={summary.received.records} />
      <Charts ein={ein} filters={filters} summary={summary} totals={passing} />
    </>
  );
}

type FilteredProperties = {
  totals: NonNullable<Passing>;
  filters: TotalsProperties<unknown>["read"]["filters"];
};

/** The sentence on the grants that pass the filters, in a line that is reserved for it. */
function Filtered({ totals: { found, state, retry }, filters }: FilteredProperties) {
  if (state !== "failed" && state !== "stopped")
    return (
      <>
        <p class="totals-sentence" aria-busy={state !== "found"}>
          {state === "found" && found !== undefined ? filteredSentence(filters, found.body.data) : "\u00A0"}
        </p>
        {hasCoverage(filters) ? <Coverage totals={found?.body.data} /> : null}
      </>
    );
  return (
    <p class="totals-sentence is-missing">
      The grants that pass the filters couldn’t be added up.{" "}
      <button type="button" class="link-button" onClick={retry}>
        Try again
      </button>
    </p>
  );
}

type ChartsProperties = Pick<TotalsProperties<FunderSummary>, "summary"> & {
  readonly ein: string;
  readonly filters: FilteredProperties["filters"];
  /** Of the grants that pass the filters; undefined without filters. */
  readonly totals: Passing;
};

/** The charts; the earlier ones stay, dimmed, until those of new filters arrive, or if they fail. */
function Charts({ ein, filters, summary, totals }: ChartsProperties) {
  const passing = totals?.found?.body.data;
  const { years, sizes, top_recipients, recipients } = passing ?? summary;
  const year = filters.transaction_year;
  const shown = passing === undefined ? { funder_ein: ein } : { ...filters, funder_ein: ein };
  const status = useStatus().found?.body;
  const isNarrow = useNarrow(960); // one column, where causes that come late would move the rows
  const knowsCauses = status !== undefined && knows(status, "recipient_cause");
  const hasCauses = !isNarrow && knowsCauses && filters.recipient_cause === undefined;
  // Charts of fewer years and recipients keep the place of the ones before: the form of filters and the rows below do not move.
  const box = useKeptHeight<HTMLDivElement>(totals !== undefined);
  const columns = useKeptHeight<HTMLDivElement>(totals !== undefined);
  return (
    <div ref={box} class={`stack${totals === undefined || totals.state === "found" ? "" : " is-old"}`}>
      {years.length === 0 ? null : (
        <div ref={columns} class="columns">
          <YearsSection
            years={years}
            repeated={totals === undefined ? summary.repeated.years : []}
            way="given"
            isFiltered={passing !== undefined}
            hrefOf={(chosen) => organizationHref("funder", ein, inYear(filters, chosen))}
            chosen={year === undefined ? undefined : Number(year)}
          />
          <GrantSizes sizes={sizes} />
        </div>
      )}
      <div class={hasCauses ? "columns" : ""}>
        <TopGroups
          key={totals?.found?.href} // a recipient of other ranks is not the same row, which would move
          by="recipient"
          groups={top_recipients}
          total={recipients}
          query={shown}
          isCompact={hasCauses}
        />
        {hasCauses ? <Causes query={shown} /> : null}
      </div>
      <Ranking query={{ ...filters, funder_ein: ein }} names={["recipient_state"]} />
      {isNarrow ? <Ranking query={shown} names={["recipient_cause"]} /> : null}
    </div>
  );
}

/** The causes of the recipients, beside the recipients with the largest sums. */
function Causes({ query }: { query: Query }) {
  const Ranked = useLoaded(true, loadRanked)?.Ranked;
  return (
    <Section title="Causes" note="Of recipients, by dollars. Choose one to see its grants.">
      {Ranked && <Ranked query={query} names={["recipient_cause"]} />}
    </Section>
  );
}

startOrganization({ side: "funder", Sentences, SideTotals: Made, FilterForm });
