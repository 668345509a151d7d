// Shows the totals of one side of an organization. The table below does not wait for them.
import type { ComponentChildren, ComponentType } from "preact";
import { useRef } from "preact/hooks";
import type { Grant, Totals as TotalsOf } from "../api/client.ts";
import type { Progress } from "../api/useCall.ts";
import { FailureNotice } from "../parts/failureNotice.tsx";
import { Notice } from "../parts/notice.tsx";
import { useLoaded } from "../parts/useLoaded.ts";
import { formatCount } from "../text/numbers.ts";
import type { Piece } from "./sentences.ts";
import { type OrganizationQuery, organizationHref, type Selection, type Side, type Summary } from "./side.ts";

/** The totals of the grants that pass the filters; undefined without filters. */
export type Passing = Progress<{ data: TotalsOf }> | undefined;

export type TotalsProperties<Shown> = {
  readonly read: OrganizationQuery & { readonly ein: string };
  /** The organization's; undefined if no source has it. */
  readonly name: string | undefined;
  readonly summary: Shown;
  /** The release of the summary. */
  readonly release: string | undefined;
  readonly passing: Passing;
  /** A recipient's newest grants, at most 1,000; undefined while they are awaited. */
  readonly newest: readonly Grant[] | undefined;
  /** Goes to a query of the page, and keeps the focus. */
  readonly go: (search: string) => void;
};

type Properties = TotalsProperties<Progress<{ data: Summary }>> & {
  /** Shows the sentences above the form. */
  readonly Sentences: ComponentType<TotalsProperties<Summary>> | undefined;
  /** Shows the totals of this side, below the form. */
  readonly Side: ComponentType<TotalsProperties<Summary>>;
  /** The form of filters. It keeps what is typed and its focus when the totals arrive: it is always the second part. */
  readonly children: ComponentChildren;
};

/** The totals, a skeleton, or why there are none. Totals that come late keep the skeleton's space, so that no row moves. */
export function Totals({ Sentences, Side, children, ...properties }: Properties) {
  const { summary } = properties;
  const { found, failure, state } = summary;
  const wasLate = useRef(false);
  if (found === undefined && failure === undefined) wasLate.current = true;
  if (failure?.code === "static_host")
    return (
      <Notice title="Totals and charts are missing here">
        This is a static copy: it has the grants, but sums, filters and downloads need the API’s server.
      </Notice>
    );
  if (failure !== undefined)
    return (
      <div>
        <FailureNotice isOrganization progress={summary} />
        {children}
      </div>
    );
  const shown = found && { ...properties, summary: found.body.data };
  const isAwaited = shown === undefined && state !== "stopped";
  return (
    <div class={`summary${wasLate.current ? " is-late" : ""}`}>
      {shown !== undefined ? (
        Sentences && <Sentences {...shown} />
      ) : isAwaited ? (
        <p class="lede" role="status">
          Adding up the totals… The grants are listed below already.
        </p>
      ) : null}
      {children}
      {shown !== undefined ? (
        <>
          <Side {...shown} />
          {shown.summary.records === 0 ? null : <LatePeers {...properties.read} />}
        </>
      ) : isAwaited ? (
        <svg class="summary-skeleton" width="100%" height="450" aria-hidden="true">
          <rect class="track" y="108" width="55%" height="300" rx="6" />
          <rect class="track" x="60%" y="108" width="40%" height="300" rx="6" />
        </svg>
      ) : null}
    </div>
  );
}

/** The list below the charts, which comes after them; its place is kept. */
function LatePeers({ side, ein }: Pick<Selection, "side" | "ein">) {
  const part = useLoaded(true, () => import("./peers.tsx"));
  return part === undefined ? <div class="peers-place" /> : <part.Peers side={side} ein={ein} />;
}

/** A sentence with numbers. */
export function Lede({ pieces }: { pieces: readonly Piece[] }) {
  return (
    <p class="lede">
      <Pieces pieces={pieces} />
    </p>
  );
}

/** The parts of a sentence. */
export function Pieces({ pieces }: { pieces: readonly Piece[] }) {
  return pieces.map((piece, index) =>
    typeof piece === "string" ? (
      piece
    ) : "strong" in piece ? (
      <strong key={index}>{piece.strong}</strong>
    ) : (
      <a key={index} href={piece.href}>
        {piece.text}
      </a>
    ),
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
export function Tabs({ ein, shown, made, received }: TabsProperties) {
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
