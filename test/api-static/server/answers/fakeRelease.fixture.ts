// Makes a release whose organizations are found by a table of answers, for tests of the answers to clients.
import { formatEin } from "../../../../api-static/contract/ein.ts";
import type {
  FoundOrganization,
  FoundOrganizations,
  OrganizationQuery,
  OrganizationSearch,
} from "../../../../api-static/search/names/organizationSearch.ts";
import type { Release } from "../../../../api-static/search/release.ts";

const nothing = { records: 0, amount: 0n };

/** An organization that matches as well as can be, with these differences. */
export function found(ein: number, changes: Partial<FoundOrganization> = {}): FoundOrganization {
  return {
    ein: formatEin(ein),
    name: `ORGANIZATION ${ein}`,
    city: "ALBANY",
    state: "NY",
    given: nothing,
    received: nothing,
    match: "exact",
    score: 100,
    ...changes,
  };
}

export type FakeRelease = {
  readonly release: Release;
  /** The queries of each turn of the queue. */
  readonly turns: (readonly OrganizationQuery[])[];
};

/** @param answers the organizations for each name; none for others */
export function fakeRelease(answers: Readonly<Record<string, readonly FoundOrganization[]>>): FakeRelease {
  const turns: (readonly OrganizationQuery[])[] = [];
  const answer = ({ name, limit }: OrganizationQuery): FoundOrganizations => {
    const organizations = answers[name] ?? [];
    return { total: organizations.length, organizations: organizations.slice(0, limit) };
  };
  const organizationSearch: Pick<OrganizationSearch, "find" | "findMany"> = {
    find: async (query) => {
      turns.push([query]);
      return answer(query);
    },
    findMany: async (queries) => {
      turns.push(queries);
      return queries.map(answer);
    },
  };
  const facts = { release: "20261120T040000Z" };
  const release = { facts, enter: () => true, leave: () => undefined, organizationSearch };
  return { release: release as unknown as Release, turns };
}
