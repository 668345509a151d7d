// Shows a recipient: totals, funders, spellings of its name, and every grant.
import "../organization/organization.css";
import "./recipient.css";
import { parseEin } from "../../../api-static/contract/ein.ts";
import { formatQuery, readPageQuery } from "../address/query.ts";
import { useAddress } from "../address/useAddress.ts";
import { pageHref, recipientPeersCall, recipientSummaryCall, searchCall } from "../api/calls.ts";
import type { Grant, RecipientSummary } from "../api/client.ts";
import { useCall } from "../api/useCall.ts";
import { AskEin } from "../organization/askEin.tsx";
import { allGrants, GrantsSection } from "../organization/grantsSection.tsx";
import { OrganizationHead, PendingHead } from "../organization/head.tsx";
import { Lede } from "../organization/lede.tsx";
import { Missing } from "../organization/missing.tsx";
import { Tabs } from "../organization/tabs.tsx";
import { useOrganization } from "../organization/useOrganization.ts";
import { usePageState } from "../organization/usePageState.ts";
import { WhileSummary } from "../organization/whileSummary.tsx";
import { YearsSection } from "../organization/yearsSection.tsx";
import { AddressProblems } from "../parts/addressProblems.tsx";
import { FailureNotice } from "../parts/failureNotice.tsx";
import { SkipToRows } from "../parts/grantTable.tsx";
import { Icon } from "../parts/icon.tsx";
import { cleanEin } from "../search/fields.ts";
import { startPage } from "../shell/start.tsx";
import { useTitle } from "../shell/useTitle.ts";
import { formatEinText } from "../text/numbers.ts";
import { FunderGrid } from "./funderGrid.tsx";
import { RecipientPeers } from "./recipientPeers.tsx";
import { recipientSentence, recipientTitle } from "./sentence.ts";
import { Uncounted } from "./uncounted.tsx";
import { WrittenWays } from "./writtenWays.tsx";

/** The page; without an EIN it asks for one. */
export function RecipientPage() {
  const address = useAddress();
  const { query, problems } = readPageQuery(address.search, ["ein", "offset"]);
  const ein = parseEin(cleanEin(query.ein ?? ""));
  const others = problems.filter(({ parameter }) => parameter !== "ein");
  return (
    <div class="wide page stack tone-in">
      {ein === undefined ? (
        <AskEin side="recipient" value={query.ein} />
      ) : others.length > 0 ? (
        <>
          <PendingHead side="recipient" ein={ein} />
          <AddressProblems
            query={query}
            problems={others}
            href={pageHref("recipient", { ein })}
            link="Show the grants without it"
          />
        </>
      ) : (
        <Recipient key={ein} ein={ein} offset={Number(query.offset ?? 0)} address={address} />
      )}
    </div>
  );
}

type Properties = {
  readonly ein: string;
  readonly offset: number;
  readonly address: ReturnType<typeof useAddress>;
};

function Recipient({ ein, offset, address }: Properties) {
  const summary = useCall(recipientSummaryCall(ein));
  const callOf = (from: number) =>
    searchCall({ recipient_ein: ein, limit: "1000", ...(from === 0 ? {} : { offset: String(from) }) });
  const newest = useCall(callOf(0), address.release);
  const later = useCall(offset === 0 ? undefined : callOf(offset), address.release);
  const grants = offset === 0 ? newest : later;
  const { name, place } = useOrganization(ein, "recipient");
  const { found, failure } = summary;
  const isMissing = failure?.code === "recipient_not_found";
  const displayName =
    name ?? found?.body.data.recipient_name ?? (name === null && failure !== undefined ? null : undefined);
  const shownName = displayName ?? `EIN ${formatEinText(ein)}`;
  const waitingTitle = isMissing ? undefined : `${shownName} – Grant History`;
  useTitle(found === undefined ? waitingTitle : recipientTitle(shownName, found.body.data));
  const { isReady, outage, rows } = usePageState(
    address,
    displayName !== undefined,
    summary,
    grants,
    callOf(offset),
  );
  if (!isReady) return <PendingHead side="recipient" ein={ein} />;
  const hasCsv = !isMissing && failure?.code !== "static_host";
  return (
    <>
      {grants.found === undefined ? null : <SkipToRows />}
      <OrganizationHead side="recipient" ein={ein} name={displayName} place={place}>
        {hasCsv ? (
          <a
            class="button"
            href={`/v1/history.csv${formatQuery({ recipient_ein: ein, formulas: "escape" })}`}
            download
          >
            <Icon name="download" /> Download CSV
          </a>
        ) : undefined}
      </OrganizationHead>
      {isMissing ? (
        <Missing side="recipient" ein={ein} />
      ) : outage !== undefined ? (
        <FailureNotice isOrganization progress={outage} />
      ) : (
        <div class="stack">
          <WhileSummary summary={summary}>
            {found === undefined ? null : (
              <Totals
                summary={found.body.data}
                newest={newest.found?.body.data}
                displayName={displayName ?? null}
              />
            )}
          </WhileSummary>
          <GrantsSection
            rows={rows}
            title={allGrants(grants.found?.body.total ?? found?.body.data.records)}
            calls={[
              { href: recipientSummaryCall(ein).href, use: "totals and charts" },
              { href: recipientPeersCall(ein).href, use: "also funded by them" },
              { href: callOf(offset).href, use: "this table" },
            ]}
            without="recipient"
            hrefOf={(first) => `/recipient${formatQuery({ ein, offset: first })}`}
          />
        </div>
      )}
    </>
  );
}

type TotalsProperties = {
  readonly summary: RecipientSummary;
  /** The newest grants, at most 1,000; undefined while they are awaited. */
  readonly newest: readonly Grant[] | undefined;
  readonly displayName: string | null;
};

/** The parts made from the summary and the newest grants. */
function Totals({ summary, newest, displayName }: TotalsProperties) {
  const { recipient_ein: ein, records } = summary;
  const made = useCall(searchCall({ funder_ein: ein, limit: "1" })).found?.body.total;
  return (
    <>
      <Lede pieces={recipientSentence(summary)} />
      <Tabs ein={ein} shown="received" made={made} received={records} />
      <div class="columns">
        <YearsSection
          years={summary.years}
          way="received"
          hrefOf={(year) => `/${formatQuery({ recipient_ein: ein, transaction_year: year })}`}
          chosen={undefined}
        />
        {newest === undefined ? null : <WrittenWays grants={newest} total={records} />}
      </div>
      <Uncounted ein={ein} name={displayName} grants={newest} />
      {newest === undefined ? null : <FunderGrid ein={ein} grants={newest} total={records} />}
      <RecipientPeers ein={ein} />
    </>
  );
}

startPage(RecipientPage);
