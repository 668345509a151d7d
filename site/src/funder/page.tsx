// Shows a funder: totals, recipients, sizes, years, and every grant.
import "../organization/organization.css";
import { formatQuery } from "../address/query.ts";
import { useAddress } from "../address/useAddress.ts";
import { funderSummaryCall, pageHref } from "../api/calls.ts";
import type { FunderSummary, HistoryPage } from "../api/client.ts";
import { findCurrent, useCall } from "../api/useCall.ts";
import { AskEin } from "../organization/askEin.tsx";
import { OrganizationHead, PendingHead } from "../organization/head.tsx";
import { Lede } from "../organization/lede.tsx";
import { Missing } from "../organization/missing.tsx";
import { Tabs } from "../organization/tabs.tsx";
import { useOrganization } from "../organization/useOrganization.ts";
import { usePageState } from "../organization/usePageState.ts";
import { WhileSummary } from "../organization/whileSummary.tsx";
import { YearsSection } from "../organization/yearsSection.tsx";
import { FailureNotice } from "../parts/failureNotice.tsx";
import { SkipToRows } from "../parts/grantTable.tsx";
import { Icon } from "../parts/icon.tsx";
import { startPage } from "../shell/start.tsx";
import { useTitle } from "../shell/useTitle.ts";
import { formatEinText } from "../text/numbers.ts";
import { AllGrants } from "./allGrants.tsx";
import { filteredSentence, useFiltered } from "./filtered.ts";
import { csvHref, type FunderQuery, funderHref, grantsCall, readFunderQuery } from "./filters.ts";
import { FunderPeers } from "./funderPeers.tsx";
import { GrantSizes } from "./grantSizes.tsx";
import { funderSentence, funderTitle, repeatedSentence } from "./sentence.ts";
import { TopRecipients } from "./topRecipients.tsx";

/** The page; without an EIN it asks for one. */
export function FunderPage() {
  const address = useAddress();
  const read = readFunderQuery(address.search);
  const { ein } = read;
  return (
    <div class="wide page stack tone-out">
      {ein === undefined ? (
        <AskEin side="funder" value={read.query.ein} />
      ) : (
        <Funder key={ein} read={{ ...read, ein }} address={address} />
      )}
    </div>
  );
}

type Properties = {
  readonly read: FunderQuery & { readonly ein: string };
  readonly address: ReturnType<typeof useAddress>;
};

function Funder({ read, address }: Properties) {
  const { ein, filters, problems, offset } = read;
  const summary = useCall(funderSummaryCall(ein));
  const call = problems.length === 0 ? grantsCall(ein, filters, offset) : undefined;
  const grants = useCall(call, address.release);
  const { name, place } = useOrganization(ein, "funder");
  const { found, failure } = summary;
  const shownName = name ?? `EIN ${formatEinText(ein)}`;
  const isMissing = failure?.code === "funder_not_found";
  useTitle(
    found === undefined
      ? isMissing
        ? undefined
        : `${shownName} – Grant History`
      : funderTitle(shownName, found.body.data),
  );
  const isStatic = failure?.code === "static_host";
  const { isReady, outage, rows } = usePageState(address, name !== undefined, summary, grants, call);
  if (!isReady) return <PendingHead side="funder" ein={ein} />;
  return (
    <>
      {grants.found === undefined ? null : <SkipToRows />}
      <OrganizationHead side="funder" ein={ein} name={name} place={place}>
        {isMissing || isStatic ? undefined : (
          <>
            <a class="button" href={pageHref("compare", { ein })}>
              <Icon name="compare" /> Compare
            </a>
            <a class="button" href={csvHref(ein, filters)} download>
              <Icon name="download" /> Download CSV
            </a>
          </>
        )}
      </OrganizationHead>
      {isMissing ? (
        <Missing side="funder" ein={ein} />
      ) : outage !== undefined ? (
        <>
          <FailureNotice isOrganization progress={outage} />
          {isStatic ? <a href={funderHref(ein, {})}>Show all grants of this funder</a> : null}
        </>
      ) : (
        <div class="stack">
          <WhileSummary summary={summary}>
            {found === undefined ? null : (
              <Totals read={read} summary={found.body.data} page={findCurrent(grants, call)} />
            )}
          </WhileSummary>
          <AllGrants
            read={read}
            summary={found?.body.data}
            isStatic={isStatic}
            rows={rows}
            onFilter={(next) => address.go(formatQuery({ ein, ...next }))}
          />
        </div>
      )}
    </>
  );
}

type TotalsProperties = {
  readonly read: Properties["read"];
  readonly summary: FunderSummary;
  /** The rows of the table, once they are found. */
  readonly page: HistoryPage | undefined;
};

/** The parts made from the summary. What is filtered comes first. */
function Totals({ read, summary, page }: TotalsProperties) {
  const { ein, filters, problems } = read;
  const year = filters.transaction_year;
  const repeated = repeatedSentence(summary);
  const isFiltered = Object.keys(filters).length > 0 && problems.length === 0;
  const filtered = useFiltered(ein, isFiltered ? filters : {}, summary, page);
  return (
    <>
      {isFiltered ? <Lede pieces={filteredSentence(filters, filtered)} /> : null}
      <Lede pieces={funderSentence(summary, isFiltered ? "In all, gave " : undefined)} />
      {repeated === undefined ? null : <p class="repeated">{repeated}</p>}
      <Tabs ein={ein} shown="made" made={summary.records} received={summary.received.records} />
      <div class="columns">
        <YearsSection
          years={summary.years}
          repeated={summary.repeated.years}
          way="given"
          hrefOf={(chosen) => funderHref(ein, { ...filters, transaction_year: String(chosen) })}
          chosen={year === undefined ? undefined : Number(year)}
        />
        <GrantSizes sizes={summary.sizes} />
      </div>
      <TopRecipients summary={summary} />
      <FunderPeers ein={ein} />
    </>
  );
}

startPage(FunderPage);
