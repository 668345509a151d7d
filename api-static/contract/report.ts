// Defines the report of a release in the API: its schema, and the types of its parts.
import { rejectMeanings, rejectReasons } from "./rejects.ts";
import { count, dollars, each, exactly, instant, nullable, releaseId, type ValueOf } from "./schema.ts";
import { syncSchema, syncsKept } from "./syncs.ts";

/** What the sync read, rejected and changed. */
export const reportSchema = exactly(
  "What the sync read and rejected, what it changed, and how the last syncs ended.",
  {
    success: { const: true },
    release: { ...releaseId, description: "The release that the report is about." },
    synced_at: instant,
    rows: exactly("Rows of the warehouse.", {
      read: count,
      accepted: count,
      rejected: count,
      rejected_by_reason: exactly(
        "Rejected rows by reason: every reason, also those with no row.",
        each(rejectReasons, (reason) => ({ ...count, description: rejectMeanings[reason] })),
      ),
      recipient_ein_invalid: {
        ...count,
        description: "Accepted rows whose recipient_ein is not an EIN; it became null.",
      },
    }),
    changes: exactly("What differs from the previous release; without one everything is new.", {
      since: nullable({ ...releaseId, description: "The previous release; null if there was none." }),
      funders_added: count,
      funders_changed: { ...count, description: "Number of funders with a grant added, changed or removed." },
      funders_removed: count,
      funders_same: count,
      records_difference: { type: "integer", description: "Number of grants, compared with before." },
      amount_difference: { ...dollars, description: "Sum of cash amounts, compared with before." },
    }),
    pages: exactly(
      "Page files. A release is served only after a sample of them was compared with its records.",
      {
        files: count,
        linked: { ...count, description: "Number of files shared with the previous release." },
      },
    ),
    syncs: {
      type: "array",
      description: "The last syncs of the service, newest first.",
      maxItems: syncsKept,
      items: syncSchema,
    },
  },
);

type Report = ValueOf<typeof reportSchema>;

/** Counts of the warehouse's rows; `read` is `accepted` plus `rejected`. */
export type RowCounts = Report["rows"];

/** Pages that are `linked` are shared with the previous release. */
export type PageCounts = Report["pages"];

/** For a refused release, counts of funders are null: they are compared while the release is built. */
export type ReleaseChanges = {
  [Name in keyof Report["changes"]]:
    | Report["changes"][Name]
    | (Name extends `funders_${string}` ? null : never);
};
