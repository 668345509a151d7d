// Asks for the status of the release once per page; all parts share the answer.
import { statusCall } from "./calls.ts";
import type { Status } from "./client.ts";
import { type Progress, useCall } from "./useCall.ts";

/** The release that is served. */
export function useStatus(): Progress<Status> {
  return useCall(statusCall);
}
