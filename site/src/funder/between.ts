// Names the search for the grants between a funder and a recipient.
import { formatQuery } from "../address/query.ts";

type Recipient = { readonly recipient_ein: string | null; readonly recipient_name: string | null };

/** The address of the search; by name if the recipient has no EIN. */
export function betweenHref(funder_ein: string, { recipient_ein, recipient_name }: Recipient): string {
  // The API takes at most 200 characters of a name.
  const name = recipient_name === null ? undefined : [...recipient_name.trim()].slice(0, 200).join("");
  return `/${formatQuery({ funder_ein, ...(recipient_ein === null ? { recipient_name: name } : { recipient_ein }) })}`;
}
