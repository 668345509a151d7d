// Defines the operations of the Reconciliation API: matching names in tables with organizations, for clients such as OpenRefine.
// Source: https://www.w3.org/community/reports/reconciliation/CG-FINAL-specs-0.2-20230410/
import { type Ein, parseEin } from "./ein.ts";
import { malformed, type Problem } from "./errors.ts";
import * as limits from "./limits.ts";
import { type Role, roles, singleSpaced } from "./organizations.ts";
import { parseQueries, type ReconcileQuery } from "./reconcileQueries.ts";
import { routes } from "./routes.ts";
import { parseText } from "./text.ts";
import { type Draft, type Parameter, readAs, readBy, readInteger } from "./values.ts";

/** A batch of names to match, by their keys; the description of the service if there is none. */
export type ReconcileRequest = {
  readonly kind: "reconcile";
  readonly queries: ReadonlyMap<string, ReconcileQuery> | undefined;
};

/** Suggestions for a text that someone types: organizations, properties of queries, or types. */
export type SuggestRequest = {
  readonly kind: "suggest";
  readonly of: "entity" | "property" | "type";
  /** Canonical text; "" if nothing is typed. */
  readonly prefix: string;
  readonly role?: Role;
  /** Suggestions that the client already has. */
  readonly skipped: number;
};

/** A small page about an organization, for a frame. */
export type PreviewRequest = { readonly kind: "preview"; readonly ein: Ein };

/** A request of the Reconciliation API. */
export type ReconcilingRequest = ReconcileRequest | SuggestRequest | PreviewRequest;

const queries: Parameter = {
  description: `At most ${limits.batchMax} queries, as a JSON object. Each has \`query\`, \`type\`, \`limit\` or \`properties\`.`,
  schema: { type: "string", minLength: 2, examples: ['{"q0":{"query":"harbor street foundation"}}'] },
  read: (value, draft) => {
    const parsed = parseJson(value);
    if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
      return malformed("queries must be a JSON object", value);
    const count = Object.keys(parsed).length;
    if (count > limits.batchMax)
      return {
        code: "out_of_range",
        message: `queries must have at most ${limits.batchMax} queries, got ${count}`,
      };
    draft.queries = parsed as Readonly<Record<string, unknown>>;
    return undefined;
  },
};

const prefix: Parameter = {
  description: "The text that is typed.",
  schema: { type: "string", maxLength: limits.textLengthMax, examples: ["harbor str"] },
  read: readBy(parseText, "prefix", "name"),
};

const cursorBounds = { minimum: 0, maximum: limits.offsetMax };

const suggestParameters: Readonly<Record<string, Parameter>> = {
  prefix,
  cursor: {
    description: "Number of suggestions to skip.",
    schema: { type: "integer", ...cursorBounds, default: 0 },
    read: readInteger("cursor", cursorBounds),
  },
  type: {
    description: "`funder` or `recipient` suggests only those; other types have no effect.",
    schema: { type: "string" },
    read: (value, draft) => {
      const role = roles.find((each) => each === value);
      if (role !== undefined) draft.role = role;
      return undefined;
    },
  },
};

const id: Parameter = {
  description: "EIN of the organization.",
  schema: { type: "string", pattern: "^\\d{2}-?\\d{7}$", examples: ["131635294"] },
  read: readAs("ein", "id must be an EIN of nine digits", parseEin),
};

/** Every operation of the Reconciliation API. */
export const reconcileOperations = [
  {
    id: "reconcile",
    summary: "Matches names with organizations (Reconciliation API 0.2)",
    path: routes.reconcile,
    parameters: ["queries"],
    own: { queries },
    toRequest: (draft: Draft) => {
      if (draft.queries === undefined) return { kind: "reconcile" as const, queries: undefined };
      const { queries, problems } = parseQueries(draft.queries);
      return problems.length > 0 ? refuse(problems) : { kind: "reconcile" as const, queries };
    },
  },
  suggest("suggestOrganizations", "Organizations for a text that is typed", "entity", routes.suggestEntities),
  suggest("suggestProperties", "Properties of a query to reconcile", "property", routes.suggestProperties),
  suggest("suggestTypes", "Types of organizations", "type", routes.suggestTypes),
  {
    id: "previewOrganization",
    summary: "A small page about an organization",
    path: routes.preview,
    parameters: ["id"],
    own: { id },
    toRequest: ({ ein }: Draft) => {
      if (ein !== undefined) return { kind: "preview" as const, ein };
      return refuse([{ parameter: "id", code: "blank", message: "id must be given: an EIN" }]);
    },
  },
] as const;

/** Clients add parameters of their own to a request for suggestions, and ask before anything is typed. */
function suggest<Id extends string>(id: Id, summary: string, of: SuggestRequest["of"], path: string) {
  return {
    id,
    summary,
    path,
    parameters: of === "entity" ? ["prefix", "cursor", "type"] : ["prefix"],
    own: suggestParameters,
    isLenient: true,
    toRequest: ({ name = "", role, offset: skipped = 0 }: Draft): SuggestRequest => {
      const prefix = singleSpaced(name);
      return { kind: "suggest", of, prefix, ...(role !== undefined && { role }), skipped };
    },
  };
}

function refuse(problems: readonly Problem[]) {
  return { kind: "refused" as const, problems };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
