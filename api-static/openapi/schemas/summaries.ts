// Builds the schemas of the totals for a funder and for a recipient.
import * as limits from "../../contract/limits.ts";
import { fieldSchemas, recipientEin, recipientName } from "../../contract/record.ts";
import { body, count, exactly, nullable, repeatedMeaning, type Schema, year } from "../../contract/schema.ts";

const sum = { records: count, amount: fieldSchemas.amount };

const topRecipient = exactly("Totals of a funder's grants to one recipient.", {
  recipient_ein: nullable(fieldSchemas.recipient_ein),
  recipient_name: nullable(fieldSchemas.recipient_name),
  ...sum,
});

const topFunder = exactly("Totals of one funder's grants to a recipient.", {
  funder_ein: fieldSchemas.funder_ein,
  ...sum,
});

const edge = nullable({ type: "number", description: "Dollars; null if there is no bound on this side." });

const sizes = {
  type: "array",
  description: "All size bands, smallest first.",
  items: exactly("Grants of at least `from` and less than `below` dollars.", {
    from: edge,
    below: edge,
    ...sum,
  }),
} as const;

const totals = {
  ...sum,
  first_year: year,
  last_year: year,
  non_cash: exactly("Grants with non-cash support.", {
    records: count,
    share: {
      type: "number",
      minimum: 0,
      maximum: 1,
      description: "Share of all records, rounded to four decimals.",
    },
  }),
  years: {
    type: "array",
    description: "Newest first.",
    items: exactly("A year.", { transaction_year: fieldSchemas.transaction_year, ...sum }),
  },
  sizes,
  largest_grant: {
    $ref: "#/components/schemas/Grant",
    description:
      "The grant with the largest amount. If several are equally large, the first in the order of lists.",
  },
} as const;

/** The largest counterparts; `summary.ts` bounds their number. */
const top = <const Items extends Schema>(items: Items) =>
  ({ type: "array", description: "The ten with the largest sums.", items }) as const;

/** Totals for a funder. */
export const funderSummary = body("Totals of a funder's grants.", {
  data: exactly("The summary.", {
    funder_ein: fieldSchemas.funder_ein,
    ...totals,
    recipients: {
      ...count,
      description:
        "Number of recipients: by EIN, or by name if there is no EIN. Grants with neither are omitted.",
    },
    top_recipients: top(topRecipient),
    received: exactly("Totals of grants to the funder's own EIN.", sum),
    repeated: exactly(repeatedMeaning, {
      ...sum,
      years: {
        type: "array",
        description: "The years with such grants, newest first.",
        items: exactly("A year.", {
          transaction_year: fieldSchemas.transaction_year,
          ...sum,
          filings: { ...count, description: "Maximum number of filings that list the same grant." },
        }),
      },
    }),
  }),
});

/** Totals for a recipient. */
export const recipientSummary = body("Totals of a recipient's grants.", {
  data: exactly("The summary.", {
    recipient_ein: recipientEin,
    recipient_name: recipientName,
    ...totals,
    funders: { ...count, description: "Number of funders." },
    top_funders: top(topFunder),
  }),
});

/** Recipients that several funders share. */
export const sharedRecipients = body(
  "Recipients that at least two of the funders fund, by EIN: most funders first, then the largest sum, then by EIN.",
  {
    data: {
      type: "array",
      description: "The recipients of the page.",
      maxItems: limits.pageSizeMax,
      items: exactly("A recipient.", {
        recipient_ein: recipientEin,
        recipient_name: recipientName,
        funders: {
          type: "array",
          description: "Totals of the grants to it, by funder, in the order of the request.",
          items: topFunder,
        },
      }),
    },
    total: { ...count, description: "Number of shared recipients on all pages; exact." },
    limit: { type: "integer", minimum: 1, maximum: limits.pageSizeMax },
    offset: { type: "integer", minimum: 0, maximum: limits.offsetMax },
    funders: {
      type: "array",
      description: "The funders, in the order of the request. One without grants has zeros.",
      items: exactly("Totals of a funder's grants, of the year if one is given.", {
        funder_ein: fieldSchemas.funder_ein,
        ...sum,
        sizes,
      }),
    },
  },
);
