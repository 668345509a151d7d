// Builds the JSON Schemas of responses from the definitions that responses are written with.
import { type ErrorCode, errorMeanings, problemCodes, statuses } from "../contract/errors.ts";
import * as limits from "../contract/limits.ts";
import { maxLinks, maxPeers } from "../contract/peers.ts";
import { fieldSchemas, nullableFields, type RecordField, recordFields } from "../contract/record.ts";
import { rejectMeanings } from "../contract/rejects.ts";
import type { Schema } from "../contract/schema.ts";
import { syncResults, syncsKept } from "../contract/syncs.ts";

const count: Schema = { type: "integer", minimum: 0 };
const dollars: Schema = { type: "string", pattern: "^-?\\d+\\.\\d{2}$", examples: ["5070460849.28"] };
const instant: Schema = { type: "string", format: "date-time" };
const year: Schema = { type: "integer" };
export const releaseId: Schema = {
  type: "string",
  pattern: "^\\d{8}T\\d{6}Z$",
  examples: ["20261120T040000Z"],
};

/** An object with exactly these properties, all of them required. */
function exactly(description: string, properties: Readonly<Record<string, Schema>>): Schema {
  const required = Object.keys(properties);
  return { type: "object", description, required, additionalProperties: false, properties };
}

function nullable(schema: Schema): Schema {
  return { ...schema, type: [schema.type, "null"] };
}

/** The meanings of error codes, one per line. */
export function formatMeanings(codes: readonly ErrorCode[]): string {
  return codes.map((code) => `- \`${code}\`: ${errorMeanings[code]}`).join("\n");
}

const nullables: ReadonlySet<RecordField> = new Set(nullableFields);

const grant = exactly(
  "A grant, as it was filed.",
  Object.fromEntries(
    recordFields.map((field) => [
      field,
      nullables.has(field) ? nullable(fieldSchemas[field]) : fieldSchemas[field],
    ]),
  ),
);

const historyPage = exactly("A page of grants: newest year first, then largest amount first, then by id.", {
  success: { const: true },
  data: { type: "array", maxItems: limits.pageSizeMax, items: { $ref: "#/components/schemas/Grant" } },
  total: { ...count, description: "Number of matching grants on all pages; exact." },
  limit: { type: "integer", minimum: 1, maximum: limits.pageSizeMax },
  offset: { type: "integer", minimum: 0, maximum: limits.offsetMax },
});

const errorCodes = Object.keys(statuses) as ErrorCode[];

const error: Schema = {
  type: "object",
  description: "Every error has this shape.",
  required: ["success", "error", "code"],
  additionalProperties: false,
  properties: {
    success: { const: false },
    error: { type: "string", description: "One sentence for people." },
    code: { type: "string", enum: errorCodes, description: formatMeanings(errorCodes) },
    details: {
      type: "array",
      description: "Every problem with the parameters; present only if there is one.",
      minItems: 1,
      items: exactly("A problem with one parameter.", {
        parameter: { type: "string" },
        code: { type: "string", enum: problemCodes },
        message: { type: "string", description: "The rule, and the value that breaks it." },
      }),
    },
  },
};

const status = exactly("The release being served.", {
  success: { const: true },
  release: { ...releaseId, description: "Its id: the time its sync began." },
  synced_at: instant,
  age_seconds: { ...count, description: "Seconds since its sync began." },
  next_sync: instant,
  records: count,
  funders: count,
  recipients: { ...count, description: "Number of recipients with an EIN." },
  first_year: year,
  last_year: year,
  amount: { ...dollars, description: "Exact sum of cash amounts in dollars." },
  non_cash_amount: { ...dollars, description: "Exact sum of non-cash amounts in dollars." },
  newest_created_at: instant,
  nulls: exactly(
    "Number of null values, by field.",
    Object.fromEntries(nullableFields.map((field) => [field, count])),
  ),
  organizations: {
    ...count,
    description: "Number of organizations; 0 if the release has no names.",
  },
  years: {
    type: "array",
    description: "Grants by year, newest first.",
    items: exactly("A year.", {
      transaction_year: fieldSchemas.transaction_year,
      records: count,
      amount: dollars,
    }),
  },
});

const report = exactly("What the sync read and rejected, what it changed, and how the last syncs ended.", {
  success: { const: true },
  release: { ...releaseId, description: "The release that the report is about." },
  synced_at: instant,
  rows: exactly("Rows of the warehouse.", {
    read: count,
    accepted: count,
    rejected: count,
    rejected_by_reason: exactly(
      "Rejected rows by reason: every reason, also those with no row.",
      Object.fromEntries(
        Object.entries(rejectMeanings).map(([reason, description]) => [reason, { ...count, description }]),
      ),
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
  pages: exactly("Page files. A release is served only after all of them were read back and compared.", {
    files: count,
    linked: { ...count, description: "Number of files shared with the previous release." },
  }),
  syncs: {
    type: "array",
    description: "The last syncs of the service, newest first.",
    maxItems: syncsKept,
    items: exactly("A sync.", {
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
    }),
  },
});

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
  sizes: {
    type: "array",
    description: "All size bands, smallest first.",
    items: exactly("Grants of at least `from` and less than `below` dollars.", {
      from: edge,
      below: edge,
      ...sum,
    }),
  },
  largest_grant: {
    $ref: "#/components/schemas/Grant",
    description:
      "The grant with the largest amount. If several are equally large, the first in the order of lists.",
  },
};

/** The largest counterparts; `summary.ts` bounds their number. */
const top = (items: Schema): Schema => ({
  type: "array",
  description: "The ten with the largest sums.",
  items,
});

const funderSummary = exactly("Totals of a funder's grants.", {
  success: { const: true },
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
  }),
});

const recipientSummary = exactly("Totals of a recipient's grants.", {
  success: { const: true },
  data: exactly("The summary.", {
    recipient_ein: { ...fieldSchemas.funder_ein, description: "EIN of the recipient." },
    recipient_name: nullable({
      ...fieldSchemas.recipient_name,
      description: "The name that most of its grants give.",
    }),
    ...totals,
    funders: { ...count, description: "Number of funders." },
    top_funders: top(topFunder),
  }),
});

const similarity = {
  score: {
    type: "number",
    minimum: 0,
    maximum: 1,
    description:
      "Cosine similarity of the two lists, rounded to six decimals. Each entry of a list weighs one divided by the number of lists that it is on.",
  },
};

const peersDescription = `At most ${maxPeers}, most similar first; empty if there are none.`;

const funderPeers = exactly("Funders of the same recipients.", {
  success: { const: true },
  data: exactly("A funder and its peers.", {
    funder_ein: fieldSchemas.funder_ein,
    peers: {
      type: "array",
      maxItems: maxPeers,
      description: peersDescription,
      items: exactly("A funder that shares recipients.", {
        funder_ein: fieldSchemas.funder_ein,
        shared_recipients: {
          ...count,
          description: `Recipients of both, by EIN; those with more than ${maxLinks} funders are not counted.`,
        },
        recipients: { ...count, description: "Number of this funder's recipients with an EIN." },
        ...similarity,
      }),
    },
  }),
});

const recipientPeers = exactly("Other recipients of the same funders.", {
  success: { const: true },
  data: exactly("A recipient and its peers.", {
    recipient_ein: fieldSchemas.funder_ein,
    peers: {
      type: "array",
      maxItems: maxPeers,
      description: peersDescription,
      items: exactly("A recipient that shares funders.", {
        recipient_ein: fieldSchemas.funder_ein,
        recipient_name: nullable({
          ...fieldSchemas.recipient_name,
          description: "The name that most of its grants give.",
        }),
        shared_funders: {
          ...count,
          description: `Funders of both; those with more than ${maxLinks} recipients are not counted.`,
        },
        funders: { ...count, description: "Number of this recipient's funders." },
        ...similarity,
      }),
    },
  }),
});

/** The fields of an organization. */
const names = {
  ein: fieldSchemas.funder_ein,
  name: { type: "string" },
  city: nullable({ type: "string" }),
  state: nullable({ type: "string" }),
};

const organization = exactly("An organization.", {
  success: { const: true },
  data: exactly("Its name and place.", names),
});

const namesByEin = exactly("Funders with a name, by EIN.", {
  success: { const: true },
  data: { type: "array", items: exactly("A funder.", names) },
});

const namesByWord = exactly("Funders with a name: most grants first, then by EIN.", {
  success: { const: true },
  data: {
    type: "array",
    maxItems: limits.namesMax,
    items: exactly("A funder.", { ...names, records: { ...count, description: "Number of its grants." } }),
  },
});

/** `components.schemas` of the OpenAPI document. */
export const schemas = {
  Grant: grant,
  HistoryPage: historyPage,
  FunderSummary: funderSummary,
  RecipientSummary: recipientSummary,
  FunderPeers: funderPeers,
  RecipientPeers: recipientPeers,
  Organization: organization,
  NamesByEin: namesByEin,
  NamesByWord: namesByWord,
  Status: status,
  Report: report,
  Error: error,
};
