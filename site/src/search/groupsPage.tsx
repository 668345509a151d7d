// Shows a search's grants in groups: all funders, recipients, years or types, with their sums and counts.
import "./search.css";
import { useEffect } from "preact/hooks";
import { type GroupKey, groupKeys } from "../../../api-static/contract/filters.ts";
import { exportedGroupsMax, groupsMax } from "../../../api-static/contract/limits.ts";
import { parameterNames } from "../../../api-static/contract/parameters.ts";
import {
  capitalize,
  type KnownNames,
  nameGroup,
  splitEins,
  titleOfGroups,
} from "../../../api-static/contract/text/searchText.ts";
import { formatQuery, type Query, readPageQuery, without } from "../address/query.ts";
import { useAddress } from "../address/useAddress.ts";
import { useSteps } from "../address/useSteps.ts";
import { useTitle } from "../address/useTitle.ts";
import { groupsCall } from "../api/calls.ts";
import type { GroupsPage as Body } from "../api/client.ts";
import { knows, type StateName } from "../api/places.ts";
import { findCurrent, useCall, useStatus } from "../api/useCall.ts";
import { describeGroups, filtersOnly, groupsHref, isUnknown } from "../groups/group.ts";
import { GroupName, keyOfGroup } from "../groups/groupName.tsx";
import { StateMap } from "../groups/ranked.tsx";
import { useCauseNames } from "../names/useCauseNames.ts";
import { useNames } from "../names/useNames.ts";
import { AddressProblems } from "../parts/addressProblems.tsx";
import { CallBar } from "../parts/callBar.tsx";
import { CsvLinks } from "../parts/csvLinks.tsx";
import { FailureNotice } from "../parts/failureNotice.tsx";
import { Pager } from "../parts/pager.tsx";
import { RankTable } from "../parts/rankTable.tsx";
import { Waiting } from "../parts/waiting.tsx";
import { startPage } from "../shell/start.tsx";
import { formatAmount, formatAmountLong, formatCount, formatCounted } from "../text/numbers.ts";
import { FilterChips } from "./filters.tsx";
import { filterNames } from "./sentences.ts";

function isState(by: GroupKey): by is StateName {
  return by === "funder_state" || by === "recipient_state";
}

/** Reads an address or a call; without `by`, the funders are shown. */
function readGroups(search: string) {
  const { query, problems } = readPageQuery(search, ["by", "level", ...parameterNames], true);
  const by = groupKeys.find((key) => key === query.by) ?? "funder";
  return { by, query: { by, ...query } as Query, problems };
}

function GroupsPage() {
  const address = useAddress();
  const asked = readGroups(address.search);
  const call = asked.problems.length === 0 ? groupsCall(asked.query) : undefined;
  const progress = useCall(call, address.release);
  const { found, failure, state } = progress;
  // Old groups stay until new ones arrive.
  const { by, query } = found === undefined ? asked : readGroups(found.href.replace(/^[^?]*/, ""));
  const page = found?.body;
  const known = useKnownNames(query);
  const unknown = page?.data.some(isUnknown) ? 1 : 0;
  const heading = describeGroups(by, page === undefined ? undefined : page.total - unknown, query, known);
  const isDone = call === undefined || failure !== undefined || findCurrent(progress, call) !== undefined;
  const go = useSteps(address, "result", isDone, progress.retry);
  useTitle(`${heading} – Grant History`);
  const isAll = asked.by === "funder" && Object.keys(filtersOnly(asked.query)).length === 0;
  useEffect(() => {
    const link = document.querySelector(".nav a[href='/groups']"); // leads to all funders alone
    if (isAll) link?.setAttribute("aria-current", "page");
    else link?.removeAttribute("aria-current");
  }, [isAll]);
  const isStatic = failure?.code === "static_host";
  return (
    <div class="wide page">
      <div
        class={`results${page === undefined && failure === undefined ? " is-awaiting" : state === "found" ? "" : " is-old"}`}
      >
        <div class="heading-row">
          <div class="result-words">
            <h1 class="result-heading" id="result" tabIndex={-1}>
              {asked.problems.length > 0 ? "These groups can’t be shown" : heading}
            </h1>
            <p class="totals-sentence">
              {page === undefined
                ? "\u00A0"
                : `${formatAmountLong(page.amount)} in ${formatCounted(page.records)}`}
            </p>
          </div>
          {isStatic || asked.problems.length > 0 ? null : <GroupsCsv query={query} total={page?.total} />}
        </div>
        <p class="hidden" role="status">
          {state === "found" ? heading : ""}
        </p>
        <Choices by={by} query={query} known={known} />
        <AddressProblems
          query={asked.query}
          problems={asked.problems}
          href={groupsHref(
            asked.by,
            without(asked.query, ...asked.problems.map(({ parameter }) => parameter)),
          )}
          link="Show the groups without it"
        />
        {call === undefined || isStatic ? null : <CallBar calls={[call]} release={found?.release} />}
        <FailureNotice progress={progress} onUnpin={() => go(address.search, true)} />
        <Waiting progress={progress} />
        {page === undefined ? null : <Groups by={by} query={query} page={page} release={found?.release} />}
      </div>
    </div>
  );
}

/** The names of the funder in the filters, if it is one and has a name, and of causes. */
function useKnownNames(query: Query): KnownNames {
  const { nameOfCause } = useCauseNames(query, query.level === "code");
  const eins = splitEins(query.funder_ein);
  const names = useNames(eins.length === 1 ? eins : []);
  return { nameOfCause, funder: eins.length === 1 ? names.nameOf(eins[0] ?? "")?.name : undefined };
}

type ChoicesProperties = { by: GroupKey; query: Query; known: KnownNames };

/** What to group by, the filters, and a way back to the grants. */
function Choices({ by, query, known }: ChoicesProperties) {
  const status = useStatus().found?.body;
  const shown = groupKeys.filter((key) => key === by || knows(status, key));
  return (
    <>
      <nav class="tabs" aria-label="Group by">
        {shown.map((key) => (
          <a key={key} href={groupsHref(key, query)} aria-current={key === by ? "page" : undefined}>
            {titleOfGroups(key)}
          </a>
        ))}
      </nav>
      <div class="group-filters">
        <FilterChips
          query={query}
          names={filterNames}
          known={known}
          hrefOf={(rest) => groupsHref(by, rest)}
        />
        <a href={`/${formatQuery(filtersOnly(query))}`}>Show these grants, or change the filters</a>
      </div>
    </>
  );
}

/** The first groups as CSV. @param total undefined keeps its place until it is known */
function GroupsCsv({ query, total }: { query: Query; total: number | undefined }) {
  const hrefOf = (form: Query) =>
    `/v1/history/groups.csv${formatQuery({ ...without(query, "limit", "offset"), ...form })}`;
  return (
    <CsvLinks hrefOf={hrefOf} isAwaited={total === undefined}>
      Download CSV <small>{formatCounted(Math.min(total ?? 100, exportedGroupsMax), "row")}</small>
    </CsvLinks>
  );
}

type GroupsProperties = { by: GroupKey; query: Query; page: Body; release: string | undefined };

/** The table of groups in their order, with bars of what they are ordered by. */
function Groups({ by, query, page, release }: GroupsProperties) {
  const { data, total, limit, offset } = page;
  const isByRecords = query.sort === "records";
  const names = useNames(data.flatMap((group) => ("funder_ein" in group ? group.funder_ein : [])));
  const tails = data.map(({ amount, non_cash }) => (isByRecords || amount < 0 ? 0 : non_cash.amount));
  const sizes = data.map(({ records, amount }, index) =>
    isByRecords ? records : amount + (tails[index] ?? 0),
  );
  const largest = Math.max(1, ...sizes);
  const hrefOf = (changes: Readonly<Record<string, string | number | undefined>>) =>
    `/groups${formatQuery({ ...query, offset: undefined, ...changes })}`;
  const noun = nameGroup(by);
  const isCause = by === "funder_cause" || by === "recipient_cause";
  const isByCode = isCause && query.level === "code";
  const { nameOfCause } = useCauseNames(query, isByCode);
  return (
    <>
      <p class="note">
        {isByRecords ? "Most grants first. " : "Largest sum first. "}
        <a href={hrefOf({ sort: isByRecords ? undefined : "records" })}>
          {isByRecords ? "Order by sum" : "Order by number of grants"}
        </a>
        {isCause ? (
          <>
            {" · "}
            <a href={hrefOf({ level: isByCode ? undefined : "code" })}>
              {isByCode ? "Show major groups" : "Show single causes"}
            </a>
          </>
        ) : null}
      </p>
      {isState(by) && offset === 0 && data.length === total ? <StateMap groups={data} query={query} /> : null}
      <div class="groups">
        <RankTable
          caption={`Grants by ${noun}`}
          heads={[capitalize(noun), "Amount", "Grants"]}
          ranks={data.map((group, index) => ({
            key: keyOfGroup(group),
            name: (
              <div class={by === "funder" && names.hasNames ? "two-lines" : ""}>
                <GroupName group={group} query={query} names={names} nameOfCause={nameOfCause} />
              </div>
            ),
            share: (sizes[index] ?? 0) / largest,
            tail: (tails[index] ?? 0) / largest,
            value: (
              <>
                {formatAmount(group.amount)}
                <span class="rank-unit"> in {formatCounted(group.records)}</span>
                {group.non_cash.records === 0 ? null : (
                  <small>+ {formatAmount(group.non_cash.amount)} non-cash</small>
                )}
              </>
            ),
            count: formatCount(group.records),
          }))}
        />
      </div>
      <Pager
        total={total}
        limit={limit}
        offset={offset}
        offsetMax={groupsMax - limit}
        of={`${noun}s`}
        hrefOf={(first) => hrefOf({ offset: first === 0 ? undefined : first })}
        release={release}
      />
    </>
  );
}

startPage(GroupsPage);
