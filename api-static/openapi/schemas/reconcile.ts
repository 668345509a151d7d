// Builds the schemas of the Reconciliation API, version 0.2.

import { list, type Schema } from "../../contract/answers/schema.ts";
import { queryProperties } from "../../contract/operations/reconcile.ts";

/** An object whose other properties are open, as in the specification. */
function open<const Properties extends Readonly<Record<string, Schema>>>(
  description: string,
  properties: Properties,
) {
  return { type: "object", description, required: Object.keys(properties), properties } as const;
}

const text = { type: "string" } as const;
const term = open("A type.", { id: text, name: text });
const terms = { type: "array", items: term } as const;

const service = open("Where a service is.", { service_url: text, service_path: text });

const entity = {
  id: { type: "string", description: "The EIN." },
  name: text,
  description: { type: "string", description: "Its place and its numbers of grants." },
};

/** The form of a POST. */
export const reconcileForm = open("A form.", {
  queries: {
    type: "string",
    description: `The queries, as in the URL. Their properties are ${queryProperties.map(({ id }) => `\`${id}\``).join(", ")}.`,
  },
});

export const reconcileSchemas = {
  ReconcileService: open("The service, as its clients need it.", {
    versions: { type: "array", items: text },
    name: text,
    identifierSpace: text,
    schemaSpace: text,
    documentation: text,
    serviceVersion: text,
    defaultTypes: terms,
    view: open("Pages of organizations.", { url: text }),
    preview: open("Small pages of organizations.", {
      url: text,
      width: { type: "integer" },
      height: { type: "integer" },
    }),
    suggest: open("Suggestions while someone types.", { entity: service, property: service, type: service }),
    batchSize: { type: "integer" },
  }),
  ReconcileResults: {
    type: "object",
    description: "The candidates for each query, by the query's key.",
    additionalProperties: open("An answer to a query.", {
      result: list(
        "Highest score first.",
        open("An organization.", {
          ...entity,
          type: terms,
          score: { type: "number", minimum: 0, maximum: 100, description: "How much of the names agrees." },
          match: {
            type: "boolean",
            description:
              "True if all words of the query are in the present name, the score is at least 90, and the others' are at least 3 less. False if one of both names alone has FOUNDATION, FUND or TRUST, or a code of a state is in the query only.",
          },
        }),
      ),
    }),
  } as const,
  ReconcileAnswer: {
    anyOf: [
      { $ref: "#/components/schemas/ReconcileService" },
      { $ref: "#/components/schemas/ReconcileResults" },
    ],
  } as const,
  SuggestedOrganizations: open("Suggestions, best first.", {
    result: { type: "array", items: open("An organization.", { ...entity, notable: terms }) },
  }),
  SuggestedTerms: open("Suggestions.", {
    result: {
      type: "array",
      items: { ...term, properties: { ...term.properties, description: text } },
    },
  }),
};
