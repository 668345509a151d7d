// Shows the ten funders or recipients with the largest sums of a search's grants.
import type { Query } from "../address/query.ts";
import { useNames } from "../names/useNames.ts";
import { RankTable } from "../parts/rankTable.tsx";
import { Section } from "../parts/section.tsx";
import { formatAmount, formatCount, formatCounted } from "../text/numbers.ts";
import { type Group, groupsHref } from "./group.ts";
import { GroupName, keyOfGroup } from "./groupName.tsx";

type Properties = {
  readonly by: "funder" | "recipient";
  /** Largest first. */
  readonly groups: readonly Group[];
  /** The number of all groups. */
  readonly total: number;
  /** The search. */
  readonly query: Query;
  /** True if each name gets one line, so that nothing moves when names arrive. */
  readonly isCompact?: boolean;
};

/** The table of ranks; each name leads to the grants, and a link to all groups. */
export function TopGroups({ by, groups, total, query, isCompact = false }: Properties) {
  const names = useNames(groups.flatMap((group) => ("funder_ein" in group ? group.funder_ein : [])));
  if (groups.length === 0) return null;
  const largest = Math.max(...groups.map(({ amount }) => amount));
  const title = `Top ${by}s`;
  const ten =
    total > groups.length ? `${groups.length} of ${formatCount(total)}, by dollars.` : "By dollars.";
  return (
    <Section title={title} note={`${ten} Choose one to see its grants.`}>
      <div class={isCompact ? "is-compact" : ""}>
        <RankTable
          caption={title}
          heads={[by === "funder" ? "Funder" : "Recipient", "Amount", "Grants"]}
          ranks={groups.map((group) => ({
            key: keyOfGroup(group),
            name: <GroupName group={group} query={query} names={names} />,
            share: largest > 0 ? group.amount / largest : 0,
            value: formatAmount(group.amount),
            count: formatCount(group.records),
          }))}
        />
      </div>
      <p class="all-groups">
        <a href={groupsHref(by, query)}>
          {total === 1 ? `The ${by}` : `All ${formatCounted(total, by)}`} of these grants
        </a>
      </p>
    </Section>
  );
}
