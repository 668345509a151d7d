// Reads all grants of a selection, page by page, from one release.
import { useEffect, useState } from "preact/hooks";
import { formatQuery, type Query } from "../address/query.ts";
import { searchCall } from "../api/calls.ts";
import type { Grant } from "../api/client.ts";

/** More grants than these are not read into a browser. */
export const checkedMax = 10_000;

/** Grants of a call. */
const pageSize = 1_000;

export type Reading = {
  /** Those that are read. */
  readonly grants: readonly Grant[];
  readonly state: "reading" | "whole" | "failed" | "tooMany";
  readonly retry: () => void;
};

/** @param records number of grants of the query */
export function useGrants(query: Query, records: number, release: string | undefined): Reading {
  const [round, setRound] = useState(0);
  const [reading, setReading] = useState<Omit<Reading, "retry">>({ grants: [], state: "reading" });
  useEffect(() => {
    if (records > checkedMax) return setReading({ grants: [], state: "tooMany" });
    const controller = new AbortController();
    const read = async () => {
      const grants: Grant[] = [];
      while (grants.length < records) {
        const page = searchCall({ ...query, limit: String(pageSize), offset: String(grants.length) });
        const answer = await page.ask(controller.signal, release);
        if (!answer.isFound || answer.body.data.length === 0) return setReading({ grants, state: "failed" });
        grants.push(...answer.body.data);
        setReading({ grants: [...grants], state: "reading" });
      }
      return setReading({ grants, state: "whole" });
    };
    read().catch(() => undefined); // left
    return () => controller.abort();
  }, [formatQuery(query), records, release, round]);
  return { ...reading, retry: () => setRound(round + 1) };
}
