// Finds the names of the organizations that a search is about.
import type { Query } from "../address/query.ts";
import type { Grant } from "../api/client.ts";
import type { Names } from "../names/useNames.ts";
import type { KnownNames } from "./sentences.ts";

/** The funder's name from the release; the recipient's as its newest grant of the page has it. */
export function namesOf(query: Query, grants: readonly Grant[], names: Names): KnownNames {
  const digits = (ein: string | undefined) => ein?.replace("-", "");
  const [funder, recipient] = [digits(query.funder_ein), digits(query.recipient_ein)];
  return {
    funder: funder === undefined ? undefined : names.nameOf(funder)?.name,
    recipient:
      recipient === undefined
        ? undefined
        : (grants.find((grant) => grant.recipient_ein === recipient)?.recipient_name ?? undefined),
  };
}
