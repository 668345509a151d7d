// Says which places and causes of grants a release knows.
import { type AttributeName, coveredFilters } from "../../../api-static/contract/filters/attributes.ts";
import type { Status } from "./client.ts";

export type StateName = "funder_state" | "recipient_state";

/**
 * True if grants can be filtered by an attribute, and until the status has arrived: fields that appear later would move what is below.
 * Other names are of what is always known.
 */
export function knows(status: Status | undefined, name: string): boolean {
  const covered = coveredFilters.find((filter) => filter.name === name);
  if (status === undefined || covered === undefined) return true;
  const { [covered.name as AttributeName]: unknown } = unknownOf(status);
  return unknown === undefined || unknown < status.records;
}

/** The numbers of grants whose value is unknown. */
function unknownOf({ places, causes }: Status): Partial<Record<AttributeName, number>> {
  const { funder_state, recipient_state, recipient_city, recipient_zip } = places;
  return {
    funder_state: funder_state.unknown,
    recipient_state: recipient_state.unknown,
    recipient_city: recipient_city.unknown,
    recipient_zip: recipient_zip.unknown,
    funder_cause: causes.funder_cause.unknown,
    recipient_cause: causes.recipient_cause.unknown.records,
  };
}
