// Defines the filters on the EINs of funder and recipient.
import { type Ein, hyphenateEin } from "../ein.ts";
import { malformed } from "../errors.ts";
import { type Filters, matchedValues } from "../filters.ts";
import { einsMax } from "../limits.ts";
import { describeOrganization } from "../text/searchText.ts";
import { parseEins } from "../values.ts";
import type { Filter } from "./filter.ts";

function einFilter<Role extends "funder" | "recipient">(role: Role, example: string, more: string[] = []) {
  const name = `${role}_ein` as const;
  const einsOf = (filters: Filters): readonly Ein[] => {
    const ein = filters[`${role}Ein`];
    return ein === undefined ? (filters[`${role}Eins`] ?? []) : [ein];
  };
  return {
    name,
    description: `EIN of the ${role}: nine digits, or ${hyphenateEin(example)}; up to ${einsMax}, separated by commas, match any of them.`,
    schema: {
      type: "string",
      pattern: `^\\d{2}-?\\d{7}(,\\d{2}-?\\d{7}){0,${einsMax - 1}}$`,
      examples: [example, ...more],
    },
    // One EIN, or several: in ascending order, each once, so that equal lists are equal requests.
    read(value, draft) {
      const eins = parseEins(name, value, einsMax);
      if (!Array.isArray(eins)) return eins;
      if (eins.length > 1) draft[`${role}Eins`] = eins.sort();
      else draft[`${role}Ein`] = eins[0] as Ein;
      return undefined;
    },
    format: (filters) => einsOf(filters).join(",") || undefined,
    meets: (filters, record) => einsOf(filters).includes(record[name] as Ein),
    sql(filters) {
      const list = `IN (${einsOf(filters).map(Number).join(", ")})`;
      const filed = `${name} ${list}`;
      if (role === "funder" || filters.matched === undefined) return filed;
      return filters.matched === "only" ? `likely_ein ${list}` : `(${filed} OR likely_ein ${list})`;
    },
    sentence: {
      clause: role === "funder" ? "from" : "to",
      say: (query, names) => describeOrganization(query, names, role),
    },
  } as const satisfies Filter;
}

export const einFilters = [
  einFilter("funder", "131635294", ["131635294,200253310"]),
  einFilter("recipient", "530196605"),
];

export const matched = {
  name: "matched",
  description:
    "`exclude`: the grants as filed; `include`: also grants without an EIN likely made to it; `only`: just those.",
  schema: { type: "string", enum: matchedValues, default: "exclude" },
  read(value, draft) {
    const matched = matchedValues.find((each) => each === value);
    if (matched === undefined) return malformed(`matched must be one of ${matchedValues.join(", ")}`, value);
    if (matched !== "exclude") draft.matched = matched;
    return undefined;
  },
  format: (filters) => filters.matched,
  sentence: {
    clause: "with",
    say: ({ matched }) =>
      matched === "include" ? ", with likely ones" : matched === "only" ? ", only likely ones" : "",
  },
} as const satisfies Filter;
