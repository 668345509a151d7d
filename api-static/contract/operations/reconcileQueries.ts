// Parses the queries of a batch to reconcile.
import { type Ein, findEin } from "../ein.ts";
import { type Problem, type ProblemCode, shown } from "../errors.ts";
import * as limits from "../limits.ts";
import { canonicalText } from "../text.ts";
import { type Role, roles, singleSpaced } from "./organizations.ts";

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
