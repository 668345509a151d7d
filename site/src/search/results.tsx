// Shows the results of a search, or that there are none; old ones stay until new ones arrive.
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
  readonly isNarrow: boolean;
  readonly onPage: (query: Query) => void;
  readonly onUnpin: () => void;
};

/** The results. */
export function Results(properties: Properties) {
  const { progress, query, known, onUnpin } = properties;
  const { found, state } = progress;
  return (
    <div class="results">
      {progress.failure?.code === "invalid_parameter" ? null : (
        <FailureNotice progress={progress} onUnpin={onUnpin} />
      )}
      {found === undefined ? (
        <>
          <h1 class="result-heading" id="result" tabIndex={-1}>
            {describeSearch(query, known)}
          </h1>
          <Waiting progress={progress} />
        </>
      ) : (
        <>
          <Waiting progress={progress} />
          <div class={`results${state === "found" ? "" : " is-old"}`} aria-busy={state !== "found"}>
            <Found {...properties} page={found.body} release={found.release} />
          </div>
        </>
      )}
    </div>
  );
}

type FoundProperties = Properties & { readonly page: HistoryPage; readonly release: string | undefined };

function Found(properties: FoundProperties) {
  const { page, query, names, known, isNarrow, release, onPage, status } = properties;
  const calls = [{ href: `/v1/history${formatQuery(query)}` }] as const;
  const callBar = <CallBar calls={calls} release={release} />;
  if (page.total === 0)
    return (
      <NothingFound query={query} known={known} status={status}>
        {callBar}
      </NothingFound>
    );
  const heading = describeResult(page.total, query, known);
  return (
    <>
      <div class="heading-row">
        <div class="result-words">
          <h1 class="result-heading" id="result" tabIndex={-1}>
            {heading}
          </h1>
          <p class="result-order">{describeOrder(query)}</p>
          <Between query={query} known={known} />
        </div>
        {isNarrow ? null : <CsvLink query={query} total={page.total} />}
      </div>
      {isNarrow ? (
        <div class="phone-row">
          <CsvLink query={query} total={page.total} />
          <FilterChips query={query} known={known} />
        </div>
      ) : (
        callBar
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
      {isNarrow ? callBar : null}
    </>
  );
}

/** All matches as CSV. */
function CsvLink({ query, total }: { query: Query; total: number }) {
  return (
    <a class="button csv" href={`/v1/history.csv${formatQuery(filtersOf(query))}`} download>
      <Icon name="download" /> <span>Download CSV</span> <small>{formatCounted(total, "row")}</small>
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
