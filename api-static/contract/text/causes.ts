// Names causes by the codes of the National Taxonomy of Exempt Entities (NTEE-CC), which the IRS lists for organizations.
import { type Fault, malformed } from "../errors.ts";

/** The names of the major groups A to Z, as the guide of the IRS to its Business Master File has them. */
const listed = [
  "Arts, Culture & Humanities",
  "Education",
  "Environment",
  "Animal-Related",
  "Health Care",
  "Mental Health & Crisis Intervention",
  "Voluntary Health Associations & Medical Disciplines",
  "Medical Research",
  "Crime & Legal-Related",
  "Employment",
  "Food, Agriculture & Nutrition",
  "Housing & Shelter",
  "Public Safety, Disaster Preparedness & Relief",
  "Recreation & Sports",
  "Youth Development",
  "Human Services",
  "International, Foreign Affairs & National Security",
  "Civil Rights, Social Action & Advocacy",
  "Community Improvement & Capacity Building",
  "Philanthropy, Voluntarism & Grantmaking Foundations",
  "Science & Technology",
  "Social Science",
  "Public & Societal Benefit",
  "Religion-Related",
  "Mutual & Membership Benefit",
  "Unknown",
];

/** The names of the major groups by their letter, in order. */
export const causeNames: ReadonlyMap<string, string> = new Map(
  listed.map((name, index) => [String.fromCharCode(65 + index), name]),
);

/** The name of a cause's major group, with the code if it is longer than the group's, e.g., "Education", "Education (B20)". */
export function nameCause(code: string): string {
  const cause = code.trim().toUpperCase();
  const name = causeNames.get(cause.slice(0, 1)) ?? cause;
  return cause.length > 1 ? `${name} (${cause})` : name;
}

/** The start of a code, in capitals: the last of three characters may be a letter, as in A6A for opera. @param name of its parameter */
export function parseCause(name: string, value: string): string | Fault {
  const rule = `${name} must be the start of an NTEE code, such as A, A6 or A68`;
  return /^[a-z](\d[a-z\d]?)?$/i.test(value) ? value.toUpperCase() : malformed(rule, value);
}
