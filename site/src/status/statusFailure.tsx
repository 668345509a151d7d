// Explains why the status is unknown, and offers a remedy.
import type { Failure } from "../api/client.ts";
import { RequestId } from "../parts/failureNotice.tsx";
import { Notice } from "../parts/notice.tsx";
import { formatLocalClock } from "../text/numbers.ts";

type Properties = {
  readonly failure: Failure;
  /** When the numbers still shown were received; undefined if there are none. */
  readonly seenAt: Date | undefined;
  readonly retry: () => void;
};

/** The page before the first release, or a notice; it has the page's heading if no numbers are shown. */
export function StatusFailure(properties: Properties) {
  if (properties.failure.code === "not_ready") return <NotReady />;
  return (
    <>
      {properties.seenAt === undefined ? <h1>Status of the data</h1> : null}
      <Why {...properties} />
    </>
  );
}

function NotReady() {
  return (
    <div role="status">
      <p class="verdict is-not-ready">
        <svg width="10" height="10" viewBox="0 0 10 10" aria-hidden="true">
          <circle cx="5" cy="5" r="4" />
        </svg>
        Not ready
      </p>
      <h1>The first release is being made</h1>
      <p class="lede">Grants appear when the first sync is done. This page looks again every 30 seconds.</p>
    </div>
  );
}

function Why({ failure, seenAt, retry }: Properties) {
  const old = seenAt === undefined ? "" : `These are the figures from ${formatLocalClock(seenAt)}. `;
  const tryAgain = (
    <button type="button" class="button" onClick={retry}>
      Try again
    </button>
  );
  switch (failure.code) {
    case "offline":
      return (
        <Notice title="You’re offline">
          <p>{old}The status will be looked up when you’re connected again.</p>
          {tryAgain}
        </Notice>
      );
    case "unreachable":
      return (
        <Notice title="The server doesn’t answer">
          <p>{old}It may be restarting.</p>
          {tryAgain}
        </Notice>
      );
    case "static_host":
      return (
        <Notice title="This is a static copy">
          <p>
            It holds the pages of every funder, but not its age or how the last syncs ended: those need the
            API’s server. The <a href="/docs">API guide</a> works here.
          </p>
        </Notice>
      );
    default:
      return (
        <Notice tone="error" title="Something went wrong on our side">
          <p>
            {old}The status can’t be read right now.
            <RequestId of={failure} />
          </p>
          {tryAgain}
        </Notice>
      );
  }
}
