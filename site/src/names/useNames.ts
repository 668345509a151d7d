// Finds the names of funders by EIN, from static files of the release, for the rows that are shown.
import { einPrefix } from "../../../api-static/contract/names.ts";
import { useLists } from "./useLists.ts";

export type Name = { readonly name: string; readonly city: string | null; readonly state: string | null };

export type Names = {
  /** True if the release has names: cells of funders then reserve two lines. */
  readonly hasNames: boolean;
  /** True once it is known whether the release has names; rows drawn before may move. */
  readonly isKnown: boolean;
  /** The name of a funder; undefined if it is unknown or has not arrived. */
  readonly nameOf: (ein: string) => Name | undefined;
  /** True once the file that would name the funder has arrived, or is known to be missing. */
  readonly isLookedUp: (ein: string) => boolean;
};

/** The names of funders; the component renders again when they arrive. */
export function useNames(eins: readonly string[]): Names {
  const { hasNames, find } = useLists("eins", eins.map(einPrefix));
  return {
    hasNames: hasNames ?? false,
    isKnown: hasNames !== undefined,
    nameOf: (ein) => find(einPrefix(ein))?.find((funder) => funder.ein === ein),
    isLookedUp: (ein) => find(einPrefix(ein)) !== undefined,
  };
}
