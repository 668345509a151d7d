// Defines the operations on organizations: one by its EIN, some by a name, and names by EINs.

import { lineEnd } from "../answers/envelope.ts";
import type { Ein } from "../ein.ts";
import * as limits from "../limits.ts";
import { type Sum, stringify } from "../text/amount.ts";
import { parseState } from "../text/states.ts";
import { parseText } from "../text/text.ts";
import { type Draft, type Parameter, parseEins, readBy, readInteger, readOneOf } from "../values.ts";
import { found, type Operation, searchErrors } from "./operation.ts";

/** What organizations do with grants. */
export const roles = ["funder", "recipient"] as const;

export type Role = (typeof roles)[number];

/** The best organizations for a name. */
export type OrganizationsRequest = {
  readonly kind: "organizations";
  /** Canonical text with single spaces. */
  readonly name: string;
  /** Two upper-case letters. */
  readonly state?: string;
  readonly role?: Role;
  readonly limit: number;
};

/**
 * How a name matches: "exact" has the query's words in its order; "words" has all of them in any order; "prefix" too, with a word
 * that starts with the last one; "typo" has similar words, or only some.
 */
export const nameMatches = ["exact", "words", "prefix", "typo"] as const;

export type NameMatch = (typeof nameMatches)[number];

/** An organization that a search finds. */
export type ListedOrganization = {
  readonly ein: Ein;
  /** Null if the list of organizations lacks the EIN, which the query then was. */
  readonly name: string | null;
  readonly city: string | null;
  readonly state: string | null;
  /** A name of the chapter or post, if the list has one. */
  readonly also?: string;
  readonly given: Sum;
  readonly received: Sum;
  readonly match: NameMatch;
};

const limitBounds = { minimum: 1, maximum: limits.organizationsMax };

/** The parameters of a search by name. */
export const nameParameters: Readonly<Record<string, Parameter>> = {
  name: {
    description:
      "Words of the name, city or state, in any order, or an EIN. The last may be the start of a word, and letters may be wrong.",
    schema: {
      type: "string",
      minLength: 1,
      maxLength: limits.textLengthMax,
      examples: ["harbor street foundation"],
    },
    read: readBy(parseText, "name", "name"),
  },
  state: {
    description: "Only organizations in this state: two letters.",
    schema: { type: "string", pattern: "^[A-Za-z]{2}$", examples: ["NY"] },
    read: readBy(parseState, "state", "state"),
  },
  role: {
    description: "Only organizations that made grants (`funder`), or that received some (`recipient`).",
    schema: { type: "string", enum: roles },
    read: readOneOf("role", roles),
  },
  limit: {
    description: "Maximum number of organizations.",
    schema: { type: "integer", ...limitBounds, default: limits.organizationsDefault },
    read: readInteger("limit", limitBounds),
  },
};

/** The names of organizations by their EINs. */
export type NamesOfRequest = {
  readonly kind: "namesOf";
  /** Different ones, in the order of the answer. */
  readonly eins: readonly Ein[];
};

const einsParameter: Parameter = {
  description: `EINs of one to ${limits.namesMax} organizations, separated by commas.`,
  schema: {
    type: "string",
    pattern: `^\\d{2}-?\\d{7}(,\\d{2}-?\\d{7}){0,${limits.namesMax - 1}}$`,
    examples: ["131635294,530196605"],
  },
  read(value, draft) {
    const eins = parseEins("eins", value, limits.namesMax);
    if (!Array.isArray(eins)) return eins;
    draft.eins = eins;
    return undefined;
  },
};

/** An organization, by its EIN. */
export type OrganizationRequest = { readonly kind: "organization"; readonly ein: Ein };

export const organizationOperations = [
  {
    id: "readOrganization",
    summary: "Name, place, finances and mission of an organization",
    path: "/v1/organizations/{ein}",
    answer: { about: "The organization.", schema: "Organization", headers: found },
    errors: ["not_ready"],
    toRequest: ({ ein }: Draft): OrganizationRequest | undefined => ein && { kind: "organization", ein },
  },
  {
    id: "findOrganizations",
    summary: "Organizations by name",
    path: "/v1/organizations",
    parameters: ["name", "state", "role", "limit"],
    own: nameParameters,
    required: { name: "name", rule: "words of the organization's name, or its EIN" },
    answer: {
      about: "The organizations.",
      schema: "Organizations",
      headers: [...found, "Server-Timing"],
    },
    errors: searchErrors,
    toRequest: ({
      name = "",
      state,
      role,
      limit = limits.organizationsDefault,
    }: Draft): OrganizationsRequest => {
      const where = { ...(state && { state }), ...(role && { role }) };
      return { kind: "organizations", name: singleSpaced(name), ...where, limit };
    },
    href: organizationsHref,
  },
  {
    id: "listNames",
    summary: "Names of up to a hundred organizations",
    path: "/v1/names",
    parameters: ["eins"],
    own: { eins: einsParameter },
    required: { name: "eins", rule: "the EINs of the organizations, separated by commas" },
    answer: { about: "The names.", schema: "OrganizationNames", headers: found },
    errors: ["not_ready"],
    toRequest: ({ eins = [] }: Draft): NamesOfRequest => ({ kind: "namesOf", eins }),
    href: namesHref,
  },
] as const satisfies readonly Operation[];

/** The canonical URL: each EIN once, where it is first, because the answer has their order. */
export function namesHref({ eins }: NamesOfRequest): string {
  return `/v1/names?eins=${eins.join()}`;
}

/** A canonical text with one space between words. */
export function singleSpaced(text: string): string {
  return text.replace(/\s+/g, " ");
}

/** The canonical URL. Parsing it gives the same request. */
export function organizationsHref({ name, state, role, limit }: OrganizationsRequest): string {
  const given = Object.entries({ name, state, role, limit: String(limit) });
  const pairs = given.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]]));
  return `/v1/organizations?${new URLSearchParams(pairs)}`;
}

/** The lines of organizations in an answer, each with its line end. */
export function formatOrganizationLines(organizations: readonly ListedOrganization[]): string {
  return organizations
    .map(({ ein, name, city, state, also, given, received, match }) => {
      const sums = { given: sumOf(given), received: sumOf(received) };
      return stringify({ ein, name, city, state, ...(also !== undefined && { also }), ...sums, match });
    })
    .map((line) => line + lineEnd)
    .join("");
}

function sumOf({ records, amount }: Sum): Sum {
  return { records, amount };
}
