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

/**
 * The name and place of an organization. The names of funders come first, because their files exist for every EIN; the
 * list of all organizations is only for recipients that are not funders. A release without names gets no calls.
 */
export function useOrganization(ein: string, side: "funder" | "recipient"): Known {
  const { nameOf, isLookedUp, hasNames, isKnown } = useNames([ein]);
  const listed = nameOf(ein);
  const isAsked = side === "recipient" && hasNames && isLookedUp(ein) && listed === undefined;
  const { found, state } = useCall(isAsked ? organizationCall(ein) : undefined);
  const known = listed ?? found?.body.data;
  if (known !== undefined) return { name: known.name, place: formatPlace(known) };
  const isSettled = isAsked ? ["failed", "slow", "stopped"].includes(state) : isLookedUp(ein) || !hasNames;
  return { name: isKnown && isSettled ? null : undefined, place: undefined };
}

function formatPlace({ city, state }: { city: string | null; state: string | null }): string | undefined {
  return [city, state].filter((part) => part !== null).join(", ") || undefined;
}
