// Builds the schema of errors, and lists their meanings.
import { type ErrorCode, errorMeanings, problemCodes, statuses } from "../../contract/errors.ts";
import { problemsMax } from "../../contract/limits.ts";
import { exactly, type Schema } from "../../contract/schema.ts";

/** The meanings of error codes, one per line. */
export function formatMeanings(codes: readonly ErrorCode[]): string {
  return codes.map((code) => `- \`${code}\`: ${errorMeanings[code]}`).join("\n");
}

const errorCodes = Object.keys(statuses) as ErrorCode[];

/** Every error. */
export const error: Schema = {
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
      description: "The problems with the parameters; present only if there is one.",
      minItems: 1,
      maxItems: problemsMax,
      items: exactly("A problem with one parameter.", {
        parameter: { type: "string" },
        code: { type: "string", enum: problemCodes },
        message: { type: "string", description: "The rule, and the value that breaks it." },
      }),
    },
  },
};
