// Shows the search page: the home page, results, nothing found, or why there is no answer.
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { formatQuery, type Query } from "../address/query.ts";
import { useAddress } from "../address/useAddress.ts";
import { useCall } from "../api/useCall.ts";
import { useStatus } from "../api/useStatus.ts";
import { useNames } from "../names/useNames.ts";
import { useNarrow } from "../parts/useNarrow.ts";
import { Home, HomeHeading } from "./home.tsx";
import { namesOf } from "./knownNames.ts";
import { Problems } from "./problems.tsx";
import { readCall, readSearch } from "./readSearch.ts";
import { Results } from "./results.tsx";
import { SearchForm } from "./searchForm.tsx";
import { describeResult, describeSearch } from "./sentences.ts";

/** The page. Its form stays the same element in every state, so that the focus stays in it. */
export function SearchPage() {
  const address = useAddress();
  const { query, problems, isHome, call, release } = readSearch(address.search, address.release);
  const progress = useCall(call, release);
  const status = useStatus();
  const isNarrow = useNarrow();
  const { found, state } = progress;
  const shown = found === undefined || isHome ? undefined : readCall(found.href);
  const eins = [...(found?.body.data.map((grant) => grant.funder_ein) ?? []), query.funder_ein ?? ""];
  const names = useNames(eins);
  const known = namesOf(shown ?? query, found?.body.data ?? [], names);
  const isDone = state === "found" || state === "failed" || problems.length > 0;
  const sentence =
    found !== undefined && shown !== undefined && state === "found"
      ? describeResult(found.body.total, shown, known)
      : "";
  const aim = useFocus(isDone, address);
  useTitle(isHome ? "" : sentence || describeSearch(query, known));

  /** Goes to a query of this page. @param isStep moves the focus to the heading of the results */
  const go = (to: Query, isStep: boolean, pinned?: string) => {
    const search = formatQuery(to);
    if (search === formatQuery(query) && pinned === address.release) return progress.retry();
    aim.current = isStep;
    address.go(search, pinned);
  };

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: links answer keys with clicks
    // biome-ignore lint/a11y/noStaticElementInteractions: it only sees the clicks of links
    <div
      class={`wide page search-page${isHome ? " is-home" : ""}`}
      onClick={(event) => followLink(event, (to) => go(to, true))}
    >
      {isHome ? <HomeHeading status={status.found?.body} /> : null}
      <SearchForm
        key="form"
        search={address.search}
        query={query}
        problems={problems}
        failure={progress.failure}
        isHome={isHome}
        isNarrow={isNarrow}
        status={status.found?.body}
        onSearch={(to) => go(to, false)}
      />
      <p class="hidden" role="status">
        {sentence}
      </p>
      {isHome ? (
        <Home status={status} newest={progress} names={names} />
      ) : problems.length > 0 ? (
        <Problems query={query} problems={problems} />
      ) : (
        <Results
          progress={progress}
          query={shown ?? query}
          names={names}
          known={known}
          status={status.found?.body}
          isNarrow={isNarrow}
          onPage={(to) => go(to, true, found?.release)}
          onUnpin={() => go(query, true)}
        />
      )}
    </div>
  );
}

/** Puts the focus on the results' heading after a step, and back where it was when the reader returns. */
function useFocus(isDone: boolean, address: ReturnType<typeof useAddress>) {
  const aim = useRef(false);
  useLayoutEffect(() => {
    if (!isDone) return;
    if (address.isReturn) return address.restore();
    if (!aim.current) return;
    aim.current = false;
    const heading = document.getElementById("result");
    heading?.focus({ preventScroll: true });
    if ((heading?.getBoundingClientRect().top ?? 0) < 0) heading?.scrollIntoView();
    else if (heading === null) scrollTo(0, 0);
  }, [isDone, address.search, address.isReturn]);
  return aim;
}

/** Sets the title of the window; it leads with the result. */
function useTitle(text: string): void {
  useEffect(() => {
    document.title = text === "" ? "Grant History" : `${text} – Grant History`;
  }, [text]);
}

/** Follows a link to another search without loading the page again. */
function followLink(event: MouseEvent, go: (query: Query) => void): void {
  const link = (event.target as Element).closest("a");
  const href = link?.getAttribute("href");
  if (href === null || href === undefined || event.defaultPrevented) return;
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return; // a new tab
  const { origin, pathname, search } = new URL(href, location.href);
  if (origin !== location.origin || pathname !== "/") return;
  event.preventDefault();
  go(Object.fromEntries(new URLSearchParams(search)));
}
