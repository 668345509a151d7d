// Finds an organization's name and place: from the list of organizations, the names of funders, or a recipient's grants.
import { organizationCall } from "../api/calls.ts";
import { type Progress, useCall } from "../api/useCall.ts";
import { useNames } from "../names/useNames.ts";
import { formatPlace } from "../text/places.ts";
import type { Side, Summary } from "./side.ts";

export type Known = {
  /** Undefined while it is being looked up; null if no source names it. */
  readonly name: string | null | undefined;
  /** e.g., "Pasadena, CA". */
  readonly place: string | undefined;
};

/**
 * The name and place of an organization. The names of funders come first, because their files exist for every EIN; the
 * list of all organizations is only for those that are not funders. A release without names gets no calls.
 * @param mayBeListed true for those
 */
export function useOrganization(
  ein: string,
  mayBeListed: boolean,
  side: Side,
  summary: Progress<{ data: Summary }>,
): Known {
  const { nameOf, isLookedUp, hasNames, isComplete } = useNames([ein]);
  const listed = nameOf(ein);
  const isAsked = mayBeListed && hasNames && isLookedUp(ein) && listed === undefined;
  const { found, state } = useCall(isAsked ? organizationCall(ein) : undefined);
  const known = listed ?? found?.body.data;
  if (known !== undefined) return { name: known.name, place: formatPlace(known) };
  const isSettled = isAsked ? ["failed", "slow", "stopped"].includes(state) : isComplete;
  return { name: nameWithoutList(side, isSettled, summary), place: undefined };
}

/**
 * The name where no list has it: as a recipient's grants have it.
 * @param isSettled true once the lists are known not to have it
 */
export function nameWithoutList(
  side: Side,
  isSettled: boolean,
  { found, failure }: Pick<Progress<{ data: Summary }>, "found" | "failure">,
): Known["name"] {
  const summary = found?.body.data;
  const filed = summary !== undefined && "recipient_name" in summary ? summary.recipient_name : null;
  const isAnswered = side === "funder" || summary !== undefined || failure !== undefined;
  return filed ?? (isSettled && isAnswered ? null : undefined);
}
