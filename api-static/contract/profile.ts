// Defines the profile of an organization: its codes, former names, finances, mission and applications, as its answer has them.

/** A name that an organization had, with the first and the last month of the returns that give it, e.g., "2018-12". */
export type FormerName = { readonly name: string; readonly from: string | null; readonly to: string };

/** The profile of an organization of which nothing is known: all fields, in their order. */
export const emptyProfile = {
  subsection: null,
  ruling_year: null,
  former_names: [],
  finances: [],
  mission: null,
  applications: null,
} as const;
