// Finds an organization's name and place: from the list of organizations, or from the names of funders.
import { organizationCall } from "../api/calls.ts";
import { type Progress, useCall } from "../api/useCall.ts";
import { useNames } from "../names/useNames.ts";

export type Known = {
  /** Undefined while it is being looked up; null if no source names it. */
  readonly name: string | null | undefined;
  /** e.g., "Pasadena, CA". */
  readonly place: string | undefined;
  readonly lookup: Progress<unknown>;
};

/** The name and place of an organization. */
export function useOrganization(ein: string): Known {
  const lookup = useCall(organizationCall(ein));
  const { found, state } = lookup;
  const { nameOf } = useNames([ein]);
  const known = found?.body.data ?? nameOf(ein);
  if (known === undefined) return { name: state === "asking" ? undefined : null, place: undefined, lookup };
  return { name: known.name, place: formatPlace(known), lookup };
}

function formatPlace({ city, state }: { city: string | null; state: string | null }): string | undefined {
  return [city, state].filter((part) => part !== null).join(", ") || undefined;
}
