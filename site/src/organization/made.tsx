// Starts the page of a funder: the totals of the grants that it made, all or those that pass the filters.
import { inYear, without } from "../address/query.ts";
import type { FunderSummary } from "../api/client.ts";
import { ByState } from "../groups/byState.tsx";
import { TopGroups } from "../groups/topGroups.tsx";
import { Coverage, hasCoverage } from "../parts/coverage.tsx";
import { useKeptHeight } from "../parts/useKeptHeight.ts";
import { PublishBar } from "../publish/publishBar.tsx";
import { repeatsOfYears } from "../text/totals.ts";
import { FilterForm } from "./filterForm.tsx";
import { filteredSentence, funderSentence, repeatedSentence } from "./funderSentences.ts";
import { GrantSizes } from "./grantSizes.tsx";
import { startOrganization } from "./page.tsx";
import { organizationHref } from "./side.ts";
import { Lede, type Passing, Tabs, type TotalsProperties } from "./totals.tsx";
import { YearsSection } from "./years.tsx";

/** The totals of the grants made. Those that pass the filters come first. */
function Made({ read, name, summary, release, passing, children }: TotalsProperties<FunderSummary>) {
  const { ein, filters } = read;
  const chosen = without(filters, "sort");
  const repeated = repeatedSentence(summary);
  const found = passing?.state === "found" ? passing.found : undefined;
  return (
    <>
      {passing === undefined ? null : <Filtered totals={passing} filters={chosen} />}
      <Lede pieces={funderSentence(summary, passing && "In all, gave ")} />
      {repeated === undefined ? null : <p class="repeated">{repeated}</p>}
      {children}
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
      <TopGroups
        key={totals?.found?.href} // a recipient of other ranks is not the same row, which would move
        by="recipient"
        groups={top_recipients}
        total={recipients}
        query={passing === undefined ? { funder_ein: ein } : { ...filters, funder_ein: ein }}
      />
      <ByState query={{ ...filters, funder_ein: ein }} names={["recipient_state"]} />
    </div>
  );
}

startOrganization({ side: "funder", SideTotals: Made, FilterForm });
