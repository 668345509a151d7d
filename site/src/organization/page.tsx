// Shows an organization: the totals of one of its sides, and every grant that it made or received.
import { hyphenateEin } from "../../../api-static/contract/ein.ts";
import "./organization.css";
import "./recipient.css";
import type { ComponentType } from "preact";
import { without } from "../address/query.ts";
import { type Address, useAddress } from "../address/useAddress.ts";
import { useTitle } from "../address/useTitle.ts";
import { funderTotalsCall, pageHref } from "../api/calls.ts";
import { useCall } from "../api/useCall.ts";
import { CsvLinks } from "../parts/csvLinks.tsx";
import { FailureNotice } from "../parts/failureNotice.tsx";
import { FollowLink } from "../parts/followLink.tsx";
import { SkipToRows } from "../parts/grantTable.tsx";
import { Icon } from "../parts/icon.tsx";
import { useLoaded } from "../parts/useLoaded.ts";
import { useNarrow } from "../parts/useNarrow.ts";
import { startPage } from "../shell/start.tsx";

import type { FilterFormProperties } from "./filterForm.tsx";
import { GrantsSection, type LikelyParts } from "./grantsSection.tsx";
import { OrganizationHead, PendingHead } from "./head.tsx";
import { organizationTitle } from "./sentences.ts";
import {
  csvHref,
  followed,
  grantsCall,
  type OrganizationQuery,
  organizationHref,
  readOrganization,
  type Side,
  type Summary,
  showsLikely,
  summaryCall,
} from "./side.ts";
import { type Passing, Pieces, Totals, type TotalsProperties } from "./totals.tsx";
import { useOrganization } from "./useOrganization.ts";
import { usePageState } from "./usePageState.ts";

type Shows = {
  readonly side: Side;
  /** Shows the totals of this side. */
  readonly SideTotals: ComponentType<TotalsProperties<never>>;
  /** Shows the sentences that stand above the form of filters, if the side has one. */
  readonly Sentences?: ComponentType<TotalsProperties<never>>;
  /** The form of filters. */
  readonly FilterForm?: ComponentType<FilterFormProperties>;
  readonly likely?: LikelyParts;
};

/** Starts the page of one side. Each side has a script, so that no reader loads the charts of the other. */
export function startOrganization(shows: Shows): void {
  startPage(() => <OrganizationPage {...shows} />);
}

/** What readers seldom see, or see last. */
const loadMissing = () => import("./missing.tsx");
const loadMoney = () => import("./money.tsx");

/** The page; without an EIN it asks for one. */
function OrganizationPage(shows: Shows) {
  const { side } = shows;
  const address = useAddress();
  const read = readOrganization(side, address.search);
  const { ein } = read;
  const AskEin = useLoaded(ein === undefined, loadMissing)?.AskEin;
  return (
    <div class={`wide page stack tone-${side === "funder" ? "out" : "in"}`}>
      {ein === undefined ? (
        AskEin && <AskEin side={side} value={read.query.ein} />
      ) : (
        <Organization key={ein} {...shows} read={{ ...read, ein }} address={address} />
      )}
    </div>
  );
}

type Properties = Shows & {
  readonly read: OrganizationQuery & { readonly ein: string };
  readonly address: Address;
};

function Organization({ side, Sentences, SideTotals, FilterForm, likely, read, address }: Properties) {
  const { ein, problems } = read;
  const summary = useCall(summaryCall(side, ein));
  const call = problems.length === 0 ? grantsCall(read) : undefined;
  const grants = useCall(call, address.release);
  const first = side === "recipient" ? grantsCall({ ...read, offset: 0 }) : undefined;
  const { found, failure } = summary;
  const isMissing = failure?.code === `${side}_not_found`;
  const newest = useCall(first, address.release).found?.body.data;
  const Missing = useLoaded(isMissing, loadMissing)?.Missing;
  const { name, place } = useOrganization(ein, side, summary);
  const isStatic = failure?.code === "static_host";
  const More = useLoaded(!isStatic && grants.found !== undefined, loadMoney)?.More;
  const isNarrow = useNarrow(); // the answer comes before a stack of buttons
  const actions =
    isMissing || isStatic ? null : <Actions side={side} read={read} csvNote={likely?.csvNote} />;
  const passing = usePassing(read);
  const title = name ?? `EIN ${hyphenateEin(ein)}`;
  const passed = passing?.state === "found" ? passing.found?.body.data : undefined;
  useTitle(organizationTitle(title, found?.body.data, isMissing, read.filters, passed));
  const { isReady, outage, rows } = usePageState(address, name !== undefined, summary, grants, call);
  if (!isReady) return <PendingHead side={side} ein={ein} />;
  return (
    <>
      {grants.found === undefined ? null : <SkipToRows />}
      <OrganizationHead side={side} ein={ein} name={name} place={place}>
        {isNarrow ? null : actions}
      </OrganizationHead>
      {isMissing ? (
        Missing && name !== undefined && <Missing side={side} ein={ein} name={name} />
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
            Sentences={Sentences as ComponentType<TotalsProperties<Summary>> | undefined}
            Side={SideTotals as ComponentType<TotalsProperties<Summary>>}
            read={read}
            name={name ?? undefined}
            summary={summary}
            release={found?.release}
            passing={passing}
            newest={newest}
            go={(search) => rows.go(search, false)}
          >
            {FilterForm === undefined ? null : (
              <FilterForm read={read} summary={found?.body.data} rows={rows} />
            )}
          </Totals>
          {isNarrow && actions !== null ? <div class="actions">{actions}</div> : null}
          <GrantsSection
            read={read}
            summary={found?.body.data}
            passing={passing}
            isStatic={isStatic}
            rows={rows}
            likely={likely}
          />
          {More && <More ein={ein} Pieces={Pieces} summary={found?.body.data} />}
        </div>
      )}
    </>
  );
}

/** The totals of a funder's grants that pass the filters; undefined if none is set, or one is wrong. */
function usePassing({ side, ein, filters, problems }: Properties["read"]): Passing {
  const passing = without(filters, "sort");
  const isFiltered = side === "funder" && Object.keys(passing).length > 0 && problems.length === 0;
  const totals = useCall(isFiltered ? funderTotalsCall(ein, passing) : undefined);
  return isFiltered ? totals : undefined;
}

/** The links of the head. */
function Actions({
  side,
  read,
  csvNote,
}: Pick<Properties, "side" | "read"> & { csvNote: string | undefined }) {
  return (
    <>
      {side === "recipient" ? null : (
        <a class="button" href={pageHref("compare", { ein: read.ein })}>
          <Icon name="compare" /> Compare
        </a>
      )}
      <CsvLinks
        hrefOf={(form) => csvHref(read, form)}
        isByAmount={read.filters.sort === "amount"}
        note={showsLikely(read.filters) ? csvNote : undefined}
        beside={read.problems.length === 0 && <FollowLink {...followed(read)} />}
      >
        Download CSV
      </CsvLinks>
    </>
  );
}
