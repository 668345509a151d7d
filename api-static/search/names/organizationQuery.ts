// Defines queries for organizations, and their answers.
import type { Ein } from "../../contract/ein.ts";
import type { Sum } from "../../contract/sizes.ts";

/** What an organization must have, or may have, to be found. */
export type OrganizationQuery = {
  /** Canonical text: words of the name, in any order, also of the city or state; or an EIN. */
  readonly name: string;
  /** Only organizations in this state: two upper-case letters. */
  readonly state?: string;
  /** Only organizations that gave grants, or that received some. */
  readonly role?: "funder" | "recipient";
  /** Words of a place, e.g., a city: organizations there score higher. */
  readonly place?: string;
  /** Maximum number of organizations. */
  readonly limit: number;
};

export type FoundOrganization = {
  readonly ein: Ein;
  /** Null if the list of organizations lacks the EIN, which the query then was. */
  readonly name: string | null;
  readonly city: string | null;
  readonly state: string | null;
  /** A name of the chapter or post, if the list has one. */
  readonly also?: string;
  readonly given: Sum;
  readonly received: Sum;
  /**
   * How the name matches: "exact" has the query's words in its order; "words" has all of them in any order; "prefix" too, with a
   * word that starts with the last one; "typo" has similar words, or only some.
   */
  readonly match: "exact" | "words" | "prefix" | "typo";
  /** 0 to 100: the share of the query in the name, times the share of the name in the query, rare words counting more. */
  readonly score: number;
};

/**
 * The best organizations first. `total` counts all with the words of the query, the last of which may be the start of a word. If there
 * are none, it counts those with similar words, or with some of the words, among 8,000 candidates with the rarest ones.
 */
export type FoundOrganizations = {
  readonly total: number;
  readonly organizations: readonly FoundOrganization[];
};
