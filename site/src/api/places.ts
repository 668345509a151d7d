// Says which places and causes of grants a release knows.
import { coveredFilters } from "../../../api-static/contract/filters/attributes.ts";
import type { Status } from "./client.ts";

export type StateName = "funder_state" | "recipient_state";

/**
 * True if grants can be filtered by an attribute, and until the status has arrived: fields that appear later would move what is below.
 * Other names are of what is always known.
 */
export function knows(status: Status | undefined, name: string): boolean {
  const covered = coveredFilters.find((filter) => filter.name === name);
  if (status === undefined || covered === undefined) return true;
  const { unknown } = { ...status.places, ...status.causes }[covered.name];
  return (typeof unknown === "number" ? unknown : unknown.records) < status.records;
}
