// Links the pages of the organizations that a search is about.

import { type KnownNames, splitEins } from "../../../api-static/contract/text/searchText.ts";
import type { Query } from "../address/query.ts";
import { OrganizationName } from "../parts/organizationName.tsx";

/** The funder and the recipient of a search; none in place of a list. */
export function Between({ query, known }: { query: Query; known: KnownNames }) {
  const link = (page: "funder" | "recipient") => {
    const [ein, ...others] = splitEins(query[`${page}_ein`]);
    return ein === undefined || others.length > 0 ? [] : [{ page, ein, name: known[page] }];
  };
  const organizations = [...link("funder"), ...link("recipient")];
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
