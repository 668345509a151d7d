// Shows the results of a search, or that there are none; old ones stay until new ones arrive.
import type { ComponentChild } from "preact";
import { offsetByAmountMax } from "../../../api-static/contract/limits.ts";
import type { KnownNames } from "../../../api-static/contract/text/searchText.ts";
import { formatQuery, type Query, without } from "../address/query.ts";
import { searchCall, totalsCall } from "../api/calls.ts";
import type { HistoryPage, Status, Totals } from "../api/client.ts";
import type { Progress } from "../api/useCall.ts";
import type { Names } from "../names/useNames.ts";
import { CallBar } from "../parts/callBar.tsx";
import { CsvLinks } from "../parts/csvLinks.tsx";
import { FailureNotice } from "../parts/failureNotice.tsx";
import { FollowLink } from "../parts/followLink.tsx";
import { GrantTable } from "../parts/grantTable.tsx";
import { Notice } from "../parts/notice.tsx";
import { Pager } from "../parts/pager.tsx";
import { useLoaded } from "../parts/useLoaded.ts";
import { Waiting } from "../parts/waiting.tsx";
import { formatCounted } from "../text/numbers.ts";
import { Between } from "./between.tsx";
import { placeNames } from "./fields.ts";
import { FilterChips } from "./filters.tsx";
import { SearchTotals } from "./searchTotals.tsx";
import { describeOrder, describeResult, describeSearch, filterNames } from "./sentences.ts";

type Properties = {
  readonly progress: Progress<HistoryPage>;
  readonly totals: Progress<{ data: Totals }>;
  /** The search whose results are shown: the previous one until the current one is answered. */
  readonly query: Query;
  readonly names: Names;
  readonly known: KnownNames;
  readonly status: Status | undefined;
  /** The notice of a static copy, which has neither the API nor exports; undefined elsewhere. */
  readonly staticNotice: ComponentChild | undefined;
  /** The fold of filters on phones; undefined on wider screens, where they stand in the form. */
  readonly filters: ComponentChild | undefined;
  readonly onUnpin: () => void;
};

/** The results. The heading is there before the rows; the calls, which stand below the totals, come with them. */
export function Results(properties: Properties) {
  const { progress, totals, query, known, status, staticNotice, filters, onUnpin } = properties;
  const { found, state, failure } = progress;
  const page = found?.body;
  const isCallFirst = filters === undefined || staticNotice !== undefined; // on phones it follows the rows
  const isBelow = page !== undefined && failure !== undefined; // rows of an earlier search, under the notice
  const isAwaited = page === undefined && (query.funder_ein ?? query.recipient_ein) !== undefined;
  const isNothing = page?.total === 0 && failure === undefined;
  const NothingFound = useLoaded(isNothing, () => import("./nothingFound.tsx"))?.NothingFound;
  const isAnswered = page !== undefined || failure !== undefined;
  const calls = isAnswered ? <Calls query={query} isNothing={isNothing} release={found?.release} /> : null;
  const callBar = staticNotice === undefined ? calls : page && staticNotice;
  const heading =
    page === undefined ? describeSearch(query, known) : describeResult(page.total, query, known);
  const csv =
    page?.total === 0 || failure !== undefined || staticNotice !== undefined ? null : (
      <CsvLink query={query} total={page?.total} />
    );
  return (
    <div class="results">
      {page === undefined ? null : <Waiting progress={progress} />}
      <div
        class={`results${page === undefined ? " is-awaiting" : state === "found" || isBelow ? "" : " is-old"}`}
        aria-busy={state === "asking" || state === "waiting" || state === "slow"}
      >
        {isBelow ? (
          <div class="in-place">
            <FailureNotice progress={progress} onUnpin={onUnpin} />
            <h1 class="note" id="result" tabIndex={-1}>
              Below: {heading}, the search before
            </h1>
          </div>
        ) : NothingFound !== undefined ? null : (
          <Heading query={query} known={known} text={heading} isAwaited={isAwaited}>
            {filters === undefined ? csv : null}
          </Heading>
        )}
        {NothingFound !== undefined ? (
          <NothingFound query={query} known={known} status={status} callBar={callBar}>
            <PhoneRow {...properties} csv={csv} />
          </NothingFound>
        ) : (
          <>
            {page === undefined || page.total === 0 || isBelow ? null : (
              <SearchTotals
                progress={state === "stopped" ? { ...totals, state, retry: progress.retry } : totals}
                query={query}
                known={known}
                isOpen={filters === undefined && page.offset === 0 && page.total > chartedMin}
              />
            )}
            {isAwaited || filters === undefined ? null : <PhoneRow {...properties} csv={csv} />}
            {isBelow || !isCallFirst ? null : callBar}
            {page === undefined ? (
              <Unanswered {...properties} />
            ) : isNothing ? null : (
              <Rows key={found?.href} {...properties} page={page} />
            )}
            {isCallFirst ? null : callBar}
          </>
        )}
      </div>
    </div>
  );
}

/** The charts of fewer grants are closed at first: the list says as much. */
const chartedMin = 10;

type CallsProperties = { query: Query; isNothing: boolean; release: string | undefined };

/** The calls of the list and, if there are grants, of the totals. */
function Calls({ query, isNothing, release }: CallsProperties) {
  const [list, totals] = [searchCall(query), totalsCall(query)];
  const calls = isNothing
    ? [list]
    : [
        { ...list, use: "this table" },
        { ...totals, use: "totals and charts" },
      ];
  return <CallBar calls={calls} release={release} />;
}

/** The filters that have a chip; the words of the box have none, and what it read has its own. */
const boxNames: readonly string[] = ["purpose", "recipient_name", "recipient_cause", ...placeNames];
const chipNames = filterNames.filter((name) => !boxNames.includes(name));

/** On phones: the fold of filters, the CSV, and a chip for each filter. */
function PhoneRow({ filters, query, known, csv }: Properties & { csv: ComponentChild }) {
  if (filters === undefined) return null;
  return (
    <div class="phone-row">
      {filters} {csv}{" "}
      <FilterChips
        query={query}
        names={query.purpose === undefined ? chipNames : [...chipNames, "recipient_name"]}
        known={known}
        hrefOf={(rest) => `/${formatQuery(rest)}`}
      />
    </div>
  );
}

/** The content in place of the rows: a skeleton, or the reason that there are none. */
function Unanswered({ progress, onUnpin }: Properties) {
  if (progress.failure?.code === "invalid_parameter") return null; // the fields show it
  return (
    <>
      <Waiting progress={progress} />
      <FailureNotice progress={progress} onUnpin={onUnpin} />
    </>
  );
}

function Rows({ page, query, known, names, progress }: Properties & { page: HistoryPage }) {
  return (
    <>
      {page.data.length === 0 ? (
        <PastEnd page={page} query={query} />
      ) : (
        <GrantTable
          grants={page.data}
          caption={describeResult(page.total, query, known)}
          names={names}
          isOld={progress.failure !== undefined}
          query={query}
        />
      )}
      <Pager
        total={page.total}
        limit={page.limit}
        offset={page.offset}
        offsetMax={query.sort === "amount" ? offsetByAmountMax : undefined}
        hrefOf={(offset) => `/${formatQuery({ ...query, offset: offset === 0 ? undefined : offset })}`}
        release={progress.found?.release}
      />
    </>
  );
}

type HeadingProperties = {
  readonly query: Query;
  readonly known: KnownNames;
  readonly text: string;
  /** True while the text may still become longer; nothing that would move stands below it then. */
  readonly isAwaited: boolean;
  readonly children: ComponentChild;
};

function Heading({ query, known, text, isAwaited, children }: HeadingProperties) {
  return (
    <div class="heading-row">
      <div class="result-words">
        <h1 class="result-heading" id="result" tabIndex={-1}>
          {text}
        </h1>
        {isAwaited ? null : (
          <>
            <p class="result-order">{describeOrder(query)}</p>
            <Between query={query} known={known} />
          </>
        )}
      </div>
      {children}
    </div>
  );
}

/** All matches as CSV. @param total undefined keeps its place until the number of rows is known */
function CsvLink({ query, total }: { query: Query; total: number | undefined }) {
  const hrefOf = (form: Query) =>
    `/v1/history.csv${formatQuery({ ...without(query, "sort", "limit", "offset"), ...form })}`;
  return (
    <CsvLinks
      hrefOf={hrefOf}
      isAwaited={total === undefined}
      isByAmount={query.sort === "amount"}
      beside={<FollowLink path="/v1/history" query={query} />}
    >
      <span>
        <span class="is-long">Download </span>CSV
      </span>{" "}
      <small>{formatCounted(total ?? 100, "row")}</small>
    </CsvLinks>
  );
}

function PastEnd({ page, query }: { page: HistoryPage; query: Query }) {
  return (
    <Notice title="This page is past the end">
      The search finds {formatCounted(page.total)}; the page would start after the last one.{" "}
      <a href={`/${formatQuery({ ...query, offset: undefined })}`}>Go to the first page</a>
    </Notice>
  );
}
