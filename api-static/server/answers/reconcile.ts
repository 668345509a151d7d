// Answers requests of the Reconciliation API: candidates for the names of a batch, and suggestions.
import { hyphenateEin } from "../../contract/ein.ts";
import { organizationsMax, suggestionsMax } from "../../contract/limits.ts";
import { nameWords } from "../../contract/names.ts";
import { isOptionalWord, spellWord } from "../../contract/nameWords.ts";
import type { SuggestRequest } from "../../contract/reconcile.ts";
import { entityTypes, type ReconcileQuery } from "../../contract/reconcileQueries.ts";
import { stateNames } from "../../contract/states.ts";
import type {
  FoundOrganization,
  FoundOrganizations,
  OrganizationQuery,
  OrganizationSearch,
} from "../../search/names/organizationSearch.ts";
import type { SearchClient } from "../../search/queue.ts";

/** The score of a candidate that is chosen without a person, and its lead over the others. */
const sureScore = 90;
const sureLead = 3;

/** The candidates for each query of a batch. @throws as `findMany` does */
export async function answerReconcile(
  search: OrganizationSearch,
  queries: ReadonlyMap<string, ReconcileQuery>,
  client: SearchClient,
): Promise<string> {
  const asked = [...queries].map(([key, query]) => ({ key, query, searches: listSearches(query) }));
  const all = asked.flatMap(({ searches }) => searches);
  const found = all.length === 0 ? [] : await search.findMany(all, client);
  let next = 0;
  const results = asked.map(({ key, query, searches }) => {
    const lists = found.slice(next, next + searches.length);
    next += searches.length;
    return [key, { result: formatCandidates(lists, query) }];
  });
  return `${JSON.stringify(Object.fromEntries(results))}\n`;
}

/** Up to two searches: by EIN, and by name for an EIN that is not known. */
function listSearches({ name, ein, state, place, role, limit }: ReconcileQuery): OrganizationQuery[] {
  const byName = {
    ...(state !== undefined && { state }),
    ...(place !== undefined && { place }),
    ...(role !== undefined && { role }),
    limit: Math.max(limit, 2), // the second one shows how far the first one leads
  };
  return [
    ...(ein === undefined ? [] : [{ name: ein, limit: 1 }]),
    ...(name === "" ? [] : [{ name, ...byName }]),
  ];
}

/** The candidates of the first search that has some, the highest score first. */
function formatCandidates(lists: readonly FoundOrganizations[], { name, ein, limit }: ReconcileQuery) {
  const { organizations = [] } = lists.find((list) => list.organizations.length > 0) ?? {};
  const candidates = organizations.toSorted((a, b) => b.score - a.score);
  return candidates.slice(0, limit).map((candidate, index) => ({
    ...formatEntity(candidate),
    type: typesOf(candidate),
    score: candidate.score,
    match:
      index === 0 &&
      isSure(candidate, candidates[1]) &&
      ([name, ein].includes(candidate.ein) || isSameKind(name, candidate.name ?? "")),
  }));
}

function isSure({ match, score }: FoundOrganization, second: FoundOrganization | undefined): boolean {
  const hasAllWords = match === "exact" || match === "words";
  return hasAllWords && score >= sureScore && (second === undefined || score - second.score >= sureLead);
}

/** Words that two organizations of otherwise the same name differ by: a school is not its foundation. */
const kinds = ["foundation", "fund", "trust"];

/** True if both names have the same words of kinds, and the second one all codes of states in the first one: else, these may be of its place. */
function isSameKind(asked: string, found: string): boolean {
  const [words, others] = [nameWords(asked), nameWords(found)].map((all) => new Set(all.map(spellWord)));
  const isCode = (word: string) => stateNames.has(word.toUpperCase());
  return (
    kinds.every((kind) => words?.has(kind) === others?.has(kind)) &&
    nameWords(asked).every((word) => !isCode(word) || isOptionalWord(word) || others?.has(spellWord(word)))
  );
}

/** Organizations for a text that is typed. @throws as `find` does */
export async function answerSuggest(
  search: OrganizationSearch,
  { prefix, role, skipped }: SuggestRequest,
  client: SearchClient,
): Promise<string> {
  const limit = Math.min(skipped + suggestionsMax, organizationsMax);
  const query = { name: prefix, ...(role !== undefined && { role }), limit };
  const { organizations } = prefix === "" ? { organizations: [] } : await search.find(query, client);
  const result = organizations
    .slice(skipped)
    .map((organization) => ({ ...formatEntity(organization), notable: typesOf(organization) }));
  return `${JSON.stringify({ result })}\n`;
}

/** Every organization has the first type, and those of its grants. */
function typesOf({ given, received }: FoundOrganization) {
  const [organization, funder, recipient] = entityTypes;
  return [organization, ...(given.records > 0 ? [funder] : []), ...(received.records > 0 ? [recipient] : [])];
}

/** Its EIN is its name if the list of organizations lacks it. */
function formatEntity(organization: FoundOrganization) {
  const { ein, name } = organization;
  return { id: ein, name: name ?? `EIN ${hyphenateEin(ein)}`, description: describe(organization) };
}

/** e.g., "POST 12; NEW YORK, NY; 4 grants made, 1 received" */
function describe({ also, city, state, given, received }: FoundOrganization): string {
  const place = [city, state].filter((part) => part !== null).join(", ");
  const made = [
    given.records > 0 ? `${countGrants(given.records)} made` : "",
    received.records > 0 ? `${countGrants(received.records)} received` : "",
  ].filter(Boolean);
  return [also ?? "", place, made.join(", ") || "no grants"].filter(Boolean).join("; ");
}

export function countGrants(records: number): string {
  return records === 1 ? "1 grant" : `${records.toLocaleString("en-US")} grants`;
}
