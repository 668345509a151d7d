// Shows that a call is running: a skeleton of rows, then words and a button to stop.
import type { Progress } from "../api/useCall.ts";
import { Notice } from "./notice.tsx";

/** Nothing, a skeleton where there are no old rows, or "Still searching…". */
export function Waiting({ progress }: { progress: Progress<unknown> }) {
  const { state, found, stop, retry } = progress;
  if (state === "stopped")
    return (
      <Notice title="Stopped" button="Search again" onButton={retry}>
        The search was stopped before it was done.
      </Notice>
    );
  return (
    <>
      {/* It lies over what is below: nothing moves when it comes and goes. */}
      <div class="waiting">
        {state === "slow" ? (
          <Notice title="Still searching…" button="Stop" onButton={stop}>
            This search reads many grants. A year or a funder makes it faster.
          </Notice>
        ) : null}
      </div>
      {found === undefined && (state === "waiting" || state === "slow") ? <Skeleton /> : null}
    </>
  );
}

/** Gray bars in the places of rows. */
export function Skeleton() {
  return (
    <svg class="skeleton-rows" width="100%" height="156" aria-hidden="true">
      {[0, 1, 2].map((row) => (
        <g key={row} class="skeleton-row">
          <rect class="track" x="0" y={20 + row * 52} width="5%" height="14" rx="3" />
          <rect class="track" x="9%" y={20 + row * 52} width="8%" height="14" rx="3" />
          <rect class="track" x="21%" y={20 + row * 52} width={`${24 - row * 4}%`} height="14" rx="3" />
          <rect class="track" x="50%" y={20 + row * 52} width={`${18 + row * 5}%`} height="14" rx="3" />
        </g>
      ))}
    </svg>
  );
}
