// Says which states of grants a release knows.
import type { Status } from "./client.ts";

export type StateName = "funder_state" | "recipient_state";

/** True if a state can be filtered by, and until the status has arrived: fields that appear later would move what is below. */
export function knowsState(status: Status | undefined, name: StateName): boolean {
  if (status === undefined) return true;
  return status.places[name].source !== null;
}
