// Builds the schemas of grants and of pages of grants.

import { matchSchema } from "../../contract/answers/matches.ts";
import {
  fieldSchemas,
  nullableFields,
  type RecordField,
  recordFields,
} from "../../contract/answers/record.ts";
import { body, counted, each, exactly, list, nullable } from "../../contract/answers/schema.ts";
import * as limits from "../../contract/limits.ts";

type Plain = (typeof fieldSchemas)[RecordField];

const nullables: ReadonlySet<RecordField> = new Set(nullableFields);

const grant = exactly(
  "A grant, as it was filed.",
  each(recordFields, (field) => {
    const schema: Plain = fieldSchemas[field];
    return nullables.has(field) ? nullable(schema) : schema;
  }),
);

const grants = list(
  "The grants of the page, one per line of the body.",
  { $ref: "#/components/schemas/Grant" },
  limits.pageSizeMax,
);

const page = {
  total: counted("Number of matching grants on all pages; exact."),
  limit: { type: "integer", minimum: 1, maximum: limits.pageSizeMax },
  offset: { type: "integer", minimum: 0, maximum: limits.offsetMax },
} as const;

const order = "newest year first, then largest amount first, then by id.";

const recipientPage = body(`A page of grants to a recipient: ${order}`, {
  data: grants,
  matches: list(
    "The likely recipients of the page's grants without an EIN.",
    matchSchema,
    limits.pageSizeMax,
  ),
  ...page,
});

export const grantSchemas = {
  Grant: grant,
  GrantWithSource: body("A grant, and the return that it is from.", {
    data: { $ref: "#/components/schemas/Grant" },
    source: nullable(
      exactly("The return; null if the warehouse does not name it.", {
        object_id: { type: "string", pattern: "^\\d{18}$", description: "The IRS's number of the return." },
        form: { type: "string", description: "The form, e.g., `990` or `990-PF`." },
        period: {
          type: "string",
          pattern: "^\\d{4}-\\d{2}$",
          description: "The month in which its period ends.",
        },
        zip: nullable({ type: "string", description: "The IRS's zip that has the return." }),
        row: counted(
          "Row of the grant in the return's tables of grants, from 0. Those of Schedule F come last.",
        ),
      }),
    ),
  }),
  HistoryPage: body(`A page of grants: ${order}`, { data: grants, ...page }),
  RecipientHistoryPage: {
    ...recipientPage,
    required: recipientPage.required.filter((name) => name !== "matches"), // only with likely recipients
  },
};
