// Builds the schemas of totals: of a funder, of a recipient, and of matching grants, also by group.

import { matchSchema } from "../../contract/answers/matches.ts";
import { fieldSchemas, recipientEin, recipientName } from "../../contract/answers/record.ts";
import {
  body,
  count,
  counted,
  each,
  exactly,
  list,
  nullable,
  repeatedMeaning,
  type Schema,
  withOptional,
  year,
} from "../../contract/answers/schema.ts";
import { coveredFilters, groupedFilters } from "../../contract/filters/attributes.ts";
import * as limits from "../../contract/limits.ts";

const sum = { records: count, amount: fieldSchemas.amount };

const nonCash = exactly("Grants with non-cash support, and its value. Every other `amount` is cash.", sum);

const sumOfGroup = { ...sum, non_cash: nonCash };

const recipientKey = {
  recipient_ein: nullable(fieldSchemas.recipient_ein),
  recipient_name: nullable(fieldSchemas.recipient_name),
};

const recipientMeaning = "Totals of the grants to one recipient.";

const ofRecipient = exactly(recipientMeaning, { ...recipientKey, ...sum });

const funderKey = { funder_ein: fieldSchemas.funder_ein };

const funderMeaning = "Totals of one funder's grants.";

const ofFunder = exactly(funderMeaning, { ...funderKey, ...sum });

const edge = nullable({ type: "number", description: "Dollars; null if there is no bound on this side." });

const sizes = list(
  "All size bands, smallest first.",
  exactly("Grants of at least `from` and less than `below` dollars.", {
    from: edge,
    below: edge,
    ...sum,
  }),
);

const years = list(
  "The years with grants, newest first.",
  exactly("A year.", { transaction_year: fieldSchemas.transaction_year, ...sum }),
);

const largestMeaning =
  "The grant with the largest amount, first in the order of lists among equals; totals over people come last.";

const markSums = {
  individuals: exactly(
    "Totals over people: aid to individuals, or names such as VARIOUS NEEDY PATIENTS. `sizes` and `largest_grant` leave them out.",
    sum,
  ),
  passed_on: exactly("Grants whose recipient, by its EIN, is a funder itself.", sum),
  donor_advised: exactly(
    "Grants whose recipient, by its EIN, states donor-advised funds in its newest return.",
    sum,
  ),
};

const totals = {
  ...sum,
  first_year: year,
  last_year: year,
  non_cash: exactly(nonCash.description, {
    ...sum,
    share: {
      type: "number",
      minimum: 0,
      maximum: 1,
      description: "Share of all records, rounded to four decimals.",
    },
  }),
  ...markSums,
  years,
  sizes,
  largest_grant: {
    $ref: "#/components/schemas/Grant",
    description: largestMeaning,
  },
} as const;

/** The largest counterparts; `summary.ts` bounds their number. */
const top = <const Items extends Schema>(items: Items) => list("The ten with the largest sums.", items);

const habits = exactly("How the funder gives. Sizes and recipients leave out totals over people.", {
  quartiles: list(
    "The sizes that a quarter, half and three quarters of the grants do not exceed.",
    fieldSchemas.amount,
  ),
  new_recipients: list(
    "By year, newest first. In the first year all are new.",
    exactly("A year.", {
      transaction_year: fieldSchemas.transaction_year,
      recipients: counted("By EIN, or by name if there is no EIN."),
      new: counted("Those without a grant of it in earlier years."),
    }),
  ),
  first_grants: exactly("The largest grant of each recipient's first year.", {
    median: nullable(fieldSchemas.amount),
  }),
  in_state: {
    anyOf: [exactly("Grants to recipients in the funder's own state.", sum), { type: "null" }],
    description: "Null if the funder's state is unknown.",
  },
  payout: list(
    "Grants paid as a share of assets, newest first.",
    exactly("A tax year.", {
      tax_year: year,
      share: { type: "number", description: "Rounded to four decimals." },
    }),
  ),
});

const funders = counted("Number of funders.");

const recipientsMeaning =
  "Number of recipients: by EIN, or by name if there is no EIN. Grants with neither are in `without_recipient`.";

const totalsOfMatches = exactly("The totals; zeros, nulls and empty lists if no grant matches.", {
  ...sum,
  funders: counted("Number of funders."),
  recipients: counted(recipientsMeaning),
  first_year: nullable(year),
  last_year: nullable(year),
  non_cash: nonCash,
  ...markSums,
  years,
  sizes,
  top_funders: top(ofFunder),
  top_recipients: top(ofRecipient),
  without_recipient: exactly("Grants with neither EIN nor name of the recipient.", sum),
});

const ofPlaces = exactly(
  "The grants that match all other filters, by whether their place or cause is known.",
  {
    known: exactly("Grants of a known place or cause.", sum),
    unknown: exactly("Grants of an unknown place or cause.", sum),
  },
);

/** Of each filter on a place that the search has. */
const coverage = withOptional(
  exactly("Only for filters on places and causes: the grants with a known value of each.", {}),
  each(
    coveredFilters.map(({ name }) => name),
    () => ofPlaces,
  ),
);

const ofYear = exactly("Totals of one year.", {
  transaction_year: fieldSchemas.transaction_year,
  ...sumOfGroup,
});

/** States of funders and of recipients have one schema. */
const ofAttributes = [...new Set(groupedFilters.map(({ group }) => group))].map(({ about, fields }) =>
  exactly(about, { ...fields, ...sumOfGroup }),
);

const groups = body(
  "Groups of the matching grants, the largest first. Equal groups are in order of their key, null last.",
  {
    data: list(
      "The groups of the page.",
      {
        anyOf: [
          exactly(funderMeaning, { ...funderKey, ...sumOfGroup }),
          exactly(recipientMeaning, { ...recipientKey, ...sumOfGroup }),
          ofYear,
          ...ofAttributes,
        ],
      },
      limits.pageSizeMax,
    ),
    total: counted("Number of groups on all pages; exact."),
    records: counted("Number of all matching grants."),
    amount: fieldSchemas.amount,
    limit: { type: "integer", minimum: 1, maximum: limits.pageSizeMax },
    offset: { type: "integer", minimum: 0, maximum: limits.groupsMax },
  },
);

export const summarySchemas = {
  Totals: body("Totals of the matching grants.", {
    data: withOptional(totalsOfMatches, { coverage }),
  }),
  Groups: groups,
  FunderSummary: body("Totals of a funder's grants.", {
    data: exactly("The summary.", {
      funder_ein: fieldSchemas.funder_ein,
      ...totals,
      recipients: counted(
        "Number of recipients: by EIN, or by name if there is no EIN. Grants with neither are omitted.",
      ),
      top_recipients: top(ofRecipient),
      received: exactly("Totals of grants to the funder's own EIN.", sum),
      repeated: exactly(repeatedMeaning, {
        ...sum,
        years: list(
          "The years with such grants, newest first.",
          exactly("A year.", {
            transaction_year: fieldSchemas.transaction_year,
            ...sum,
            filings: counted("Maximum number of filings that list the same grant."),
          }),
        ),
      }),
      habits,
    }),
  }),
  RecipientSummary: body("Totals of a recipient's grants.", {
    data: exactly("The summary.", {
      recipient_ein: recipientEin,
      recipient_name: recipientName,
      ...totals,
      first_year: nullable(year),
      last_year: nullable(year),
      largest_grant: {
        anyOf: [{ $ref: "#/components/schemas/Grant" }, { type: "null" }],
        description: largestMeaning,
      },
      funders,
      top_funders: top(ofFunder),
      filed: exactly("Totals of the grants that name its EIN, as above.", { ...sum, funders, years }),
      matched: exactly(
        "Totals of grants without an EIN whose likely recipient it is. Never add them to the filed ones.",
        {
          ...sum,
          funders,
          years,
          rules: list(
            "The rules that found them, surest first.",
            exactly("A rule.", { match_rule: matchSchema.properties.match_rule, records: count }),
          ),
        },
      ),
    }),
  }),
  SharedRecipients: body(
    "Recipients that at least two of the funders fund, by EIN: most funders first, then the largest sum, then by EIN.",
    {
      data: list(
        "The recipients of the page.",
        exactly("A recipient.", {
          recipient_ein: recipientEin,
          recipient_name: recipientName,
          funders: list("Totals of the grants to it, by funder, in the order of the request.", ofFunder),
        }),
        limits.pageSizeMax,
      ),
      total: counted("Number of shared recipients on all pages; exact."),
      limit: { type: "integer", minimum: 1, maximum: limits.pageSizeMax },
      offset: { type: "integer", minimum: 0, maximum: limits.offsetMax },
      funders: list(
        "The funders, in the order of the request. One without grants has zeros.",
        exactly("Totals of a funder's grants, of the year if one is given.", {
          funder_ein: fieldSchemas.funder_ein,
          ...sum,
          sizes,
        }),
      ),
    },
  ),
};
