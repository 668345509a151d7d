// Shows the search page: the home page, results, nothing found, or why there is no answer.
import "./search.css";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { parseEin } from "../../../api-static/contract/ein.ts";
import { attributeFilters } from "../../../api-static/contract/filters/attributes.ts";
import { parameterNames } from "../../../api-static/contract/parameters.ts";
import type { KnownNames } from "../../../api-static/contract/text/searchText.ts";
import { formatQuery, type Query, type ReadQuery, readPageQuery, without } from "../address/query.ts";
import { useAddress } from "../address/useAddress.ts";
import { useSteps } from "../address/useSteps.ts";
import { useTitle } from "../address/useTitle.ts";
import { type Call, searchCall, statusCall, totalsCall } from "../api/calls.ts";
import type { Failure, Grant, HistoryPage, Status, Totals } from "../api/client.ts";
import { knows } from "../api/places.ts";
import { askEarly, findCurrent, type Progress, useCall, useStatus } from "../api/useCall.ts";
import { useCauseNames } from "../names/useCauseNames.ts";
import { type Names, useNames } from "../names/useNames.ts";
import { AddressProblems } from "../parts/addressProblems.tsx";
import { FailureNotice } from "../parts/failureNotice.tsx";
import { SkipToRows } from "../parts/grantTable.tsx";
import { useNarrow } from "../parts/useNarrow.ts";
import { startPage } from "../shell/start.tsx";
import { Filters } from "./filters.tsx";
import { Home, HomeHeading } from "./home.tsx";
import { Results } from "./results.tsx";
import { formId, SearchForm } from "./searchForm.tsx";
import { describeResult, describeSearch, type FilterName } from "./sentences.ts";
import { type FormState, useForm } from "./useForm.ts";

type Search = ReadQuery & {
  /** True if the address has no parameter. */
  readonly isHome: boolean;
  /** The call behind the page; undefined if the API would refuse it. The home page reads the newest grants. */
  readonly call: Call<HistoryPage> | undefined;
  /** The call of the totals, which is made beside the other; the home page has none. */
  readonly totals: Call<{ data: Totals }> | undefined;
};

/** Parses an address: the home page, a search, or a search that the API refuses. @param search e.g., "?purpose=food" */
function readSearch(search: string): Search {
  const { query, problems } = readPageQuery(search, parameterNames);
  const isHome = Object.keys(query).length === 0 && problems.length === 0;
  const isRefused = problems.length > 0;
  return {
    query,
    problems,
    isHome,
    call: isRefused ? undefined : searchCall(query),
    totals: isRefused || isHome ? undefined : totalsCall(query),
  };
}

/** The search that a call's URL asks, e.g., of results that are still shown. @param href "/r/…/v1/history?purpose=food" */
function readCall(href: string): Query {
  const [, search = ""] = href.split("?");
  return readPageQuery(search, parameterNames).query;
}

/** Of the newest grants, whose funders the home page may offer by name. */
const homeNames = 5;

/** Milliseconds that an answer waits for the names in its heading. */
const nameWait = 1_000;

/** The page. Its form stays the same element in every state, so that the focus stays in it. */
export function SearchPage() {
  const address = useAddress();
  const search = readSearch(address.search);
  const { query, problems, isHome, call } = search;
  const status = useStatus();
  const funder = einOf(query.funder_ein);
  const causes = useCauseNames(query);
  const answer = useWithNames(
    useCall(call, address.release),
    useNames(funder).isComplete && causes.isComplete,
  );
  const totals = useCall(search.totals, address.release);
  const progress = joinTotals(isHome ? answer : withoutHome(answer), totals);
  const isNarrow = useNarrow();
  const { found, state } = progress;
  const shown = found === undefined || isHome ? undefined : readCall(found.href);
  const page = found?.body.data ?? [];
  const named = isHome ? page.slice(0, homeNames) : page;
  const names = useNames([...named.map(({ funder_ein }) => funder_ein), ...funder]);
  const known = useDrawn(found?.href, {
    ...namesOf(shown ?? query, page, names),
    nameOfCause: causes.nameOfCause,
  });
  const isDone = call === undefined || state === "failed" || findCurrent(progress, call) !== undefined;
  const isFound = shown !== undefined && state === "found";
  const sentence = isFound ? describeResult(found?.body.total ?? 0, shown, known) : "";
  useTitle(titleOf(search, progress.failure, sentence || describeSearch(query, known)));

  const go = useSteps(address, "result", isDone, progress.retry);
  const form = useForm(search, progress.failure, (to) => go(formatQuery(to), false), isHome);
  const isStatic = status.failure?.code === "static_host"; // a notice explains that it has no search
  const filters = isHome ? null : (
    <Filters
      form={form}
      formId={formId}
      names={fieldsOf(form, query, status.found?.body)}
      query={query}
      years={status.found?.body.years.map(({ transaction_year }) => transaction_year) ?? []}
      isNarrow={isNarrow}
      button={isNarrow ? "Show grants" : undefined}
    />
  );

  return (
    <div class={`wide page search-page${isHome ? " is-home" : ""}`}>
      {shown !== undefined && page.length > 0 ? <SkipToRows /> : null}
      {isHome ? <HomeHeading status={status} /> : null}
      <SearchForm key="form" form={form} query={query} known={known} isHome={isHome} isDisabled={isStatic}>
        {isNarrow ? null : filters}
      </SearchForm>
      <p class="hidden" role="status">
        {sentence}
      </p>
      {isHome ? (
        <Home status={status} newest={progress} names={names} />
      ) : problems.length > 0 ? (
        <Problems query={query} problems={problems}>
          {isNarrow ? filters : null}
        </Problems>
      ) : (
        <Results
          progress={progress}
          totals={totals}
          query={shown ?? query}
          names={names}
          known={known}
          status={status.found?.body}
          staticNotice={isStatic ? <FailureNotice progress={status} /> : undefined}
          filters={isNarrow ? filters : undefined}
          onUnpin={() => go(address.search, true)}
        />
      )}
    </div>
  );
}

/** The filters that have a field; the recipient's name has one where the box holds a purpose, an attribute where the release knows it. */
function fieldsOf({ fields }: FormState, query: Query, status: Status | undefined): readonly FilterName[] {
  const hasName = fields.recipient_name !== "" || query.recipient_name !== undefined;
  return [
    "years",
    "amounts",
    "funder_ein",
    "recipient_ein",
    ...attributeFilters
      .map(({ name }) => name)
      .filter((name) => query[name] !== undefined || knows(status, name)),
    ...(fields.scope === "purpose" && hasName ? (["recipient_name"] as const) : []),
  ];
}

/** A call's progress; an answer waits a while for the names in its heading, so that rows do not move later. */
function useWithNames<Body>(progress: Progress<Body>, isNamed: boolean): Progress<Body> {
  const before = useRef(progress);
  const isHeld = progress.state === "found" && !isNamed;
  const isLate = useElapsed(isHeld, nameWait);
  if (isHeld && !isLate) return { ...progress, found: before.current.found, state: "asking" };
  before.current = progress;
  return progress;
}

/** The progress of a search without the rows of the home page, which nobody searched. */
function withoutHome(progress: Progress<HistoryPage>): Progress<HistoryPage> {
  const { found } = progress;
  const isOfHome = found !== undefined && Object.keys(readCall(found.href)).length === 0;
  return isOfHome ? { ...progress, found: undefined } : progress;
}

/** The progress of a list, which stops its totals too, and asks for them again unless they are found. */
function joinTotals<Body>(list: Progress<Body>, totals: Progress<unknown>): Progress<Body> {
  return {
    ...list,
    stop() {
      list.stop();
      totals.stop();
    },
    retry() {
      list.retry();
      if (totals.state !== "found") totals.retry();
    },
  };
}

/** True once `isRunning` has been true for that many milliseconds. */
function useElapsed(isRunning: boolean, milliseconds: number): boolean {
  const [hasElapsed, setElapsed] = useState(false);
  useEffect(() => {
    setElapsed(false);
    if (!isRunning) return undefined;
    const timer = setTimeout(() => setElapsed(true), milliseconds);
    return () => clearTimeout(timer);
  }, [isRunning, milliseconds]);
  return hasElapsed;
}

/** A value as it was when the results of this address were first drawn: a name that arrives later would move them. */
function useDrawn<Value>(href: string | undefined, value: Value): Value {
  const drawn = useRef({ href, value });
  if (href === undefined || href !== drawn.current.href) drawn.current = { href, value };
  return drawn.current.value;
}

function einOf(value: string | undefined): string[] {
  const ein = parseEin(value ?? "");
  return ein === undefined ? [] : [ein];
}

/** The window's title leads with the result. */
function titleOf({ isHome, problems }: Search, failure: Failure | undefined, sentence: string): string {
  if (isHome) return "Grant History";
  const text = problems.length > 0 ? "This search can’t be run" : sentence;
  return `${failure === undefined ? "" : "No answer: "}${text} – Grant History`;
}

/** The funder's name from the release; the recipient's as its newest grant of the page has it. */
function namesOf(query: Query, grants: readonly Grant[], names: Names): KnownNames {
  const digits = (ein: string | undefined) => ein?.replace("-", "");
  const [funder, recipient] = [digits(query.funder_ein), digits(query.recipient_ein)];
  return {
    funder: funder === undefined ? undefined : names.nameOf(funder)?.name,
    recipient:
      recipient === undefined
        ? undefined
        : (grants.find((grant) => grant.recipient_ein === recipient)?.recipient_name ?? undefined),
  };
}

type ProblemsProperties = ReadQuery & {
  /** The filters, where they are folded. */
  readonly children: ComponentChildren;
};

/** The problems of an address, and a link to the search without the invalid parameters. */
function Problems({ query, problems, children }: ProblemsProperties) {
  const rest = without(query, ...problems.map(({ parameter }) => parameter));
  const isEmpty = Object.keys(rest).length === 0;
  return (
    <div class="results">
      <h1 class="result-heading" id="result" tabIndex={-1}>
        This search can’t be run
      </h1>
      {children}
      <AddressProblems
        query={query}
        problems={problems}
        href={`/${formatQuery(rest)}`}
        link={isEmpty ? "Start a new search" : "Search without it"}
      />
    </div>
  );
}

const { call, totals } = readSearch(location.search);
askEarly(statusCall);
if (call !== undefined) askEarly(call, history.state?.release);
if (totals !== undefined) askEarly(totals, history.state?.release);
startPage(SearchPage);
