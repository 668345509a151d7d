// Describes the operations of the Reconciliation API for the OpenAPI document.
import { routes } from "../contract/routes.ts";
import type { Schema } from "../contract/schema.ts";
import { type Answers, json, type MediaType, success } from "./answers.ts";
import examples from "./examples.json" with { type: "json" };
import { reconcileForm } from "./schemas/reconcile.ts";

const preview: MediaType = {
  type: "text/html",
  schema: { type: "string" },
  example: examples.previewOrganization,
};

function answer(description: string, content: MediaType): Answers {
  return success(description, content, "X-Release", "Vary");
}

/** The successful response of each operation. */
export const reconcileAnswers = {
  reconcile: answer(
    "The candidates; without queries, the description of the service.",
    json(routes.reconcile, examples.reconcile),
  ),
  suggestOrganizations: answer(
    "The suggestions.",
    json(routes.suggestEntities, examples.suggestOrganizations),
  ),
  suggestProperties: answer("The properties.", json(routes.suggestProperties, examples.suggestProperties)),
  suggestTypes: answer("The types.", json(routes.suggestTypes, examples.suggestTypes)),
  previewOrganization: answer("The page.", preview),
} as const;

/** The body of a POST. */
export const requestBody: Schema = {
  required: true,
  content: {
    "application/x-www-form-urlencoded": {
      schema: reconcileForm,
      example: { queries: '{"q0":{"query":"harbor street foundation"}}' },
    },
  },
};
