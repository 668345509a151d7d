// Defines the operations of the Reconciliation API: matching names in tables with organizations, for clients such as OpenRefine.
// Source: https://www.w3.org/community/reports/reconciliation/CG-FINAL-specs-0.2-20230410/
import { type Ein, parseEin } from "../ein.ts";
import { malformed } from "../errors.ts";
import * as limits from "../limits.ts";
import { parseText } from "../text.ts";
import { type Draft, type Parameter, readAs, readBy, readInteger } from "../values.ts";
import { type Operation, type Refused, searchErrors } from "./operation.ts";
import { type Role, roles, singleSpaced } from "./organizations.ts";
import { parseQueries, type ReconcileQuery } from "./reconcileQueries.ts";

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

/** Answers are not cached: hardly any is requested twice, and some name the host that was asked. */
function answering<const Schema extends string>(about: string, schema: Schema) {
  return {
    answer: { about, schema, headers: ["X-Release", "Vary"] },
    errors: searchErrors,
    isCached: false,
  } as const;
}

/** Clients add parameters of their own to a request for suggestions, and ask before anything is typed. */
function suggesting(of: SuggestRequest["of"]) {
  return {
    parameters: of === "entity" ? ["prefix", "cursor", "type"] : ["prefix"],
    own: suggestParameters,
    isLenient: true,
    toRequest: ({ name = "", role, offset: skipped = 0 }: Draft): SuggestRequest => {
      return { kind: "suggest", of, prefix: singleSpaced(name), ...(role && { role }), skipped };
    },
  };
}

/** Every operation of the Reconciliation API. */
export const reconcileOperations = [
  {
    id: "reconcile",
    summary: "Matches names with organizations (Reconciliation API 0.2)",
    path: "/v1/reconcile",
    methods: "GET, HEAD, POST, OPTIONS",
    parameters: ["queries"],
    own: { queries },
    ...answering("The candidates; without queries, the description of the service.", "ReconcileAnswer"),
    toRequest: (draft: Draft): ReconcileRequest | Refused => {
      if (draft.queries === undefined) return { kind: "reconcile", queries: undefined };
      const { queries, problems } = parseQueries(draft.queries);
      return problems.length > 0 ? { kind: "refused", problems } : { kind: "reconcile", queries };
    },
  },
  {
    id: "suggestOrganizations",
    summary: "Organizations for a text that is typed",
    path: "/v1/reconcile/suggest/entity",
    ...suggesting("entity"),
    ...answering("The suggestions.", "SuggestedOrganizations"),
  },
  {
    id: "suggestProperties",
    summary: "Properties of a query to reconcile",
    path: "/v1/reconcile/suggest/property",
    ...suggesting("property"),
    ...answering("The properties.", "SuggestedTerms"),
  },
  {
    id: "suggestTypes",
    summary: "Types of organizations",
    path: "/v1/reconcile/suggest/type",
    ...suggesting("type"),
    ...answering("The types.", "SuggestedTerms"),
  },
  {
    id: "previewOrganization",
    summary: "A small page about an organization",
    path: "/v1/reconcile/preview",
    parameters: ["id"],
    own: { id },
    required: { name: "id", rule: "an EIN" },
    answer: { about: "The page.", type: "text/html", headers: ["X-Release", "Vary"] },
    errors: [...searchErrors, "organization_not_found"],
    isCached: false,
    toRequest: ({ ein }: Draft): PreviewRequest | undefined => ein && { kind: "preview", ein },
  },
] as const satisfies readonly Operation[];

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
