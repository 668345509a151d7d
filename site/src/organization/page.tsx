// Shows an organization: the totals of one of its sides, and every grant that it made or received.
import { hyphenateEin } from "../../../api-static/contract/ein.ts";
import "./organization.css";
import "./recipient.css";
import { type Address, useAddress } from "../address/useAddress.ts";
import { pageHref } from "../api/calls.ts";
import { findCurrent, useCall } from "../api/useCall.ts";
import { CsvLinks } from "../parts/csvLinks.tsx";
import { FailureNotice } from "../parts/failureNotice.tsx";
import { SkipToRows } from "../parts/grantTable.tsx";
import { Icon } from "../parts/icon.tsx";
import { startPage } from "../shell/start.tsx";
import { useTitle } from "../shell/useTitle.ts";

import { GrantsSection } from "./grantsSection.tsx";
import { OrganizationHead, PendingHead } from "./head.tsx";
import { AskEin, Missing } from "./missing.tsx";
import { organizationTitle } from "./sentences.ts";
import {
  csvHref,
  grantsCall,
  type OrganizationQuery,
  organizationHref,
  readOrganization,
  type Side,
  summaryCall,
} from "./side.ts";
import { Totals } from "./totals.tsx";
import { useOrganization } from "./useOrganization.ts";
import { usePageState } from "./usePageState.ts";

const side: Side = location.pathname.startsWith("/recipient") ? "recipient" : "funder";

/** The page; without an EIN it asks for one. */
function OrganizationPage() {
  const address = useAddress();
  const read = readOrganization(side, address.search);
  const { ein } = read;
  return (
    <div class={`wide page stack tone-${side === "funder" ? "out" : "in"}`}>
      {ein === undefined ? (
        <AskEin side={side} value={read.query.ein} />
      ) : (
        <Organization key={ein} read={{ ...read, ein }} address={address} />
      )}
    </div>
  );
}

type Properties = {
  readonly read: OrganizationQuery & { readonly ein: string };
  readonly address: Address;
};

function Organization({ read, address }: Properties) {
  const { ein, problems } = read;
  const summary = useCall(summaryCall(side, ein));
  const call = problems.length === 0 ? grantsCall(read) : undefined;
  const grants = useCall(call, address.release);
  const first = side === "recipient" ? grantsCall({ ...read, offset: 0 }) : undefined;
  const newest = useCall(first, address.release).found?.body.data;
  const { name, place } = useOrganization(ein, side, summary);
  const { found, failure } = summary;
  const isMissing = failure?.code === `${side}_not_found`;
  const isStatic = failure?.code === "static_host";
  useTitle(organizationTitle(name ?? `EIN ${hyphenateEin(ein)}`, found?.body.data, isMissing));
  const { isReady, outage, rows } = usePageState(address, name !== undefined, summary, grants, call);
  if (!isReady) return <PendingHead side={side} ein={ein} />;
  return (
    <>
      {grants.found === undefined ? null : <SkipToRows />}
      <OrganizationHead side={side} ein={ein} name={name} place={place}>
        {isMissing || isStatic ? undefined : <Actions read={read} />}
      </OrganizationHead>
      {isMissing ? (
        <Missing side={side} ein={ein} />
      ) : outage !== undefined ? (
        <>
          <FailureNotice isOrganization progress={outage} />
          {isStatic && side === "funder" ? (
            <a href={organizationHref(side, ein)}>Show all grants of this funder</a>
          ) : null}
        </>
      ) : (
        <div class="stack">
          <Totals
            read={read}
            summary={summary}
            page={findCurrent(grants, call)}
            newest={newest}
            name={name ?? null}
          />
          <GrantsSection read={read} summary={found?.body.data} isStatic={isStatic} rows={rows} />
        </div>
      )}
    </>
  );
}

/** The links of the head. */
function Actions({ read }: Pick<Properties, "read">) {
  return (
    <>
      {side === "recipient" ? null : (
        <a class="button" href={pageHref("compare", { ein: read.ein })}>
          <Icon name="compare" /> Compare
        </a>
      )}
      <CsvLinks hrefOf={(form) => csvHref(read, form)} isByAmount={read.filters.sort === "amount"}>
        Download CSV
      </CsvLinks>
    </>
  );
}

startPage(OrganizationPage);
