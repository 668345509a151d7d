// Offers more about a search's grants in folds. Nothing is loaded before the reader asks for it.
import type { Query } from "../address/query.ts";
import { knows } from "../api/places.ts";
import { useStatus } from "../api/useCall.ts";
import { Fold } from "../parts/fold.tsx";
import type { RankedName } from "./group.ts";

type RankedProperties = {
  /** The search. */
  readonly query: Query;
  /** What to group by, where the release knows it and the search is not of one value. */
  readonly names: readonly RankedName[];
};

const loadRanked = () => import("./ranked.tsx");
const loadFunders = () => import("./fundersToLookAt.tsx");

/** The fold of states or causes. */
export function Ranking({ query, names }: RankedProperties) {
  const status = useStatus().found?.body;
  const known = names.filter(
    (name) => query[name] === undefined && status !== undefined && knows(status, name),
  );
  if (known.length === 0) return null;
  const [name, title] = known.includes("recipient_cause")
    ? ["by-cause", "By cause"]
    : ["by-state", "By state"];
  return (
    <Fold name={`fold ${name}`} title={title} load={loadRanked}>
      {({ Ranked }) => <Ranked query={query} names={known} />}
    </Fold>
  );
}

/** The fold of funders that gave for the cause and in the place of a search. */
export function LookAtFunders({ query }: { query: Query }) {
  return (
    <Fold name="fold to-look-at" title="Funders to look at" load={loadFunders}>
      {({ FundersToLookAt }) => <FundersToLookAt query={query} />}
    </Fold>
  );
}
