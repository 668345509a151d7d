// Shows the totals of one side of an organization. The table below does not wait for them.
import { useRef } from "preact/hooks";
import { formatQuery, inYear, without } from "../address/query.ts";
import { searchCall } from "../api/calls.ts";
import type { FunderSummary, Grant, HistoryPage, RecipientSummary } from "../api/client.ts";
import { type Progress, useCall } from "../api/useCall.ts";
import { FailureNotice } from "../parts/failureNotice.tsx";
import { Notice } from "../parts/notice.tsx";
import { formatCount } from "../text/numbers.ts";
import { filteredSentence, useFiltered } from "./filtered.ts";
import { FunderGrid } from "./funderGrid.tsx";
import { GrantSizes } from "./grantSizes.tsx";
import { Peers } from "./peers.tsx";
import { funderSentence, type Piece, recipientSentence, repeatedSentence } from "./sentences.ts";
import { type OrganizationQuery, organizationHref, type Side, type Summary } from "./side.ts";
import { TopRecipients } from "./topRecipients.tsx";
import { Uncounted } from "./uncounted.tsx";
import { WrittenWays } from "./writtenWays.tsx";
import { YearsSection } from "./years.tsx";

type Properties<Shown = Progress<{ data: Summary }>> = {
  readonly read: OrganizationQuery & { readonly ein: string };
  readonly summary: Shown;
  /** The rows of the table, once they are found. */
  readonly page: HistoryPage | undefined;
  /** A recipient's newest grants, at most 1,000; undefined while they are awaited. */
  readonly newest: readonly Grant[] | undefined;
  readonly name: string | null;
};

/** The totals, a skeleton, or why there are none. Totals that come late keep the skeleton's space, so that no row moves. */
export function Totals(properties: Properties) {
  const { summary } = properties;
  const { found, failure, state } = summary;
  const wasLate = useRef(false);
  if (found === undefined && failure === undefined) wasLate.current = true;
  if (failure?.code === "static_host")
    return (
      <Notice title="Totals and charts are missing here">
        <p>
          This is a static copy: it has the grants, but sums, filters and downloads need the API’s server.
        </p>
      </Notice>
    );
  if (failure !== undefined) return <FailureNotice isOrganization progress={summary} />;
  return (
    <div class={`stack summary${wasLate.current ? " is-late" : ""}`}>
      {found !== undefined ? (
        "funder_ein" in found.body.data ? (
          <Made {...properties} summary={found.body.data} />
        ) : (
          <Received {...properties} summary={found.body.data} />
        )
      ) : state === "stopped" ? null : (
        <>
          <p class="lede" role="status">
            Adding up the totals… The grants are listed below already.
          </p>
          <svg class="summary-skeleton" width="100%" height="450" aria-hidden="true">
            <rect class="track" y="108" width="55%" height="300" rx="6" />
            <rect class="track" x="60%" y="108" width="40%" height="300" rx="6" />
          </svg>
        </>
      )}
    </div>
  );
}

/** The totals of the grants made. The filtered grants come first. */
function Made({ read, summary, page }: Properties<FunderSummary>) {
  const { ein, filters, problems } = read;
  const year = filters.transaction_year;
  const repeated = repeatedSentence(summary);
  const isFiltered = Object.keys(without(filters, "sort")).length > 0 && problems.length === 0;
  const filtered = useFiltered(ein, isFiltered ? filters : {}, summary, page);
  return (
    <>
      {isFiltered ? <Lede pieces={filteredSentence(filters, filtered)} /> : null}
      <Lede pieces={funderSentence(summary, isFiltered ? "In all, gave " : undefined)} />
      {repeated === undefined ? null : <p class="repeated">{repeated}</p>}
      <Tabs ein={ein} shown="funder" made={summary.records} received={summary.received.records} />
      <div class="columns">
        <YearsSection
          years={summary.years}
          repeated={summary.repeated.years}
          way="given"
          hrefOf={(chosen) => organizationHref("funder", ein, inYear(filters, chosen))}
          chosen={year === undefined ? undefined : Number(year)}
        />
        <GrantSizes sizes={summary.sizes} />
      </div>
      <TopRecipients summary={summary} />
      <Peers side="funder" ein={ein} />
    </>
  );
}

/** The totals of the grants received. */
function Received({ read: { ein }, summary, newest, name }: Properties<RecipientSummary>) {
  const { records } = summary;
  const made = useCall(searchCall({ funder_ein: ein, limit: "1" })).found?.body.total;
  return (
    <>
      <Lede pieces={recipientSentence(summary)} />
      <Tabs ein={ein} shown="recipient" made={made} received={records} />
      <div class="columns">
        <YearsSection
          years={summary.years}
          way="received"
          hrefOf={(year) => `/${formatQuery({ recipient_ein: ein, transaction_year: year })}`}
          chosen={undefined}
        />
        {newest === undefined ? null : <WrittenWays grants={newest} total={records} />}
      </div>
      <Uncounted ein={ein} name={name} grants={newest} />
      {newest === undefined ? null : <FunderGrid ein={ein} grants={newest} total={records} />}
      <Peers side="recipient" ein={ein} />
    </>
  );
}

/** A sentence with numbers. */
function Lede({ pieces }: { pieces: readonly Piece[] }) {
  return (
    <p class="lede">
      {pieces.map((piece, index) =>
        typeof piece === "string" ? (
          piece
        ) : "strong" in piece ? (
          <strong key={index}>{piece.strong}</strong>
        ) : (
          <a key={index} href={piece.href}>
            {piece.text}
          </a>
        ),
      )}
    </p>
  );
}

type TabsProperties = {
  readonly ein: string;
  readonly shown: Side;
  /** Number of grants; undefined if unknown. */
  readonly made: number | undefined;
  readonly received: number | undefined;
};

/** The switch between the sides; one without grants is not a link. */
function Tabs({ ein, shown, made, received }: TabsProperties) {
  return (
    <nav class="tabs" aria-label="Grants made and received">
      <Tab side="funder" text="Grants made" count={made} ein={ein} shown={shown} />
      <Tab side="recipient" text="Grants received" count={received} ein={ein} shown={shown} />
    </nav>
  );
}

type TabProperties = { side: Side; text: string; count: number | undefined; ein: string; shown: Side };

function Tab({ side, text, count, ein, shown }: TabProperties) {
  const isShown = side === shown;
  const content = (
    <>
      {text} {count === undefined ? null : <span>{formatCount(count)}</span>}
    </>
  );
  if (!isShown && count === 0) return <span class="tab">{content}</span>;
  return (
    <a class="tab" href={organizationHref(side, ein)} aria-current={isShown ? "page" : undefined}>
      {content}
    </a>
  );
}
