// Finds an organization's name and place: from the list of organizations, or a recipient's grants.
import type { Progress } from "../api/useCall.ts";
import { useNames } from "../names/useNames.ts";
import { formatPlace } from "../text/places.ts";
import type { Side, Summary } from "./side.ts";

export type Known = {
  /** Undefined while it is being looked up; null if no source names it. */
  readonly name: string | null | undefined;
  /** e.g., "Pasadena, CA". */
  readonly place: string | undefined;
};

/** The name and place of an organization. A release without names gets no calls. */
export function useOrganization(ein: string, side: Side, summary: Progress<{ data: Summary }>): Known {
  const { nameOf, isComplete } = useNames([ein]);
  const known = nameOf(ein);
  if (known !== undefined) return { name: known.name, place: formatPlace(known) };
  return { name: nameWithoutList(side, isComplete, summary), place: undefined };
}

/**
 * The name where the list does not have it: as a recipient's grants have it.
 * @param isSettled true once the list is known not to have it
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
