// Tests the names of causes by their codes.
import { expect, it } from "vitest";
import { nameCode } from "../../../../api-static/contract/text/causeCodes.ts";

it.each([
  ["A68", "Music (A68)"],
  ["a6a", "Opera (A6A)"],
  ["A6", "Performing Arts (A6)"],
  ["A", "Arts, Culture & Humanities"],
  ["B01", "Education: Alliances & Advocacy (B01)"],
  ["H30", "Cancer Research (H30)"],
  ["K99", "Food, Agriculture & Nutrition: Other (K99)"],
  ["A47", "Arts, Culture & Humanities (A47)"],
])("the cause %s is %s", (code, name) => {
  expect(nameCode(code)).toBe(name);
});
