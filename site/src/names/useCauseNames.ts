// Names causes: those of single codes need a table that is loaded once a page has one.
import { nameCause } from "../../../api-static/contract/text/causes.ts";
import type { Query } from "../address/query.ts";
import { useLoaded } from "../parts/useLoaded.ts";

export type CauseNames = {
  /** The name of a cause; of its major group until the table is loaded. */
  readonly nameOfCause: (cause: string) => string;
  readonly isComplete: boolean;
};

const load = () => import("../../../api-static/contract/text/causeCodes.ts");

/** The names for the causes in a query. @param hasCodes true if the page shows others too */
export function useCauseNames(query: Query, hasCodes = false): CauseNames {
  const isWanted = hasCodes || `${query.recipient_cause ?? ""} ${query.funder_cause ?? ""}`.length > 2;
  const nameCode = useLoaded(isWanted, load)?.nameCode;
  return { nameOfCause: nameCode ?? nameCause, isComplete: !isWanted || nameCode !== undefined };
}
