// Defines the entries of the history of syncs in the API.

/** How a sync ended. `nothing_new`: the warehouse had not changed. `refused`: by the quality gate. */
export const syncResults = ["published", "nothing_new", "refused", "failed"] as const;

export type SyncResultName = (typeof syncResults)[number];

/** One sync. A sync that found another one running is not listed. */
export type SyncEntry = {
  /** e.g., "2026-11-20T04:00:00Z" */
  readonly started_at: string;
  /** Duration, in tenths. */
  readonly seconds: number;
  readonly result: SyncResultName;
  /** The release that it published. */
  readonly release: string | null;
  /** Grants of the release that it built. */
  readonly records: number | null;
  readonly rejected: number | null;
};

/** Maximum entries: a week of nights and a few repetitions. */
export const syncsKept = 10;
