// Shows a search's grants by state or by cause: a table of those with the largest sums, and of states a grid of tiles.
import "../styles/states.css";
import { useId, useState } from "preact/hooks";
import { nameGroup } from "../../../api-static/contract/text/searchText.ts";
import type { Query } from "../address/query.ts";
import { groupsCall } from "../api/calls.ts";
import { useCall } from "../api/useCall.ts";
import { type StateAmount, StateGrid } from "../charts/stateGrid.tsx";
import { FailureNotice } from "../parts/failureNotice.tsx";
import { RankTable } from "../parts/rankTable.tsx";
import { Switch } from "../parts/switch.tsx";
import { Waiting } from "../parts/waiting.tsx";
import { formatAmount, formatAmountLong, formatCount, formatCounted } from "../text/numbers.ts";
import { filtersOnly, type Group, grantsHref, groupsHref, isUnknown, type RankedName } from "./group.ts";
import { GroupName, keyOfGroup } from "./groupName.tsx";

/** Groups in the table. */
const ranked = 10;

const choices = {
  recipient_state: "Recipients",
  funder_state: "Funders",
  recipient_cause: "Causes",
} as const;

/** The groups by the first of the names, or by another that the reader chooses. */
export function Ranked({ query, names }: { query: Query; names: readonly RankedName[] }) {
  const [by, setBy] = useState(names[0] ?? "recipient_state");
  const grouped = { ...filtersOnly(query), by };
  const progress = useCall(groupsCall(grouped));
  const groups = progress.found?.body.data ?? [];
  const unknown = groups.find(isUnknown);
  return (
    <div class={`states${progress.state === "found" ? "" : " is-old"}`}>
      {names.length < 2 ? null : (
        <Switch
          legend="States of"
          name={useId()}
          choices={names.map((name) => choices[name])}
          chosen={choices[by]}
          onChoose={(chosen) => setBy(names.find((name) => choices[name] === chosen) ?? by)}
        />
      )}
      <FailureNotice progress={progress} />
      <Waiting progress={progress} />
      {groups.every(isUnknown) ? null : by === "recipient_cause" ? (
        <Ranks by={by} groups={groups} query={grouped} />
      ) : (
        <div class="columns">
          <StateMap groups={groups} query={grouped} />
          <Ranks by={by} groups={groups} query={grouped} />
        </div>
      )}
      {unknown === undefined ? null : (
        <p class="note">
          {formatCounted(unknown.records)} ({formatAmountLong(unknown.amount)}){" "}
          {unknown.records === 1 ? "has" : "have"} no known {nameGroup(by)}.
        </p>
      )}
    </div>
  );
}

function Ranks({ by, groups, query }: { by: RankedName; groups: readonly Group[]; query: Query }) {
  const shown = groups.filter((group) => !isUnknown(group));
  const noun = nameGroup(by);
  return (
    <div class="is-compact">
      <RankTable
        caption={`Grants by ${noun}`}
        heads={[by === "recipient_cause" ? "Cause" : "State", "Amount", "Grants"]}
        ranks={shown.slice(0, ranked).map((group) => ({
          key: keyOfGroup(group),
          name: <GroupName group={group} query={query} names={noNames} />,
          share: group.amount / Math.max(1, shown[0]?.amount ?? 1),
          value: formatAmount(group.amount),
          count: formatCount(group.records),
        }))}
      />
      <p class="all-groups">
        <a href={groupsHref(by, query)}>
          {shown.length === 1 ? "The" : "All"} {formatCounted(shown.length, noun)} of these grants
        </a>
      </p>
    </div>
  );
}

/** The grid of the states among groups; each leads to its grants. @param query the search that was grouped, with `by` */
export function StateMap({ groups, query }: { groups: readonly Group[]; query: Query }) {
  const states = groups.filter(isKnown);
  return (
    <StateGrid
      states={states}
      hrefOf={(state) => grantsHref(query, { state, records: 0, amount: 0 }) ?? ""}
    />
  );
}

function isKnown(group: Group): group is Group & StateAmount {
  return "state" in group && group.state !== null;
}

/** Neither states nor causes have names in files. */
const noNames = { hasNames: false, nameOf: () => undefined, isComplete: true };
