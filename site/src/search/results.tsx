// Shows the results of a search, or that there are none; old ones stay until new ones arrive.
import type { ComponentChild } from "preact";
import { formatQuery, type Query } from "../address/query.ts";
import type { HistoryPage, Status } from "../api/client.ts";
import type { Progress } from "../api/useCall.ts";
import type { Names } from "../names/useNames.ts";
import { CallBar } from "../parts/callBar.tsx";
import { FailureNotice } from "../parts/failureNotice.tsx";
import { GrantTable } from "../parts/grantTable.tsx";
import { Icon } from "../parts/icon.tsx";
import { Notice } from "../parts/notice.tsx";
import { Pager } from "../parts/pager.tsx";
import { Waiting } from "../parts/waiting.tsx";
import { formatCounted } from "../text/numbers.ts";
import { Between } from "./between.tsx";
import { FilterChips } from "./filterChips.tsx";
import { NothingFound } from "./nothingFound.tsx";
import { filtersOf } from "./readSearch.ts";
import { describeOrder, describeResult, describeSearch, type KnownNames } from "./sentences.ts";

type Properties = {
  readonly progress: Progress<HistoryPage>;
  /** The search whose results are shown: an earlier one while the present one is awaited. */
  readonly query: Query;
  readonly names: Names;
  readonly known: KnownNames;
  readonly status: Status | undefined;
  /** The fold of filters on phones; undefined on wider screens, where they stand in the form. */
  readonly filters: ComponentChild | undefined;
  readonly onPage: (query: Query) => void;
  readonly onUnpin: () => void;
};

/** The results. */
export function Results(properties: Properties) {
  const { progress, query, known, filters } = properties;
  const { found, state, failure } = progress;
  if (found === undefined)
    return (
      <div class="results">
        <h1 class="result-heading" id="result" tabIndex={-1}>
          {describeSearch(query, known)}
        </h1>
        {filters === undefined ? null : <div class="phone-row">{filters}</div>}
        <Waiting progress={progress} />
        <Failed {...properties} />
      </div>
    );
  return (
    <div class="results">
      <Waiting progress={progress} />
      <div
        class={`results${state === "found" ? "" : " is-old"}`}
        aria-busy={state !== "found" && failure === undefined}
      >
        <Found {...properties} page={found.body} release={found.release} />
      </div>
    </div>
  );
}

function Failed({ progress, onUnpin }: Properties) {
  if (progress.failure?.code === "invalid_parameter") return null; // the fields say it
  return <FailureNotice progress={progress} onUnpin={onUnpin} />;
}

type FoundProperties = Properties & { readonly page: HistoryPage; readonly release: string | undefined };

function Found(properties: FoundProperties) {
  const { page, query, names, known, filters, release, onPage, status, progress } = properties;
  const calls = [{ href: `/v1/history${formatQuery(query)}` }] as const;
  const callBar = <CallBar calls={calls} release={release} />;
  const chips = filters === undefined ? null : <FilterChips query={query} known={known} />;
  const heading = describeResult(page.total, query, known);
  if (page.total === 0 && progress.failure === undefined)
    return (
      <NothingFound query={query} known={known} status={status} callBar={callBar}>
        {filters === undefined ? null : (
          <div class="phone-row">
            {filters} {chips}
          </div>
        )}
      </NothingFound>
    );
  const csv = <CsvLink query={query} total={page.total} />;
  return (
    <>
      {progress.failure === undefined ? (
        <Heading query={query} known={known} text={heading}>
          {filters === undefined ? csv : null}
        </Heading>
      ) : (
        <div class="in-place">
          <Failed {...properties} />
          <h1 class="note" id="result" tabIndex={-1}>
            Below: {heading}, the search before
          </h1>
        </div>
      )}
      {filters === undefined ? (
        progress.failure === undefined && callBar
      ) : (
        <div class="phone-row">
          {filters} {csv} {chips}
        </div>
      )}
      {page.data.length === 0 ? (
        <PastEnd {...properties} />
      ) : (
        <GrantTable
          grants={page.data}
          caption={heading}
          names={names}
          found={{ purpose: query.purpose, recipientName: query.recipient_name }}
        />
      )}
      <Pager
        total={page.total}
        limit={page.limit}
        offset={page.offset}
        hrefOf={(offset) => `/${formatQuery({ ...query, offset: offset === 0 ? undefined : offset })}`}
        onGo={(href) => onPage(Object.fromEntries(new URL(href, location.href).searchParams))}
      />
      {filters === undefined ? null : callBar}
    </>
  );
}

type HeadingProperties = {
  readonly query: Query;
  readonly known: KnownNames;
  readonly text: string;
  readonly children: ComponentChild;
};

function Heading({ query, known, text, children }: HeadingProperties) {
  return (
    <div class="heading-row">
      <div class="result-words">
        <h1 class="result-heading" id="result" tabIndex={-1}>
          {text}
        </h1>
        <p class="result-order">{describeOrder(query)}</p>
        <Between query={query} known={known} />
      </div>
      {children}
    </div>
  );
}

/** All matches as CSV. */
function CsvLink({ query, total }: { query: Query; total: number }) {
  return (
    <a class="button csv" href={`/v1/history.csv${formatQuery(filtersOf(query))}`} download>
      <Icon name="download" />{" "}
      <span>
        <span class="is-long">Download </span>CSV
      </span>{" "}
      <small>{formatCounted(total, "row")}</small>
    </a>
  );
}

function PastEnd({ page, query }: FoundProperties) {
  return (
    <Notice title="This page is past the end">
      <p>
        The search finds {formatCounted(page.total)}; the page would start after the last one.{" "}
        <a href={`/${formatQuery({ ...query, offset: undefined })}`}>Go to the first page</a>
      </p>
    </Notice>
  );
}
