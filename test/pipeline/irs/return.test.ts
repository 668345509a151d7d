// Tests that every grant of a return is read, whatever its schema and however it is written.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readReturn } from "../../../pipeline/irs/return.ts";
import { proofs } from "../../proofs.ts";
import {
  type Dress,
  dressNames,
  dressReturn,
  eras,
  expectedGrants,
  formatReturn,
  type MadeGrant,
  type MadePlace,
  type MadeReturn,
  plainReturn,
} from "./returns.fixture.ts";

const text = fc
  .string({ unit: fc.constantFrom(..."ABCdefghi 0189&<>\"'%#;,.-/éÑ§"), minLength: 1, maxLength: 30 })
  .map((raw) => raw.replace(/\s+/g, " ").trim())
  .filter((raw) => raw !== "");
const amount = fc.oneof(
  fc.integer({ min: -1000, max: 1_000_000 }).map(String),
  fc.constantFrom("999999999999999", "-999999999999999", "0", "12.5"),
);
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const assistance = {
  amount: optional(amount),
  nonCash: optional(amount),
  description: optional(text),
};
const place = optional(
  fc.oneof(
    fc.record({ city: text, state: fc.constantFrom("NY", "CA"), zip: fc.constantFrom("10001", "900011234") }),
    fc.record({ city: text, country: fc.constantFrom("CA", "UK") }),
    fc.record({ city: text, country: fc.constant("MX"), zip: fc.constant("01000") }),
  ),
);
const organization = fc.record({
  place,
  kind: fc.constant("organizations" as const),
  line1: text,
  line2: optional(text),
  ein: optional(fc.constantFrom("012345678", "987654321")),
  ...assistance,
  purpose: optional(text),
});
const individuals = fc.record({ kind: fc.constant("individuals" as const), ...assistance, purpose: text });
const foreign = fc.record({
  kind: fc.constant("foreign" as const),
  region: optional(text),
  ...assistance,
  purpose: text,
});
const paid = {
  ...{ amount: optional(amount), purpose: optional(text), place },
  ...{ status: optional(fc.constantFrom("PC", "PF")), relationship: optional(text) },
};
const business = fc.record({
  kind: fc.constantFrom("paid" as const, "future" as const),
  line1: text,
  line2: optional(text),
  ...paid,
});
const person = fc.record({ kind: fc.constant("paid" as const), person: text, ...paid });
const empty = fc.constant({ kind: "empty" as const });
const grants = {
  "990": fc.array(fc.oneof(organization, organization, individuals, foreign, empty), { maxLength: 5 }),
  "990PF": fc.array(fc.oneof(business, person, empty), { maxLength: 5 }),
};

const made: fc.Arbitrary<MadeReturn> = fc.constantFrom("990" as const, "990PF" as const).chain((form) =>
  fc
    .record({
      form: fc.constant(form),
      era: fc.constantFrom(...eras),
      ein: fc.constantFrom("012345678", "123456789"),
      line1: text,
      line2: optional(text),
      taxYear: fc.integer({ min: 2008, max: 2030 }),
      periodEnd: fc.constant("2022-06-30"),
      filedAt: fc.constant("2023-05-15T10:00:00-05:00"),
      isAmended: fc.boolean(),
      isGroup: fc.boolean(),
      stated: optional(amount),
      ...{ statedIndividuals: optional(amount), statedForeign: optional(amount) },
      ...{ revenue: optional(amount), expenses: optional(amount), assets: optional(amount) },
      ...{ grantsPaid: optional(amount), mission: optional(text), filerPlace: place },
      grants: grants[form] as fc.Arbitrary<unknown[]>,
    })
    // Drops the properties that are undefined.
    .map((one) => JSON.parse(JSON.stringify(one)) as MadeReturn),
);

describe("a return of any schema", () => {
  it("is read in the encoding that it declares, even if its bytes are UTF-8 for another letter", () => {
    const xml = formatReturn({ ...plainReturn, line1: "\u00D1\u00A7A" });
    expect(readReturn(dressReturn(xml, "ISO-8859-1")).name).toBe("\u00D1\u00A7A");
  });

  const accented = { line1: "SOCIÉTÉ D’ENTRAIDE", line2: "É", purpose: "ÉDUCATION" };
  const french = formatReturn({ ...plainReturn, grants: [{ kind: "organizations", ...accented }] });
  const latinLabels = ["windows-1252", "ISO-8859-1", "latin1"];

  it.each(["utf-8-sig", "UTF_8", "utf8mb4", "ANSI", "us-ascii", "x-unknown", ...latinLabels])(
    "is read as UTF-8 if it is valid UTF-8, whatever it declares: %s",
    (label) => {
      const found = readReturn(Buffer.from(french.replace('"utf-8"', `"${label}"`)));
      expect(found.grants).toMatchObject([{ recipientName: "SOCIÉTÉ D’ENTRAIDE É", purpose: "ÉDUCATION" }]);
      expect(found.oddities).toEqual([]);
    },
  );

  it.each(["plain", "prefix irs:", "comment with a grant table", "declared as Latin-1", "unknown label"])(
    "has one broken value read as Windows-1252, and no other: %s",
    (how) => {
      const labels: Record<string, string> = { "declared as Latin-1": "ISO-8859-1", "unknown label": "ANSI" };
      const dress = dressNames.find((name) => name === how) ?? "plain";
      const bytes = dressReturn(french.replace('"utf-8"', `"${labels[how] ?? "utf-8"}"`), dress);
      const at = bytes.indexOf("ÉDUCATION");
      const broken = Buffer.concat([
        bytes.subarray(0, at),
        Buffer.from("CHILD\x92S \xC9", "latin1"),
        bytes.subarray(at + 2),
      ]);
      const found = readReturn(broken);
      expect(found.grants).toMatchObject([
        { recipientName: "SOCIÉTÉ D’ENTRAIDE É", purpose: "CHILD’S ÉDUCATION" },
      ]);
      expect(found.oddities).toEqual(["not UTF-8"]);
    },
  );

  it.each(latinLabels)("is read in the encoding that it declares if it is not UTF-8: %s", (label) => {
    const xml = french.replace('"utf-8"', `"${label}"`).replaceAll("’", "\x92");
    expect(readReturn(Buffer.from(xml, "latin1"))).toMatchObject({
      grants: [{ recipientName: "SOCIÉTÉ D’ENTRAIDE É", purpose: "ÉDUCATION" }],
      oddities: [],
    });
  });

  it("of UTF-16 with a lone surrogate loses that character only", () => {
    const found = readReturn(dressReturn(french.replaceAll("’", "\uD800"), "UTF-16, little-endian"));
    expect(found.grants).toMatchObject([
      { recipientName: "SOCIÉTÉ D\uFFFDENTRAIDE É", purpose: "ÉDUCATION" },
    ]);
    expect(found.oddities).toEqual(["not UTF-8"]);
  });

  it.each([
    ["990", "990"],
    ["990EZ", "990EZ"],
    ["990-PF", "990PF"],
    ["990PR", "990PF"],
    ["990T", "990T"],
    ["4720", "other"],
    ["8868", "other"],
    ["5227", "other"],
    ["1120-POL", "other"],
    ["990N", "other"],
    ["PROFORMA", "other"],
    [undefined, "other"],
  ])("without a main form that is known has the form of its type: %s", (type, form) => {
    const typed = (tag: string) => (type === undefined ? "" : tag.replace("990", type));
    const xml = formatReturn({ ...plainReturn, grants: [] })
      .replace(/<ReturnTypeCd>.*>/, typed)
      .replaceAll("IRS990>", "IRSNEW>");
    expect(readReturn(Buffer.from(xml)).form).toBe(form);
  });

  it(`gives back the grants that went in, in every dress (${proofs.anyReturns} returns)`, () => {
    fc.assert(
      fc.property(made, fc.constantFrom(...dressNames), (one, dress) => {
        const bytes = dressReturn(formatReturn(one), dress);
        // By chance, bytes of Windows-1252 are valid UTF-8 for another letter.
        fc.pre(
          !/^(Windows-1252|ISO)/.test(dress) || !/[\xC2-\xF4][\x80-\xBF]/.test(bytes.toString("latin1")),
        );
        const found = readReturn(bytes);
        const is990 = one.form === "990";
        const filer: MadePlace = one.filerPlace ?? { city: "TAMPA", state: "FL", zip: "33601" };
        expect(found.grants).toEqual(expectedGrants(one));
        expect(found).toMatchObject({
          ein: one.ein,
          name: [one.line1, one.line2].filter(Boolean).join(" "),
          city: filer.city ?? null,
          state: filer.state ?? null,
          zip: filer.zip ?? null,
          country: filer.country ?? null,
          form: one.form,
          taxYear: one.taxYear,
          periodEnd: "2022-06-30",
          filedAt: "2023-05-15T15:00:00Z",
          isAmended: one.isAmended,
          isGroup: one.form === "990" && one.isGroup,
          statedTotal: one.stated ?? (one.form === "990PF" ? one.grantsPaid : undefined) ?? null,
          statedIndividuals: is990 ? (one.statedIndividuals ?? null) : null,
          statedForeign: is990 ? (one.statedForeign ?? null) : null,
          finances: {
            revenue: one.revenue ?? null,
            expenses: one.expenses ?? null,
            assets: one.assets ?? null,
            grantsPaid: one.grantsPaid ?? null,
            mission: is990 ? (one.mission ?? null) : null,
          },
          individualGrants: countOf(one.grants, "individuals"),
          foreignGrants: countOf(one.grants, "foreign"),
          futureRows: countOf(one.grants, "future"),
          emptyRows: expectedEmpty(one.grants),
        });
      }),
      { numRuns: proofs.anyReturns },
    );
  });

  it.each(dressNames)("reads the plain return as %s", (dress: Dress) => {
    const found = readReturn(dressReturn(formatReturn(plainReturn), dress));
    expect(found.grants).toEqual(expectedGrants(plainReturn));
    expect(found.name).toBe("THE GIVING FUND");
  });

  it("takes only the organization from forms without a table of grants", () => {
    for (const form of ["990EZ", "990T"] as const) {
      const xml = formatReturn({ ...plainReturn, form }).replace(
        "</ReturnData>",
        "<IRS990ScheduleI><RecipientTable><CashGrantAmt>5</CashGrantAmt></RecipientTable></IRS990ScheduleI></ReturnData>",
      );
      for (const dress of ["plain", "another namespace"] as const)
        expect(readReturn(dressReturn(xml, dress))).toMatchObject({
          form,
          grants: [],
          name: "THE GIVING FUND",
        });
    }
  });
});

describe("a return in an unusual order", () => {
  const row =
    "<RecipientTable><RecipientEIN>111111111</RecipientEIN><CashGrantAmt>7</CashGrantAmt></RecipientTable>";
  const paidRow =
    "<GrantOrContributionPdDurYrGrp><RecipientPersonNm>B</RecipientPersonNm><Amt>7</Amt></GrantOrContributionPdDurYrGrp>";
  const paidReturn: MadeReturn = {
    ...plainReturn,
    form: "990PF",
    grants: [{ kind: "paid", person: "A", amount: "5" }],
  };

  it("has its grants if there is white space in the end tag of the header", () => {
    const xml = formatReturn(plainReturn).replace("</ReturnHeader>", "</ReturnHeader >");
    expect(readReturn(Buffer.from(xml)).grants).toEqual(expectedGrants(plainReturn));
  });

  it("has its grants if the header stands after the data", () => {
    const xml = formatReturn(plainReturn);
    const [header = ""] = /<ReturnHeader>.*<\/ReturnHeader>\n/s.exec(xml) ?? [];
    const turned = xml.replace(header, "").replace("</Return>", `${header}</Return>`);
    expect(readReturn(Buffer.from(turned))).toEqual(readReturn(Buffer.from(xml)));
  });

  it("has the grants of every table of Form 990-PF", () => {
    const second = `<SupplementaryInformationGrp>${paidRow}</SupplementaryInformationGrp></IRS990PF>`;
    const found = readReturn(Buffer.from(formatReturn(paidReturn).replace("</IRS990PF>", second)));
    expect(found.grants.map(({ recipientName, amount }) => [recipientName, amount])).toEqual([
      ["A", "5"],
      ["B", "7"],
    ]);
    expect(found.paidTotal).toBe("12.00");
  });

  it("has the grants of Schedule I of a Form 990-PF, which its total does not cover", () => {
    const schedule = `<IRS990ScheduleI>${row}</IRS990ScheduleI></ReturnData>`;
    const found = readReturn(Buffer.from(formatReturn(paidReturn).replace("</ReturnData>", schedule)));
    expect(found.grants.map(({ type, amount }) => [type, amount])).toEqual([
      ["990-PF", "5"],
      ["Schedule I", "7"],
    ]);
    expect(found.paidTotal).toBe("5.00");
  });

  it("keeps the rows of all other grants if Schedule F is read too", () => {
    const grants: MadeGrant[] = [...plainReturn.grants, { kind: "foreign", region: "EUROPE", amount: "9" }];
    const [first, last] = readReturn(Buffer.from(formatReturn({ ...plainReturn, grants }))).grants;
    expect([first?.row, last?.row, last?.type, last?.recipientCountry]).toEqual([
      0,
      1,
      "Schedule F",
      "EUROPE",
    ]);
  });

  it("counts a row with an address, a status or a region alone as empty", () => {
    const nothing = { kind: "paid", status: "PC", relationship: "NONE" } as const;
    expect(readReturn(Buffer.from(formatReturn({ ...paidReturn, grants: [nothing] })))).toMatchObject({
      grants: [],
      emptyRows: 1,
    });
    const region: MadeGrant = { kind: "foreign", region: "EUROPE" };
    expect(readReturn(Buffer.from(formatReturn({ ...plainReturn, grants: [region] }))).emptyRows).toBe(1);
  });

  it("reads the finances of a short form in every schema", () => {
    const finances = { revenue: "5", expenses: "4", assets: "3", grantsPaid: "2", mission: "FOOD" };
    for (const era of eras)
      expect(
        readReturn(Buffer.from(formatReturn({ ...plainReturn, era, form: "990EZ", ...finances }))).finances,
      ).toMatchObject(finances);
  });
});

const countOf = (rows: readonly MadeGrant[], kind: MadeGrant["kind"]) =>
  rows.filter((row) => row.kind === kind).length;
const expectedEmpty = (rows: readonly MadeGrant[]) => countOf(rows, "empty");

/** Replaces a piece of the plain return. */
const withText = (from: string, to: string) => {
  const xml = formatReturn(plainReturn);
  expect(xml).toContain(from);
  return Buffer.from(xml.replace(from, to));
};

/** Nothing, and a comment, with which the complete parser reads the return. */
const bothPaths = ["", "<!-- slow path -->"];

describe("a return that breaks the rules of XML", () => {
  it.each(bothPaths)("keeps the text around a bare ampersand, and counts the return%s", (extra) => {
    const found = readReturn(withText("FOOD BANK", `FOOD & DRINK &amp; AT&T &unknown; &#38; BANK${extra}`));
    expect(found.grants[0]?.recipientName).toBe("FOOD & DRINK & AT&T &unknown; & BANK");
    expect(found.oddities).toEqual(["bare ampersand"]);
  });

  it.each(bothPaths)("keeps the text around control characters, and counts the return%s", (extra) => {
    const found = readReturn(withText("FOOD BANK", `FOOD\u0019 BANK\u0001 &#x0; &#xD800;${extra}`));
    expect(found.grants[0]?.recipientName).toBe("FOOD\u0019 BANK\u0001 &#x0; &#xD800;");
    expect(found.oddities).toEqual(["control character"]);
  });

  it("never expands an entity of a DTD", () => {
    const xml = formatReturn(plainReturn)
      .replace("?>", '?><!DOCTYPE Return [<!ENTITY who "EXPANDED">]>')
      .replace("FOOD BANK", "FOOD &who; BANK");
    expect(readReturn(Buffer.from(xml)).grants[0]?.recipientName).toBe("FOOD &who; BANK");
  });

  it.each([
    ["plain", ""],
    ["comment with a grant table", ""],
    ["prefix irs:", "irs:"],
  ] as const)("reads everything before the cut of a file that is cut off: %s", (dress, prefix) => {
    const one: MadeReturn = {
      ...plainReturn,
      grants: Array.from({ length: 4 }, (_, row) => ({
        kind: "organizations",
        line1: `NUMBER ${row}`,
        amount: `${row + 1}000`,
        purpose: "P",
      })),
    };
    const xml = dressReturn(formatReturn(one), dress);
    const start = xml.indexOf(`</${prefix}ReturnHeader>`);
    for (let cut = start + 25; cut < xml.length - 10; cut += proofs.cutStep) {
      const found = readReturn(xml.subarray(0, cut));
      const before = xml
        .subarray(0, cut)
        .toString()
        .replace(/<!--[\s\S]*?(-->|$)/, "");
      const whole = before.split(`</${prefix}RecipientTable>`).length - 1;
      expect(found.grants.slice(0, whole), `cut at ${cut}`).toEqual(expectedGrants(one).slice(0, whole));
      const [partial, ...others] = found.grants.slice(whole);
      expect(others).toEqual([]);
      // Of the row that is cut, only values that are complete.
      if (partial !== undefined) expect([null, `${whole + 1}000`]).toContain(partial.amount);
      expect(found.oddities).toContain("cut off");
    }
  });

  it("counts an amount that is not a number, and leaves it out", () => {
    const found = readReturn(withText("<CashGrantAmt>5000", "<CashGrantAmt>five"));
    expect(found.grants[0]).toMatchObject({ amount: null, recipientName: "FOOD BANK" });
    expect(found.oddities).toEqual(["unreadable amount"]);
  });

  it("reads a return whose tags do not match as far as it can", () => {
    const found = readReturn(withText("</USAddress>\n<RecipientEIN>", "<RecipientEIN>"));
    expect(found.ein).toBe("012345678");
    expect(found.grants.length).toBe(1);
  });
});

describe("a return that cannot be read", () => {
  const other = formatReturn(plainReturn).replaceAll("Return>", "Other>").replace("<Return ", "<Other ");
  it.each([
    ["no EIN", withText("<EIN>012345678</EIN>", ""), "no EIN of a filer"],
    ["a wrong EIN", withText("<EIN>012345678</EIN>", "<EIN>12345</EIN>"), 'EIN "12345"'],
    ["no XML", Buffer.from("nothing"), "no EIN of a filer"],
    ["no bytes", Buffer.alloc(0), "no EIN of a filer: it is empty"],
    ["another root", Buffer.from(other), "no EIN of a filer: it is XML of another kind (<Other>)"],
    ["a web page", Buffer.from("<!doctype html><HTML>moved"), "no EIN of a filer: it is a web page"],
    ["gzip", Buffer.from("\x1f\x8b", "latin1"), "no EIN of a filer: it is compressed by gzip"],
  ])("says why: %s", (_, xml, problem) => {
    expect(() => readReturn(xml)).toThrow(problem);
  });

  it("takes the year of the period if it has no tax year", () => {
    expect(readReturn(withText("<TaxYr>2022</TaxYr>", "")).taxYear).toBe(2022);
  });

  it("notes a missing time of filing", () => {
    const found = readReturn(withText("<ReturnTs>2023-05-15T10:00:00-05:00</ReturnTs>", ""));
    expect(found).toMatchObject({ filedAt: null, oddities: ["no time of filing"] });
  });
});
