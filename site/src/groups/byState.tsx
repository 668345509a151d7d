// Offers a search's grants by state. Nothing is loaded before the reader asks for it.
import { useState } from "preact/hooks";
import type { Query } from "../address/query.ts";
import { knows, type StateName } from "../api/places.ts";
import { useStatus } from "../api/useCall.ts";
import { useLoaded } from "../parts/useLoaded.ts";

type Properties = {
  /** The search. */
  readonly query: Query;
  /** The states to offer, where the release knows them and the search is not of one of them. */
  readonly names: readonly StateName[];
};

/** The fold of the states. */
export function ByState({ query, names }: Properties) {
  const status = useStatus().found?.body;
  const [isOpen, setIsOpen] = useState(false);
  const part = useLoaded(isOpen, () => import("./states.tsx"));
  const known = names.filter(
    (name) => query[name] === undefined && status !== undefined && knows(status, name),
  );
  if (known.length === 0) return null;
  return (
    <details class="by-state" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>By state</summary>
      {part === undefined ? null : <part.States query={query} names={known} />}
    </details>
  );
}
