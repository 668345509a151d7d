// Defines queries for organizations, and their answers.
import type { ListedOrganization, Role } from "../../contract/operations/organizations.ts";

/** What an organization must have, or may have, to be found. */
export type OrganizationQuery = {
  /** Canonical text: words of the name, in any order, also of the city or state; or an EIN. */
  readonly name: string;
  /** Only organizations in this state: two upper-case letters. */
  readonly state?: string;
  /** Only organizations that gave grants, or that received some. */
  readonly role?: Role;
  /** Words of a place, e.g., a city: organizations there score higher. */
  readonly place?: string;
  /** Maximum number of organizations. */
  readonly limit: number;
};

export type FoundOrganization = ListedOrganization & {
  /** 0 to 100: the share of the query in the name, times the share of the name in the query, rare words counting more. */
  readonly score: number;
};

/** What the index says about an organization. The list has its name and place. */
export type IndexedOrganization = Omit<FoundOrganization, "name" | "city" | "state">;

export type IndexedOrganizations = {
  readonly total: number;
  readonly organizations: readonly IndexedOrganization[];
};

/**
 * The best organizations first. `total` counts all organizations with the query's words; the last word may be the start of a longer one.
 * If no organization has them all, `total` counts those with similar words, or with some of the words, among the 8,000 with the rarest.
 */
export type FoundOrganizations = {
  readonly total: number;
  readonly organizations: readonly FoundOrganization[];
};
