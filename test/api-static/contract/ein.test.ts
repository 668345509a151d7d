// Tests EINs: which texts parse as one, and how a number is formatted as one.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatEin, parseEin } from "../../../api-static/contract/ein.ts";
import { noise } from "./arbitraries.ts";

describe("parseEin", () => {
  it("parses nine digits", () => {
    expect(parseEin("131635294")).toBe("131635294");
  });

  it("drops the hyphen after the second digit", () => {
    expect(parseEin("13-1635294")).toBe("131635294");
  });

  it("keeps leading zeros", () => {
    expect(parseEin("010211513")).toBe("010211513");
    expect(parseEin("00-0000000")).toBe("000000000");
  });

  it.each([
    ["nothing", ""],
    ["eight digits", "13163529"],
    ["ten digits", "1316352940"],
    ["eight digits and a hyphen", "13-163529"],
    ["ten digits and a hyphen", "13-16352940"],
    ["a hyphen elsewhere", "131-635294"],
    ["two hyphens", "13--1635294"],
    ["a hyphen at the end", "131635294-"],
    ["an en dash", "13–1635294"],
    ["a space before", " 131635294"],
    ["a line end after", "131635294\n"],
    ["a line end before", "\n131635294"],
    ["a sign", "-131635294"],
    ["a letter", "13163529O"],
    ["Arabic digits", "١٣١٦٣٥٢٩٤"],
    ["full-width digits", "１３１６３５２９４"],
    ["an exponent", "1316352e2"],
  ])("refuses %s", (_what, text) => {
    expect(parseEin(text)).toBeUndefined();
  });

  it("returns nine ASCII digits or undefined for any text", () => {
    const digits = fc.string({ unit: fc.constantFrom(..."0123456789-٣ "), minLength: 8, maxLength: 11 });
    fc.assert(
      fc.property(fc.oneof(noise, digits), (text) => {
        const isEin = /^[0-9]{9}$/.test(text) || /^[0-9]{2}-[0-9]{7}$/.test(text);
        expect(parseEin(text)).toBe(isEin ? text.replace("-", "") : undefined);
      }),
      { numRuns: 1000 },
    );
  });
});

describe("formatEin", () => {
  it("pads a number to nine digits", () => {
    expect(formatEin(0)).toBe("000000000");
    expect(formatEin(10_211_513)).toBe("010211513");
    expect(formatEin(999_999_999)).toBe("999999999");
  });

  it("formats a text that parses to the same number", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999_999_999 }), (number) => {
        const ein = formatEin(number);
        expect(parseEin(ein)).toBe(ein);
        expect(Number(ein)).toBe(number);
      }),
    );
  });
});
