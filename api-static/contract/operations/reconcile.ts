// Defines the operations of the Reconciliation API: matching names in tables with organizations, for clients such as OpenRefine.
// Source: https://www.w3.org/community/reports/reconciliation/CG-FINAL-specs-0.2-20230410/

import { type Ein, findEin, parseEin } from "../ein.ts";
import { malformed, type Problem, type ProblemCode, shown } from "../errors.ts";
import * as limits from "../limits.ts";
import { canonicalText, parseText } from "../text/text.ts";
import { type Draft, type Parameter, readAs, readBy, readInteger } from "../values.ts";
import { type Operation, type Refused, searchErrors } from "./operation.ts";
import { type Role, roles, singleSpaced } from "./organizations.ts";

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

/** A name to match, and what is known about its organization. */
export type ReconcileQuery = {
  /** Canonical text with single spaces; "" if the query has none. */
  readonly name: string;
  readonly ein?: Ein;
  /** Two upper-case letters. */
  readonly state?: string;
  /** Words of a place, canonical. */
  readonly place?: string;
  readonly role?: Role;
  /** Maximum number of candidates. */
  readonly limit: number;
};

/** The types of organizations. All have the first one. */
export const entityTypes = [
  { id: "organization", name: "Organization" },
  { id: "funder", name: "Funder" },
  { id: "recipient", name: "Recipient" },
] as const;

/** The properties that a query may give. */
export const queryProperties = [
  { id: "ein", name: "EIN", description: "Its EIN: nine digits" },
  { id: "state", name: "State", description: "Two letters, or the state's name" },
  { id: "city", name: "City", description: "Organizations there score higher" },
  { id: "role", name: "Role", description: "funder or recipient" },
] as const;

const fields: readonly string[] = ["query", "type", "type_strict", "limit", "properties"];

type Values = Readonly<Record<string, unknown>>;

/** Reports that a field of a query breaks a rule. */
type Refuse = (field: string, rule: string, value: unknown, code?: ProblemCode) => void;

/**
 * Parses all queries. Types and properties that the service does not know have no effect, and neither has `type_strict`.
 * @returns the queries by key, or their problems
 */
export function parseQueries(given: Values) {
  const queries = new Map<string, ReconcileQuery>();
  const problems: Problem[] = [];
  for (const [key, value] of Object.entries(given)) {
    const refuse: Refuse = (field, rule, found, code = "malformed") => {
      const parameter = `queries.${shown(key)}${field}`;
      problems.push({ parameter, code, message: `${parameter} ${rule}, got ${show(found)}` });
    };
    if (isValues(value)) queries.set(key, parseQuery(value, refuse));
    else refuse("", "must be an object", value);
  }
  return { queries, problems };
}

function parseQuery(given: Values, refuse: Refuse): ReconcileQuery {
  const { query, properties, limit = limits.organizationsDefault } = given;
  for (const field of Object.keys(given))
    if (!fields.includes(field)) refuse("", `must have no fields but ${fields.join(", ")}`, field);
  if (query === undefined && (!Array.isArray(properties) || properties.length === 0))
    refuse("", "must have query or properties", given);
  if (query !== undefined && typeof query !== "string") refuse(".query", "must be a string", query);
  const isInteger = Number.isInteger(limit);
  if (!isInteger || Number(limit) < 1)
    refuse(".limit", "must be an integer of at least 1", limit, isInteger ? "out_of_range" : "malformed");
  const role = roleOfTypes(given.type, refuse);
  return {
    name: typeof query === "string" ? (readEin(query) ?? cutText(query)) : "",
    ...(role !== undefined && { role }),
    ...parseProperties(properties, refuse),
    limit: Math.min(Number(limit), limits.organizationsMax),
  };
}

/** The role that all given types have; undefined if it makes no difference. */
function roleOfTypes(type: unknown, refuse: Refuse): Role | undefined {
  const types = [type ?? []].flat() as unknown[];
  if (!types.every((each) => typeof each === "string"))
    refuse(".type", "must be a string or a list of strings", type);
  const [role, ...more] = types.filter((each) => entityTypes.some(({ id }) => id === each));
  return more.length === 0 ? roles.find((each) => each === role) : undefined;
}

function parseProperties(properties: unknown, refuse: Refuse): Partial<ReconcileQuery> {
  if (properties === undefined) return {};
  if (!Array.isArray(properties)) refuse(".properties", "must be a list", properties);
  const texts = new Map<string, string>();
  for (const [index, property] of ([properties].flat() as unknown[]).entries()) {
    const place = `.properties[${index}]`;
    if (!isValues(property) || typeof property.pid !== "string" || property.v === undefined)
      refuse(place, "must be an object with a string pid, and v", property);
    else if (!texts.has(property.pid)) texts.set(property.pid, cutText(textOf(property.v)));
  }
  const { ein = "", state = "", city = "", role } = Object.fromEntries(texts);
  const isCode = /^[a-z]{2}$/.test(state);
  const place = [city, isCode ? "" : state].join(" ").trim();
  const [parsedEin, parsedRole] = [readEin(ein), roles.find((each) => each === role)];
  return {
    ...(parsedEin !== undefined && { ein: parsedEin }),
    ...(isCode && { state: state.toUpperCase() }),
    ...(place !== "" && { place }),
    ...(parsedRole !== undefined && { role: parsedRole }),
  };
}

/** The text of a property's value: a string, a number, a matched entity, or the first of several. */
function textOf(value: unknown): string {
  const [first] = [value].flat() as unknown[];
  if (isValues(first)) return String(first.id ?? "");
  return typeof first === "string" || typeof first === "number" ? String(first) : "";
}

/** An EIN as tables have it: spreadsheets drop a zero at its start. */
function readEin(text: string): Ein | undefined {
  return findEin(text) ?? findEin(text.replace(/\d/, "0$&"));
}

/** Canonical text, as long as a name may be: one long cell of a table must not fail the others. */
function cutText(text: string): string {
  const letters = [...singleSpaced(canonicalText(text))];
  return letters.slice(0, limits.textLengthMax).join("").trim();
}

function isValues(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function show(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" && value !== null ? "an object" : `"${shown(String(value))}"`;
}
