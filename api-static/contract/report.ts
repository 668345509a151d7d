// Defines the report of a release in the API: its schema, and the types of its parts.

import { einDigitsSchema } from "./ein.ts";
import { rejectMeanings, rejectReasons } from "./rejects.ts";
import {
  body,
  count,
  counted,
  dollars,
  each,
  exactly,
  instant,
  list,
  nullable,
  releaseId,
  repeatedMeaning,
  type ValueOf,
  year,
} from "./schema.ts";
import { syncSchema, syncsKept } from "./syncs.ts";

/** JSON Schema of the report. */
export const reportSchema = body(
  "Rows that the sync read and rejected, its changes, and the results of the last syncs.",
  {
    release: { ...releaseId, description: "The release that the report is about." },
    synced_at: instant,
    rows: exactly("Rows of the warehouse.", {
      read: count,
      accepted: count,
      rejected: count,
      rejected_by_reason: exactly(
        "Rejected rows by reason, including reasons without rows.",
        each(rejectReasons, (reason) => counted(rejectMeanings[reason])),
      ),
      recipient_ein_invalid: counted("Accepted rows whose recipient_ein is not an EIN; it became null."),
    }),
    repeated: exactly(repeatedMeaning, {
      records: count,
      amount: dollars,
      largest: list(
        "The ten funders and years with the largest sums.",
        exactly("A funder's year.", {
          funder_ein: { ...einDigitsSchema, description: "EIN of the funder." },
          transaction_year: year,
          filings: counted("Maximum number of filings that list the same grant."),
          records: count,
          amount: dollars,
        }),
      ),
    }),
    changes: exactly("Differences from the previous release; if there is none, everything is new.", {
      since: nullable({ ...releaseId, description: "The previous release; null if there was none." }),
      funders_added: count,
      funders_changed: counted("Number of funders with a grant added, changed or removed."),
      funders_removed: count,
      funders_same: count,
      records_difference: { type: "integer", description: "Difference in the number of grants." },
      amount_difference: { ...dollars, description: "Difference in the sum of cash amounts." },
    }),
    pages: exactly("Page files, of which a sample was compared with the records.", {
      files: count,
      linked: counted("Number of files shared with the previous release."),
    }),
    syncs: list("The last syncs of the service, newest first.", syncSchema, syncsKept),
  },
);

type Report = ValueOf<typeof reportSchema>;

/** Counts of the warehouse's rows; `read` is `accepted` plus `rejected`. */
export type RowCounts = Report["rows"];

/** Repeated grants of all funders, and those with the largest sums. */
export type RepeatedGrants = Report["repeated"];

/** Pages that are `linked` are shared with the previous release. */
export type PublishedPages = Report["pages"];

/** For a refused release, counts of funders are null: they are compared while the release is built. */
export type ReleaseChanges = {
  [Name in keyof Report["changes"]]:
    | Report["changes"][Name]
    | (Name extends `funders_${string}` ? null : never);
};
