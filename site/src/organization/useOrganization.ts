// Finds an organization's name and place: from the list of organizations, or from the names of funders.
import { organizationCall } from "../api/calls.ts";
import { useCall } from "../api/useCall.ts";
import { useNames } from "../names/useNames.ts";

export type Known = {
  /** Undefined while it is being looked up; null if no source names it. */
  readonly name: string | null | undefined;
  /** e.g., "Pasadena, CA". */
  readonly place: string | undefined;
};

/** The name and place of an organization. */
export function useOrganization(ein: string | undefined): Known {
  const { found, state } = useCall(ein === undefined ? undefined : organizationCall(ein));
  const { nameOf } = useNames(ein === undefined ? [] : [ein]);
  const known = found?.body.data ?? (ein === undefined ? undefined : nameOf(ein));
  if (known === undefined) return { name: state === "asking" ? undefined : null, place: undefined };
  return { name: known.name, place: formatPlace(known) };
}

function formatPlace({ city, state }: { city: string | null; state: string | null }): string | undefined {
  return [city, state].filter((part) => part !== null).join(", ") || undefined;
}
