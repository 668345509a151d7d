// Shows a summary, or in its place a skeleton or why there is none. The table below does not wait for it.
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import type { Progress } from "../api/useCall.ts";
import { FailureNotice } from "../parts/failureNotice.tsx";
import { Notice } from "../parts/notice.tsx";

type Properties = {
  readonly summary: Progress<unknown>;
  readonly children: ComponentChildren;
};

/** Its children once the summary is found. One that comes late keeps the skeleton's space, so that no row moves. */
export function WhileSummary({ summary, children }: Properties) {
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
        children
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
