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

/** The name and place of an organization. A release without names isn't asked for them. */
export function useOrganization(ein: string): Known {
  const { nameOf, hasNames, isKnown } = useNames([ein]);
  const { found, state } = useCall(hasNames ? organizationCall(ein) : undefined);
  const known = found?.body.data ?? nameOf(ein);
  if (known !== undefined) return { name: known.name, place: formatPlace(known) };
  const isAwaited = !isKnown || (hasNames && !["failed", "slow", "stopped"].includes(state));
  return { name: isAwaited ? undefined : null, place: undefined };
}

function formatPlace({ city, state }: { city: string | null; state: string | null }): string | undefined {
  return [city, state].filter((part) => part !== null).join(", ") || undefined;
}
