// Defines the report and the status of a release in the API: their schemas, and the types of their parts.
import { einDigitsSchema } from "../ein.ts";
import { likelyFundersFactsSchema } from "./likelyFunders.ts";
import { matchFactsSchema } from "./matches.ts";
import { fieldSchemas, nullableFields } from "./record.ts";
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

/** Why a row is rejected, for people. If several reasons apply, the first counts. */
export const rejectMeanings = {
  id_missing: "The row has no id.",
  funder_ein_invalid: "The funder's EIN is not nine digits.",
  transaction_year_invalid: "The year is before 1900 or after next year.",
  amount_missing: "The row has neither an amount nor a non-cash amount.",
  created_at_missing: "The row has no created_at.",
  duplicate_id: "A newer row has the same id. Applies only to rows that are valid otherwise.",
} as const;

export type RejectReason = keyof typeof rejectMeanings;

/** Every reason, in the order in which they are checked. */
export const rejectReasons = Object.keys(rejectMeanings) as readonly RejectReason[];

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

const sumOfYear = exactly("A year.", {
  transaction_year: fieldSchemas.transaction_year,
  records: count,
  amount: dollars,
});

const unknown = counted("Number of grants without a known state, which no filter by state matches.");

const ofUnknownCause = counted("Number of grants without a known cause.");

/** JSON Schema of the status. */
export const statusSchema = body("The release being served.", {
  version: { type: "string", description: "Version of the service that answered.", examples: ["1.0.0"] },
  release: { ...releaseId, description: "Its id: the time its sync began." },
  synced_at: instant,
  age_seconds: counted("Seconds since its sync began."),
  next_sync: { ...instant, description: "When the next nightly sync starts, if one is scheduled." },
  sync_scheduled: { type: "boolean", description: "True if a sync is set to start every night." },
  releases_kept: counted("Number of releases kept, this one included."),
  synthetic: { type: "boolean", description: "True if the warehouse marks its grants as made up." },
  records: count,
  funders: count,
  recipients: counted("Number of recipients with an EIN."),
  first_year: year,
  last_year: year,
  amount: { ...dollars, description: "Exact sum of cash amounts in dollars." },
  non_cash_amount: { ...dollars, description: "Exact sum of non-cash amounts in dollars." },
  newest_created_at: instant,
  nulls: exactly(
    "Number of null values, by field.",
    each(nullableFields, () => count),
  ),
  organizations: counted("Number of organizations; 0 if the release has no names."),
  years: list("Grants by year, newest first.", sumOfYear),
  repeated: exactly(repeatedMeaning, {
    records: count,
    amount: dollars,
    years: list("The years with such grants, newest first.", sumOfYear),
  }),
  returns: counted(
    "Number of the IRS's returns that grants are from; 0 if the warehouse does not name them.",
  ),
  places: exactly("Where the states of funders and recipients come from; null if they are all unknown.", {
    funder_state: exactly("States of funders.", {
      source: { enum: ["organizations", null], description: "`organizations`: the list of organizations." },
      unknown,
    }),
    recipient_state: exactly("States of recipients.", {
      source: {
        enum: ["warehouse", "organizations", null],
        description: "`warehouse`: as filed with each grant; `organizations`: the list of organizations.",
      },
      unknown,
    }),
    recipient_city: exactly("Cities of recipients, as filed.", { unknown: unknown }),
    recipient_zip: exactly("ZIP codes of recipients, as filed.", { unknown: unknown }),
  }),
  causes: exactly("Of how many grants the causes are known, from the list of organizations.", {
    funder_cause: exactly("Causes of funders.", { unknown: ofUnknownCause }),
    recipient_cause: exactly("Causes of recipients.", {
      filed: exactly("Grants with the cause of the EIN that they name.", { records: count, amount: dollars }),
      likely: exactly("Grants without an EIN, with the cause of their likely recipient.", {
        records: count,
        amount: dollars,
      }),
      unknown: exactly("Grants without a known cause.", { records: count, amount: dollars }),
    }),
  }),
  matches: matchFactsSchema,
  likely_funders: likelyFundersFactsSchema,
});

type Status = ValueOf<typeof statusSchema>;

/** The number of grants of unknown states, cities and ZIP codes, and where the states come from: null if nothing gives them. */
export type Places = Status["places"];

/** Sums of the grants by how the cause of their recipient is known: by the EIN filed, or by the EIN of the likely recipient. */
export type CauseFacts = Status["causes"];
