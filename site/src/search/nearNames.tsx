// Offers organizations whose names are like a text that found nothing.
import { hasGrants, useOrganizations } from "../names/useOrganizations.ts";
import { OrganizationLine } from "../parts/organizationLine.tsx";
import { organizationHref } from "./suggestions.ts";

type Properties = {
  readonly text: string;
  /** An EIN to leave out: that of the page. */
  readonly except?: string;
};

/** The organizations, those with grants first; nothing if there are none. */
export function NearNames({ text, except }: Properties) {
  const { organizations = [] } = useOrganizations(text);
  const others = organizations.filter(({ ein }) => ein !== except);
  const shown = [...others.filter(hasGrants), ...others.filter((each) => !hasGrants(each))];
  if (shown.length === 0) return null;
  return (
    <section class="near-names" aria-labelledby="near-names">
      <h2 id="near-names">Did you mean an organization?</h2>
      <ul>
        {shown.map((organization) => (
          <li key={organization.ein}>
            <OrganizationLine organization={organization} href={organizationHref(organization)} />
          </li>
        ))}
      </ul>
    </section>
  );
}
