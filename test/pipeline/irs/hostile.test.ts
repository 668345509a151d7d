// Tests that returns with hostile or absurd content are read as far as they make sense, or counted as unreadable, in bounded work.
import { describe, expect, it } from "vitest";
import { rowsPerReturn } from "../../../pipeline/irs/objectIds.ts";
import { readReturn } from "../../../pipeline/irs/return.ts";
import { formatReturn, plainReturn } from "./returns.fixture.ts";

const plain = formatReturn(plainReturn);

/** The plain return with more XML at the start of its data. */
const withXml = (added: string, xml = plain) =>
  Buffer.from(xml.replace(/<ReturnData[^>]*>/, (tag) => `${tag}${added}`));

/** A comment, with which the complete parser reads the return. */
const comment = "<!-- -->";
const deep = "<a>".repeat(100_000) + "</a>".repeat(100_000);

describe("a return", () => {
  it.each([
    ["2022-09-31", null],
    ["2023-02-29", null],
    ["2024-02-29", "2024-02-29"],
    ["0000-01-01", null],
    ["1899-12-31", null],
    ["2200-01-01", null],
    ["yesterday", null],
  ])("whose period ends on %s has %s", (day, expected) => {
    const found = readReturn(Buffer.from(formatReturn({ ...plainReturn, periodEnd: day })));
    expect(found.periodEnd).toBe(expected);
    expect(found.oddities).toEqual(expected === null ? ["unreadable date"] : []);
  });

  it.each([
    "9999-12-31T23:59:59-12:00",
    "2022-09-31T10:00:00Z",
    "2022-09-30T25:00:00Z",
    "0001-01-01T00:00:00+14:00",
  ])("filed at %s has no time of filing", (time) => {
    const found = readReturn(Buffer.from(formatReturn({ ...plainReturn, filedAt: time })));
    expect(found.filedAt).toBeNull();
    expect(found.oddities).toEqual(["no time of filing", "unreadable date"]);
  });

  it.each(["", comment])("loses a text that is far too long, and nothing else%s", (extra) => {
    for (const purpose of ["x".repeat(5_000_000), "é".repeat(100_001), "&amp;".repeat(100_001)]) {
      const [grant] = plainReturn.grants;
      const made = formatReturn({ ...plainReturn, grants: [{ ...grant, kind: "organizations", purpose }] });
      const found = readReturn(withXml(extra, made.replaceAll("&amp;amp;", "&amp;")));
      expect(found.grants).toMatchObject([{ recipientName: "FOOD BANK", amount: "5000", purpose: null }]);
      expect(found.oddities).toEqual(["text too long"]);
    }
  });

  it("keeps the longest text that makes sense", () => {
    const purpose = "é".repeat(100_000);
    const grants = [{ kind: "organizations" as const, line1: "FOOD BANK", purpose }];
    expect(readReturn(Buffer.from(formatReturn({ ...plainReturn, grants }))).grants[0]?.purpose).toBe(
      purpose,
    );
  });

  it("is read past deep levels and millions of elements without a meaning", () => {
    for (const added of [deep, "<a/>".repeat(2_000_000), `<a>${"<b>c</b>".repeat(1_000_000)}</a>`])
      expect(readReturn(withXml(added)).grants.length).toBe(1);
  });

  it.each([
    ["deep levels", deep, "its elements lie deeper than 100 levels"],
    ["elements without an end", "<a>".repeat(200), "its elements lie deeper than 100 levels"],
    ["more errors than any return", "\u0001".repeat(1_000_001), "it has more than 1000000 errors of XML"],
    [
      "more ampersands than any return",
      "& ".repeat(1_000_001),
      "it has more than 1000000 ampersands that are no references",
    ],
    [
      "unusual XML beyond the limit",
      " ".repeat(64 << 20),
      /^it is unusual XML of 6711\d{4} bytes; the limit .* is 67108864$/,
    ],
  ])("is unreadable with a comment and %s", (_, added, problem) => {
    expect(() => readReturn(withXml(comment + added))).toThrow(problem);
  });

  it.each(["<!--", "<![CDATA[", "&", "<!DOCTYPE ", "<?"])(
    "is read in one pass over a megabyte of %s",
    (piece) => {
      const found = readReturn(withXml(piece.repeat(1_000_000 / piece.length)));
      expect(found.ein).toBe("012345678");
    },
  );

  it("is not read on past the last id of its rows", () => {
    const rows = `<IRS990ScheduleI>${"<RecipientTable/>".repeat(rowsPerReturn + 1)}</IRS990ScheduleI>`;
    for (const extra of ["", comment])
      expect(() => readReturn(withXml(rows + extra))).toThrow("it has more than 262144 rows of grants");
  });

  it("is unreadable with a filer whose EIN is endless, and its reason is short", () => {
    const xml = formatReturn({ ...plainReturn, ein: "1".repeat(90_000) });
    expect(() => readReturn(Buffer.from(xml))).toThrow(new Error(`EIN "${"1".repeat(20)}"`));
  });

  it.each([
    ["no bytes but zeros", Buffer.alloc(2_000_000)],
    ["zeros after the start", Buffer.concat([Buffer.from(plain.slice(0, 300)), Buffer.alloc(2_000_000)])],
  ])("of %s is unreadable", (_, xml) => {
    expect(() => readReturn(xml)).toThrow(/^(no EIN of a filer|it has more than 1000000 errors of XML)$/);
  });
});
