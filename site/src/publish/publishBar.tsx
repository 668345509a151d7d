// Offers, below a total, what a reader should know before publishing it, and its citation.
import { formatQuery } from "../address/query.ts";
import { Fold } from "../parts/fold.tsx";
import type { PublishedProperties } from "./published.tsx";

type Properties = Omit<PublishedProperties, "totals"> & {
  /** Undefined while they are awaited. */
  readonly totals: PublishedProperties["totals"] | undefined;
};

const load = () => import("./published.tsx");

/** The fold. */
export function PublishBar({ totals, ...others }: Properties) {
  return (
    <Fold name="fold-bar publish-bar" title="Can I publish this?" load={load}>
      {({ Published }) =>
        totals === undefined ? null : (
          <Published key={formatQuery(others.query)} totals={totals} {...others} />
        )
      }
    </Fold>
  );
}
