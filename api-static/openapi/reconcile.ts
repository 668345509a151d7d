// Describes the operations of the Reconciliation API for the OpenAPI document.
import { describeService } from "../contract/manifest.ts";
import { entityTypes, queryProperties } from "../contract/reconcileQueries.ts";
import { routes } from "../contract/routes.ts";
import type { Schema } from "../contract/schema.ts";
import { type Answers, json, type MediaType, success } from "./answers.ts";
import { reconcileForm } from "./schemas/reconcile.ts";

const organization = {
  id: "131635294",
  name: "HARBOR STREET FOUNDATION",
  description: "NEW YORK, NY; 2 grants made",
};

const types = entityTypes.filter(({ id }) => id !== "recipient");

/** Answers `{"q0":{"query":"harbor street foundation"}}`. */
export const reconcileExample = {
  q0: { result: [{ ...organization, type: types, score: 100, match: true }] },
};

const suggestionsExample = { result: [{ ...organization, notable: types }] };

const preview: MediaType = {
  type: "text/html",
  schema: { type: "string" },
  example: "<!doctype html>…",
};

function answer(description: string, content: MediaType): Answers {
  return success(description, content, "X-Release", "Vary");
}

/** The successful response of each operation. */
export const reconcileAnswers = {
  reconcile: answer(
    "The candidates; without queries, the description of the service.",
    json(routes.reconcile, reconcileExample),
  ),
  suggestOrganizations: answer("The suggestions.", json(routes.suggestEntities, suggestionsExample)),
  suggestProperties: answer("The properties.", json(routes.suggestProperties, { result: queryProperties })),
  suggestTypes: answer("The types.", json(routes.suggestTypes, { result: entityTypes })),
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

/** The description of the service, as an example. */
export const serviceExample = describeService("https://grants.example.org");
