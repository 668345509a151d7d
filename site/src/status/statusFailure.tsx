// Tells why the status is not known, and what helps.
import type { Failure } from "../api/client.ts";
import { Notice } from "../parts/notice.tsx";
import { formatLocalClock } from "../text/numbers.ts";

type Properties = {
  readonly failure: Failure;
  /** When the figures that are still shown were received; undefined if there are none. */
  readonly seenAt: Date | undefined;
  readonly retry: () => void;
};

/** The page before the first release, or a notice. */
export function StatusFailure({ failure, seenAt, retry }: Properties) {
  const old = seenAt === undefined ? "" : `These are the figures from ${formatLocalClock(seenAt)}. `;
  const tryAgain = (
    <button type="button" class="button" onClick={retry}>
      Try again
    </button>
  );
  switch (failure.code) {
    case "not_ready":
      return (
        <div role="status">
          <p class="verdict is-not-ready">
            <svg width="10" height="10" viewBox="0 0 10 10" aria-hidden="true">
              <circle cx="5" cy="5" r="4" />
            </svg>
            Not ready
          </p>
          <h1>The first release is being made</h1>
          <p class="lede">
            Grants appear when the first sync is done. This page looks again every 30 seconds. If nobody has
            started a sync, the next one starts at 4:00 AM UTC.
          </p>
        </div>
      );
    case "offline":
      return (
        <Named seenAt={seenAt}>
          <Notice title="You’re offline">
            <p>{old}The status will be looked up when you’re connected again.</p>
            {tryAgain}
          </Notice>
        </Named>
      );
    case "static_host":
      return (
        <Named seenAt={seenAt}>
          <Notice title="This is a static copy">
            <p>
              It holds the pages of every funder, but not its age or how the last syncs ended: those need the
              API’s server. The <a href="/docs">API guide</a> works here.
            </p>
          </Notice>
        </Named>
      );
    default:
      return (
        <Named seenAt={seenAt}>
          <Notice tone="error" title="Something went wrong on our side">
            <p>
              {old}The status can’t be read right now.
              {failure.requestId === undefined ? null : (
                <>
                  {" "}
                  Request <code>{failure.requestId}</code>.
                </>
              )}
            </p>
            {tryAgain}
          </Notice>
        </Named>
      );
  }
}

/** Gives the page its heading where there are no figures that have one. */
function Named({ seenAt, children }: { seenAt: Date | undefined; children: preact.ComponentChildren }) {
  return (
    <>
      {seenAt === undefined ? <h1>Status of the data</h1> : null}
      {children}
    </>
  );
}
