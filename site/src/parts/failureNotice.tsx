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
  if (failure === undefined) return null;
  const old = found === undefined ? "" : `These are the results from ${formatLocalClock(found.receivedAt)}. `;
  switch (failure.code) {
    case "timeout":
      return (
        <Notice title="This search took too long" tone="warning" onButton={retry}>
          It reached the server’s time limit. Add a year or a funder, or use a longer word, and it will be
          faster.
        </Notice>
      );
    case "overloaded":
    case "rate_limited":
      return (
        <Notice title="Too many searches right now" tone="warning" onButton={retry} button="Try now">
          {isOrganization ? null : "Funder pages still work. "}
          {retryIn === undefined ? null : (
            <>
              This search will be tried again in <b>{formatCounted(retryIn, "second")}</b>.
            </>
          )}
        </Notice>
      );
    case "offline":
      return (
        <Notice title="You’re offline" onButton={retry}>
          {old}New searches will work when you’re connected again.
        </Notice>
      );
    case "unreachable":
      return (
        <Notice title="The server doesn’t answer" onButton={retry}>
          {old}It may be restarting. Your search is in the address bar, so you can come back to it.
        </Notice>
      );
    case "static_host":
      return (
        <Notice title="This is a static copy">
          It holds the pages of every funder, but no search, totals or exports: those need the API’s server.
        </Notice>
      );
    case "not_ready":
      return (
        <Notice title="The first release is being made">
          Grants appear here when the first sync is done. This page looks again every 30 seconds.{" "}
          <a href="/status">Status</a>
        </Notice>
      );
    case "release_not_found":
      return (
        <Notice title="This release is no longer kept" onButton={onUnpin} button="Show the current one">
          A new one has taken its place; rows may have moved.
        </Notice>
      );
    default:
      return (
        <Notice title="Something went wrong on our side" tone="error" onButton={retry}>
          Your search is fine; it’s in the address bar, so you can reload or come back to it.
          <RequestId of={failure} />
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
