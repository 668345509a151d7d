// Offers more about a search's grants in folds. Nothing is loaded before the reader asks for it.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Query } from "../address/query.ts";
import { knows } from "../api/places.ts";
import { useStatus } from "../api/useCall.ts";
import { useLoaded } from "../parts/useLoaded.ts";
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
    <Fold name={name} title={title} load={loadRanked}>
      {({ Ranked }) => <Ranked query={query} names={known} />}
    </Fold>
  );
}

/** The fold of funders that gave for the cause and in the place of a search. */
export function LookAtFunders({ query }: { query: Query }) {
  return (
    <Fold name="to-look-at" title="Funders to look at" load={loadFunders}>
      {({ FundersToLookAt }) => <FundersToLookAt query={query} />}
    </Fold>
  );
}

type FoldProperties<Part> = {
  /** Its class. */
  readonly name: string;
  readonly title: string;
  readonly load: () => Promise<Part>;
  readonly children: (part: Part) => ComponentChildren;
};

function Fold<Part>({ name, title, load, children }: FoldProperties<Part>) {
  const [isOpen, setIsOpen] = useState(false);
  const part = useLoaded(isOpen, load);
  return (
    <details class={`fold ${name}`} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {part === undefined ? null : children(part)}
    </details>
  );
}
