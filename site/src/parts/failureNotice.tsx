// Explains a failure by its code, and offers a remedy.
import type { Failure } from "../api/client.ts";
import type { Progress } from "../api/useCall.ts";
import { formatCounted, formatLocalClock } from "../text/numbers.ts";
import { Notice } from "./notice.tsx";

type Properties = {
  readonly progress: Progress<unknown>;
  /** Shows the current release instead of one that is no longer kept. */
  readonly onUnpin?: (() => void) | undefined;
  /** True on the page of a funder or a recipient. */
  readonly isOrganization?: boolean;
};

/** The notice of a call that failed; nothing if it did not. The pages themselves report unknown EINs and bad parameters. */
export function FailureNotice({ progress, onUnpin, isOrganization = false }: Properties) {
  const { failure, found, retryIn, retry } = progress;
  const tryAgain = (label = "Try again") => (
    <button type="button" class="button" onClick={retry}>
      {label}
    </button>
  );
  if (failure === undefined) return null;
  switch (failure.code) {
    case "timeout":
      return (
        <Notice tone="warning" title="This search took too long">
          <p>
            It reached the server’s time limit. Add a year or a funder, or use a longer word, and it will be
            faster.
          </p>
          {tryAgain()}
        </Notice>
      );
    case "overloaded":
    case "rate_limited":
      return (
        <Notice tone="warning" title="Too many searches right now">
          <p>
            {isOrganization ? null : "Funder pages still work. "}
            {retryIn === undefined ? null : (
              <>
                This search will be tried again in <b>{formatCounted(retryIn, "second")}</b>.
              </>
            )}
          </p>
          {tryAgain("Try now")}
        </Notice>
      );
    case "offline":
      return (
        <Notice title="You’re offline">
          <p>
            {found === undefined
              ? null
              : `These are the results from ${formatLocalClock(found.receivedAt)}. `}
            New searches will work when you’re connected again.
          </p>
          {tryAgain()}
        </Notice>
      );
    case "unreachable":
      return (
        <Notice title="The server doesn’t answer">
          <p>
            {found === undefined
              ? null
              : `These are the results from ${formatLocalClock(found.receivedAt)}. `}
            It may be restarting. Your search is in the address bar, so you can come back to it.
          </p>
          {tryAgain()}
        </Notice>
      );
    case "static_host":
      return (
        <Notice title="This is a static copy">
          <p>
            It holds the pages of every funder, but no search, totals or exports: those need the API’s server.
          </p>
        </Notice>
      );
    case "not_ready":
      return (
        <Notice title="The first release is being made">
          <p>
            Grants appear here when the first sync is done. This page looks again every 30 seconds.{" "}
            <a href="/status">Status</a>
          </p>
        </Notice>
      );
    case "release_not_found":
      return (
        <Notice title="This release is no longer kept">
          <p>A new one has taken its place; rows may have moved.</p>
          <button type="button" class="button" onClick={onUnpin}>
            Show the current one
          </button>
        </Notice>
      );
    default:
      return (
        <Notice tone="error" title="Something went wrong on our side">
          <p>
            Your search is fine; it’s in the address bar, so you can reload or come back to it.
            <RequestId of={failure} />
          </p>
          {tryAgain()}
        </Notice>
      );
  }
}

/** The id under which the server logged a failure, for a report; nothing if there is none. */
export function RequestId({ of: { requestId } }: { of: Failure }) {
  return requestId === undefined ? null : (
    <>
      {" "}
      Request <code>{requestId}</code>.
    </>
  );
}
