// Finds the public addresses of a return.
import type { GrantWithSource } from "../api/client.ts";

type Source = NonNullable<GrantWithSource["source"]>;

/** The return as a page of ProPublica, and the IRS's zip that has its XML; the zip's name has the year of its folder. */
export function findReturnHrefs(
  ein: string,
  { object_id, zip }: Pick<Source, "object_id" | "zip">,
): { readonly propublica: string; readonly irs: string | undefined } {
  const year = /20\d\d/.exec(zip ?? "")?.[0];
  return {
    propublica: `https://projects.propublica.org/nonprofits/organizations/${Number(ein)}/${object_id}/full`,
    irs:
      year === undefined
        ? undefined
        : `https://apps.irs.gov/pub/epostcard/990/xml/${year}/${encodeURIComponent(zip ?? "")}`,
  };
}
