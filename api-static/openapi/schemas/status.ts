// Builds the schema of the status.
import { likelyFundersFactsSchema } from "../../contract/likelyFunders.ts";
import { matchFactsSchema } from "../../contract/matches.ts";
import { fieldSchemas, nullableFields } from "../../contract/record.ts";
import {
  body,
  count,
  counted,
  dollars,
  each,
  exactly,
  instant,
  list,
  releaseId,
  repeatedMeaning,
  year,
} from "../../contract/schema.ts";

const sumOfYear = exactly("A year.", {
  transaction_year: fieldSchemas.transaction_year,
  records: count,
  amount: dollars,
});

const unknown = counted("Number of grants without a known state, which no filter by state matches.");

const ofUnknownCause = counted("Number of grants without a known cause.");

/** The release being served. */
export const status = body("The release being served.", {
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
