// Finds the cause whose whole name a text is. Loaded once a reader is at a box.
import { codeNames, nameCode } from "../../../api-static/contract/text/causeCodes.ts";
import { causeNames } from "../../../api-static/contract/text/causes.ts";

/** Kinds of schools that the code for performing arts schools has, beside its name. */
const others: readonly (readonly [name: string, code: string])[] = [
  ["music schools", "A6E"],
  ["dance schools", "A6E"],
  ["drama schools", "A6E"],
];

/** Codes by name; the broadest of equal names counts. */
const codes = new Map(
  [...[...causeNames, ...codeNames].flatMap(namesOf), ...others]
    .reverse()
    .map(([name, code]) => [normalize(name), code]),
);

/** The cause, and its name with the code, e.g., "Music (A68)"; undefined if the text is not the whole name of one, or of a part of its name. */
export function findCause(text: string): { code: string; name: string } | undefined {
  const code = codes.get(normalize(text));
  return code === undefined ? undefined : { code, name: nameCode(code) };
}

/** A name and its parts: "Food Banks & Pantries" is found by "food banks", too. The group of what is not known has none. */
function namesOf([code, name]: readonly [string, string]): (readonly [string, string])[] {
  if (code === "Z") return [];
  const parts = name.replace("-Related", "").split(/, | & /);
  return [name, ...parts].map((each) => [each, code] as const);
}

/** Without case, signs and plurals. */
function normalize(name: string): string {
  const words =
    name
      .toLowerCase()
      .replaceAll("&", " and ")
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.map((word) => word.replace(/(?<=...)s$/, "")).join(" ");
}
