// Owns the JSON Schemas of answers, put together from the definitions that make the answers.
import { type ErrorCode, errorMeanings, problemCodes, statuses } from "../contract/errors.ts";
import * as limits from "../contract/limits.ts";
import { fieldSchemas, nullableFields, type RecordField, recordFields } from "../contract/record.ts";
import type { Schema } from "../contract/schema.ts";

const count: Schema = { type: "integer", minimum: 0 };
const dollars: Schema = { type: "string", pattern: "^-?\\d+\\.\\d{2}$", examples: ["5070460849.28"] };
const instant: Schema = { type: "string", format: "date-time" };
const year: Schema = { type: "integer" };
export const releaseId: Schema = {
  type: "string",
  pattern: "^\\d{8}T\\d{6}Z$",
  examples: ["20261120T040000Z"],
};

/** An object with these properties, all of them, and no others. */
function exactly(description: string, properties: Readonly<Record<string, Schema>>): Schema {
  const required = Object.keys(properties);
  return { type: "object", description, required, additionalProperties: false, properties };
}

function nullable(schema: Schema): Schema {
  return { ...schema, type: [schema.type, "null"] };
}

/** The meanings of error codes, one a line. */
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
  total: { ...count, description: "Grants that match in all pages; exact." },
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
      description: "What is wrong with the parameters, all of it; only where a parameter is at fault.",
      minItems: 1,
      items: exactly("What is wrong with one parameter.", {
        parameter: { type: "string" },
        code: { type: "string", enum: problemCodes },
        message: { type: "string", description: "The rule and the value that breaks it." },
      }),
    },
  },
};

const status = exactly("The release that is served.", {
  success: { const: true },
  release: { ...releaseId, description: "When its sync began." },
  synced_at: instant,
  age_seconds: { ...count, description: "Seconds since it was synced." },
  next_sync: instant,
  records: count,
  funders: count,
  recipients: { ...count, description: "Recipients that are known by EIN." },
  first_year: year,
  last_year: year,
  amount: { ...dollars, description: "Sum of the cash amounts in dollars, exact." },
  non_cash_amount: { ...dollars, description: "Sum of the non-cash amounts in dollars, exact." },
  newest_created_at: instant,
  nulls: exactly(
    "Grants without a value, by field.",
    Object.fromEntries(nullableFields.map((field) => [field, count])),
  ),
});

const sum = { records: count, amount: fieldSchemas.amount };

const topRecipient = exactly("What a funder's grants to one recipient come to.", {
  recipient_ein: nullable(fieldSchemas.recipient_ein),
  recipient_name: nullable(fieldSchemas.recipient_name),
  ...sum,
});

const topFunder = exactly("What one funder's grants to a recipient come to.", {
  funder_ein: fieldSchemas.funder_ein,
  ...sum,
});

const edge = nullable({ type: "number", description: "Dollars; null where the size is open." });

const totals = {
  ...sum,
  first_year: year,
  last_year: year,
  non_cash: exactly("Grants with non-cash support.", {
    records: count,
    share: { type: "number", minimum: 0, maximum: 1, description: "Of all records, to four decimals." },
  }),
  years: {
    type: "array",
    description: "Newest first.",
    items: exactly("A year.", { transaction_year: fieldSchemas.transaction_year, ...sum }),
  },
  sizes: {
    type: "array",
    description: "Every size, smallest first.",
    items: exactly("Grants of `from` dollars and more, below `below`.", { from: edge, below: edge, ...sum }),
  },
};

/** The largest counterparts; `summary.ts` bounds their number. */
const top = (items: Schema): Schema => ({
  type: "array",
  description: "The ten with the largest sums.",
  items,
});

const funderSummary = exactly("What all grants of a funder come to.", {
  success: { const: true },
  data: exactly("The summary.", {
    funder_ein: fieldSchemas.funder_ein,
    ...totals,
    top_recipients: top(topRecipient),
  }),
});

const recipientSummary = exactly("What all grants to a recipient come to.", {
  success: { const: true },
  data: exactly("The summary.", {
    recipient_ein: fieldSchemas.funder_ein,
    recipient_name: nullable({
      ...fieldSchemas.recipient_name,
      description: "The name that most grants give.",
    }),
    ...totals,
    top_funders: top(topFunder),
  }),
});

/** `components.schemas` of the OpenAPI document. */
export const schemas = {
  Grant: grant,
  HistoryPage: historyPage,
  FunderSummary: funderSummary,
  RecipientSummary: recipientSummary,
  Status: status,
  Error: error,
};
