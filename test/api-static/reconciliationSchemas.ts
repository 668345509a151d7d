// Restates the JSON Schemas of the Reconciliation API 0.2 for answers, without the parts that the service does not offer.
// Source: appendix A of https://www.w3.org/community/reports/reconciliation/CG-FINAL-specs-0.2-20230410/
import { expect } from "vitest";
import { findProblems, type JsonSchema } from "./jsonSchema.ts";

const string = { type: "string" };
const integer = { type: "integer" };
const object = (properties: Readonly<Record<string, JsonSchema>>, ...required: string[]): JsonSchema => ({
  type: "object",
  properties,
  required,
});
const list = (items: JsonSchema): JsonSchema => ({ type: "array", items });

/** A template in which a client replaces {{id}}. */
const template = { type: "string", pattern: ".*\\{\\{id\\}\\}.*" };

const type = object({ id: string, name: string, description: string }, "id", "name");
const typeOrId: JsonSchema = { oneOf: [object({ id: string, name: string }, "id"), string] };
const suggestService = object({
  ...{ service_url: string, service_path: string, flyout_service_url: string },
  flyout_service_path: { type: "string", pattern: ".*\\$\\{id\\}.*" },
});
const entity = { id: string, name: string, description: string };

/** The schemas, by the names of their files. */
export const reconciliationSchemas = {
  manifest: object(
    {
      versions: { ...list(string), contains: { enum: ["0.2"] } },
      ...{ name: string, identifierSpace: string, schemaSpace: string },
      ...{ documentation: string, serviceVersion: string, logo: string },
      view: object({ url: template }, "url"),
      defaultTypes: { ...list(type), uniqueItems: true },
      suggest: object({ entity: suggestService, property: suggestService, type: suggestService }),
      preview: object({ url: template, width: integer, height: integer }, "url", "width", "height"),
    },
    ...["versions", "name", "identifierSpace", "schemaSpace"],
  ),
  "reconciliation-result-batch": {
    type: "object",
    additionalProperties: object(
      {
        result: list(
          object(
            { ...entity, score: { type: "number" }, match: { type: "boolean" }, type: list(typeOrId) },
            ...["id", "name", "score"],
          ),
        ),
      },
      "result",
    ),
  },
  "suggest-entities-response": object(
    { result: list(object({ ...entity, notable: list(typeOrId) }, "id", "name")) },
    "result",
  ),
  "suggest-properties-response": object({ result: list(object(entity, "id", "name")) }, "result"),
  "suggest-types-response": object({ result: list(type) }, "result"),
} as const satisfies Record<string, JsonSchema>;

/** Expects a JSON text to be as the specification says. */
export function expectConforming(name: keyof typeof reconciliationSchemas, text: string): void {
  const resolve = () => {
    throw new Error("the schemas have no references");
  };
  expect(findProblems(reconciliationSchemas[name], JSON.parse(text), resolve), text).toStrictEqual([]);
}
