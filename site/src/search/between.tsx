// Links the pages of organizations that a search is about, or that have the name that it looks for.
import type { Query } from "../address/query.ts";
import { useFoundFunders } from "../names/useNames.ts";
import { type Organization, OrganizationName } from "../parts/organizationName.tsx";
import { splitEins } from "./fields.ts";
import type { KnownNames } from "./sentences.ts";

/** Maximum funders that are offered. */
const shownFunders = 3;

/** The funder and the recipient of a search; none in place of a list. */
export function Between({ query, known }: { query: Query; known: KnownNames }) {
  const link = (page: "funder" | "recipient") => {
    const [ein, ...others] = splitEins(query[`${page}_ein`]);
    return ein === undefined || others.length > 0 ? [] : [{ page, ein, name: known[page] }];
  };
  return <Links organizations={[...link("funder"), ...link("recipient")]} />;
}

/** Funders whose names have the words: a reader who typed a name may have looked for one of them. */
export function FundersOf({ words }: { words: string }) {
  const funders = useFoundFunders(words).slice(0, shownFunders);
  return <Links organizations={funders.map(({ ein, name }) => ({ page: "funder", ein, name }))} />;
}

function Links({ organizations }: { organizations: readonly Organization[] }) {
  if (organizations.length === 0) return null;
  return (
    <p class="between">
      {organizations.map((organization) => (
        <span key={organization.page + organization.ein}>
          {organization.page === "funder" ? "Funder" : "Recipient"} <OrganizationName {...organization} />
        </span>
      ))}
    </p>
  );
}
