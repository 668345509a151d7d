// Says which states and causes of grants a release knows.
import type { Status } from "./client.ts";

export type StateName = "funder_state" | "recipient_state";

type CoveredName = StateName | "funder_cause" | "recipient_cause";

/** True for values that may be unknown. */
export function isCovered(name: string): name is CoveredName {
  return /^(?:funder|recipient)_(?:state|cause)$/.test(name);
}

/** True if a state or cause can be filtered by, and until the status has arrived: fields that appear later would move what is below. */
export function knows(status: Status | undefined, name: CoveredName): boolean {
  if (status === undefined) return true;
  const { places, causes, records } = status;
  switch (name) {
    case "funder_state":
    case "recipient_state":
      return places[name].source !== null;
    case "funder_cause":
      return causes.funder_cause.unknown < records;
    case "recipient_cause":
      return causes.recipient_cause.unknown.records < records;
  }
}
