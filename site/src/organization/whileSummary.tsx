// Shows a summary, or in its place a skeleton or why there is none. The table below does not wait for it.
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import type { Progress } from "../api/useCall.ts";
import { FailureNotice } from "../parts/failureNotice.tsx";
import { Notice } from "../parts/notice.tsx";

type Properties = {
  readonly summary: Progress<unknown>;
  /** True if the failure is told elsewhere on the page already. */
  readonly isTold: boolean;
  readonly children: ComponentChildren;
};

/** Its children once the summary is found. One that comes late keeps the skeleton's space, so that no row moves. */
export function WhileSummary({ summary, isTold, children }: Properties) {
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
  if (failure !== undefined) return isTold ? null : <FailureNotice progress={summary} />;
  return (
    <div class={`stack summary${wasLate.current ? " is-late" : ""}`}>
      {found !== undefined ? (
        children
      ) : state === "stopped" ? null : (
        <>
          <p class="hidden" role="status">
            Adding up the totals…
          </p>
          <svg class="summary-skeleton" width="100%" height="480" aria-hidden="true">
            <rect class="track" width="62%" height="20" rx="3" />
            <rect class="track" y="32" width="24%" height="20" rx="3" />
            <rect class="track" y="150" width="55%" height="300" rx="6" />
            <rect class="track" x="60%" y="150" width="40%" height="300" rx="6" />
          </svg>
        </>
      )}
    </div>
  );
}
