// Finds equal rows among grants: those that another filing lists again, and those that stand twice in one filing.
import type { Grant } from "../api/client.ts";

/** Equal grants, by the time of their filing. */
type Copies = ReadonlyMap<string, readonly Grant[]>;

/**
 * The grants that are equal in all fields but `id` and `created_at`, as the API compares them. A filing is the grants of a funder and year
 * with one `created_at`.
 */
export function groupEqual(grants: readonly Grant[]): Copies[] {
  const groups = Map.groupBy(grants, ({ id, created_at, ...content }) => JSON.stringify(content));
  return [...groups.values()]
    .filter(({ length }) => length > 1)
    .map((equal) => Map.groupBy(equal, ({ created_at }) => created_at));
}

/** What is to be said of a row, by the ids of those that have equals among the rows. */
export function markEqual(grants: readonly Grant[]): ReadonlyMap<number, string> {
  const marks = groupEqual(grants).flatMap((copies) =>
    [...copies.values()].flatMap((inFiling) => {
      const others = copies.size > 1 ? "In another filing, too" : "";
      const text = inFiling.length === 1 ? others : `${inFiling.length} equal rows in this filing`;
      return inFiling.map(
        ({ id }) => [id, inFiling.length > 1 && others ? `${text}; in another, too` : text] as const,
      );
    }),
  );
  return new Map(marks);
}
