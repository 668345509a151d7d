// Finds the names of funders by EIN, from static files of the release, for the rows that are shown.

export type Name = { readonly name: string; readonly city: string | null; readonly state: string | null };

export type Names = {
  /** True if the release has names: cells of funders then reserve two lines. */
  readonly hasNames: boolean;
  /** The name of a funder; undefined if it is not known, or not yet. */
  readonly nameOf: (ein: string) => Name | undefined;
};

/** The names of these funders; the component renders again when they arrive. */
export function useNames(_eins: readonly string[]): Names {
  return { hasNames: false, nameOf: () => undefined };
}
