// Tests that ids of grants are stable, distinct and below 2^53.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  findDayReceived,
  grantId,
  IdRangeError,
  identifyReturn,
  objectIdSlots,
  rowsPerReturn,
} from "../../../pipeline/irs/objectIds.ts";

const content = Buffer.from("<Return/>");
const slotOf = (objectId: string) => identifyReturn(`${objectId}_public.xml`, content).slot;

const parts = fc.record({
  year: fc.integer({ min: 2009, max: 2039 }),
  digit: fc.integer({ min: 0, max: 9 }),
  day: fc.integer({ min: 1, max: 366 }),
  form: fc.integer({ min: 1, max: 3 }),
  sequence: fc.integer({ min: 0, max: 99_999 }),
});
const objectIds = parts.map(
  ({ year, digit, day, form, sequence }) =>
    `${year}${digit}${String(day).padStart(3, "0")}9349${form}${String(sequence).padStart(5, "0")}`,
);

describe("the id of a grant", () => {
  it("is distinct for every OBJECT_ID and row, and a safe integer", () => {
    fc.assert(
      fc.property(objectIds, objectIds, fc.integer({ min: 0, max: rowsPerReturn - 1 }), (one, other, row) => {
        const id = grantId(slotOf(one), row);
        expect(Number.isSafeInteger(id)).toBe(true);
        expect(id).toBeLessThan(8.93e15);
        expect(slotOf(one) === slotOf(other)).toBe(one === other);
        expect(Math.floor(id / rowsPerReturn)).toBe(slotOf(one));
      }),
    );
  });

  it("is at most 2^53 for the last OBJECT_ID and for a file without one", () => {
    expect(slotOf("203993669349399999")).toBe(objectIdSlots - 1);
    const hashed = identifyReturn("stanford.xml", content);
    expect(hashed.returnId).toMatch(/^sha256-[0-9a-f]{64}$/);
    expect(hashed.slot).toBeGreaterThanOrEqual(objectIdSlots);
    expect(Number.isSafeInteger(grantId(hashed.slot, rowsPerReturn - 1))).toBe(true);
  });

  it("never changes: these are published", () => {
    expect(grantId(slotOf("201612429349300846"), 0)).toBe(2_204_500_189_773_824);
    expect(grantId(slotOf("202303329349100200"), 8)).toBe(4_289_986_612_428_808);
  });

  it("does not depend on the folder or the text around the OBJECT_ID", () => {
    const slot = slotOf("202303329349100200");
    for (const name of ["batch/1/202303329349100200_public.xml", "2020v4.0__202303329349100200_excerpt.xml"])
      expect(identifyReturn(name, content)).toEqual({ returnId: "202303329349100200", slot });
  });

  it("is refused beyond its limits", () => {
    expect(() => slotOf("204000019349300001")).toThrow(IdRangeError);
    expect(() => grantId(1, rowsPerReturn)).toThrow("more than 262144 rows");
  });

  it("comes from a digest for a number that is no OBJECT_ID of this form", () => {
    for (const name of [
      "123456789012345678",
      "200800019349300001",
      "202300009349300001",
      "202300019349900001",
    ]) {
      const found = identifyReturn(`${name}_public.xml`, content);
      expect(found.returnId).toBe(name);
      expect(found.slot).toBeGreaterThanOrEqual(objectIdSlots);
    }
  });
});

describe("the day a return was received", () => {
  it.each([
    ["202303329349100200", "2023-11-28"],
    ["201612429349300846", "2016-08-29"],
    ["sha256-00", undefined],
  ])("of %s is %s", (returnId, day) => {
    expect(findDayReceived(returnId)).toBe(day);
  });
});
