// Defines the entries of the history of syncs in the API.
import { count, exactly, instant, nullable, releaseId, type ValueOf } from "./schema.ts";

export const syncResults = ["published", "nothing_new", "refused", "failed"] as const;

export type SyncResultName = (typeof syncResults)[number];

/** JSON Schema of a sync. A sync that found another one running is not listed. */
export const syncSchema = exactly("A sync.", {
  started_at: instant,
  seconds: { type: "number", minimum: 0, description: "Duration." },
  result: {
    type: "string",
    enum: syncResults,
    description:
      "`nothing_new`: the warehouse had not changed. `refused`: by the quality gate; the previous release is still served.",
  },
  release: nullable({ ...releaseId, description: "The release that it published." }),
  records: nullable({ ...count, description: "Grants of the release that it built." }),
  rejected: nullable({ ...count, description: "Rows that it rejected." }),
});

export type SyncEntry = ValueOf<typeof syncSchema>;

/** Maximum entries: a week of nights and a few repetitions. */
export const syncsKept = 10;
