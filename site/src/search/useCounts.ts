// Counts the grants of several searches at once.
import { useEffect, useState } from "preact/hooks";
import { formatQuery, type Query } from "../address/query.ts";
import { searchCall } from "../api/calls.ts";

/** A number of grants; undefined while it is awaited, null if there is no answer. */
export type Count = number | null | undefined;

/** The number of grants of each search. */
export function useCounts(queries: readonly Query[]): readonly Count[] {
  const key = queries.map(formatQuery).join("\n");
  const [counted, setCounted] = useState<{ key: string; counts: readonly Count[] }>({ key: "", counts: [] });
  useEffect(() => {
    const controller = new AbortController();
    let counts: Count[] = queries.map(() => undefined);
    for (const [index, query] of queries.entries())
      searchCall({ ...query, limit: "1" })
        .ask(controller.signal)
        .then((answer) => {
          counts = counts.with(index, answer.isFound ? answer.body.total : null);
          setCounted({ key, counts });
        })
        .catch(() => undefined); // stopped, because the reader went on
    return () => controller.abort();
  }, [key]);
  return counted.key === key ? counted.counts : queries.map(() => undefined);
}
