// Tests that what a return says about applications and donor-advised funds is read in every schema, and that no person is.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readReturn } from "../../../pipeline/irs/return.ts";
import { proofs } from "../../proofs.ts";
import {
  dressNames,
  dressReturn,
  eras,
  formatReturn,
  type MadeReturn,
  plainReturn,
} from "./returns.fixture.ts";

const privateReturn: MadeReturn = { ...plainReturn, form: "990PF", grants: [] };

const readFinances = (made: Partial<MadeReturn>) =>
  readReturn(Buffer.from(formatReturn({ ...privateReturn, ...made }))).finances;

const unstated = { accepts: null, applicationForm: null, deadlines: null, restrictions: null };
const person = { person: "JANE ROE", phone: "8135550100", email: "JANE@EXAMPLE.ORG" };
const texts = { form: "A LETTER", deadlines: "MARCH 1, 2024", restrictions: "NONE" };

describe.each(eras)("a return of the schema of %s", (era) => {
  it("takes no applications if it gives only to organizations that it selects, whatever else it says", () => {
    expect(readFinances({ era, isPreselected: true })).toMatchObject({ ...unstated, accepts: "no" });
    expect(readFinances({ era, isPreselected: true, applications: [texts] })).toMatchObject({
      accepts: "no",
      deadlines: "MARCH 1, 2024",
    });
  });

  it("takes applications if it says how to apply, or to whom", () => {
    const expected = {
      accepts: "yes",
      applicationForm: "A LETTER",
      deadlines: "MARCH 1, 2024",
      restrictions: "NONE",
    };
    expect(readFinances({ era, applications: [{ ...person, ...texts }] })).toMatchObject(expected);
    expect(readFinances({ era, applications: [person] })).toMatchObject({ ...unstated, accepts: "yes" });
    expect(readFinances({ era, applications: [person, texts] })).toMatchObject(expected);
  });

  it("does not state it otherwise, and never on another form", () => {
    expect(readFinances({ era })).toMatchObject(unstated);
    expect(readFinances({ era, form: "990", applications: [texts] })).toMatchObject(unstated);
  });

  it("states donor-advised funds if it holds any at the end of the year", () => {
    const found = ["50", "0", undefined].map((advisedFunds) =>
      readFinances({ era, form: "990", ...(advisedFunds === undefined ? {} : { advisedFunds }) }),
    );
    expect(found.map(({ donorAdvised }) => donorAdvised)).toEqual([true, false, false]);
    expect(readFinances({ era }).donorAdvised).toBe(null);
  });
});

describe("a text about applications", () => {
  const readText = (deadlines: string) => readFinances({ applications: [{ deadlines }] }).deadlines;

  it.each([
    ...["813-555-0100", "(813) 555-0100", "813.555.0100", "813 555 0100", "8135550100", "813/555-0100"],
    ...["1-813-555-0100", "18135550100", "+1 813 555 0100", "+44 20 7946 0958", "555-0100", "5550100"],
    ...["JANE@EXAMPLE.ORG", "jane.roe@mail.example.org"],
  ])("is left out if it has a telephone number or an e-mail address: %s", (contact) => {
    for (const text of [contact, `CALL JANE ROE AT ${contact}.`, `MARCH 1; TEL:${contact},JANE`])
      expect(readText(text)).toBe(null);
  });

  it.each([
    ...["MARCH 15, 2024", "03/15/2024", "03-15-2024", "2023-2024", "2024-03-15", "JUNE 1 - 15, 2024"],
    ...["501(C)(3)", "$500,000", "$10,000-25,000", "SECTION 170(B)(1)(A)", "33601", "33601-1234"],
    ...["WWW.EXAMPLE.ORG", "NONE", "0"],
  ])("is kept as filed if it has a date, an amount or a section: %s", (text) => {
    expect(readText(text)).toBe(text);
  });

  const word = fc.stringMatching(/^[A-Za-zéñ .,;()-]{0,20}$/);
  const digits = (count: number) => fc.stringMatching(new RegExp(`^[0-9]{${count}}$`));
  const phone = fc
    .tuple(digits(3), digits(3), digits(4), fc.constantFrom("-", " ", ".", ""))
    .map(([area, exchange, line, between]) => [area, exchange, line].join(between));
  const email = fc
    .tuple(fc.stringMatching(/^[a-z]{1,8}$/), digits(2))
    .map(([name, at]) => `${name}@x${at}.org`);

  it(`has no person, in any schema and dress (${proofs.anyReturns} returns)`, () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...eras),
        fc.constantFrom(...dressNames),
        fc.tuple(word, fc.oneof(phone, email), word),
        (era, dress, [before, contact, after]) => {
          const secret = { person: "QQQPERSON", phone: "9999999999", email: "QQQ@EXAMPLE.ORG" };
          const applications = [
            { ...secret, deadlines: `${before}${contact}${after}`, restrictions: "KEPT" },
          ];
          const xml = formatReturn({ ...privateReturn, era, applications });
          const found = readReturn(dressReturn(xml, dress));
          expect(found.finances).toMatchObject({ accepts: "yes", deadlines: null, restrictions: "KEPT" });
          expect(JSON.stringify(found)).not.toMatch(/QQQ|9999999999|MIAMI/);
        },
      ),
      { numRuns: proofs.anyReturns },
    );
  });
});

it("an empty group says nothing about applications", () => {
  const group = "<ApplicationSubmissionInfoGrp>";
  for (const empty of ["<ApplicationSubmissionInfoGrp/>", `${group}</ApplicationSubmissionInfoGrp>`]) {
    const xml = formatReturn({ ...privateReturn, isPreselected: true });
    const changed = xml.replace(/<OnlyContri.*>/, empty);
    expect(changed).toContain(empty);
    for (const dress of ["plain", "another namespace"] as const)
      expect(readReturn(dressReturn(changed, dress)).finances).toMatchObject(unstated);
  }
});

const beside = fileURLToPath(new URL("../../../../shared/data/irs", import.meta.url));
const folder = resolve(process.env.RETURNS_REAL ?? beside);
const isHere = existsSync(folder);
if (!isHere)
  console.log(`skipped: applications in real returns; there are none at "${folder}" (set RETURNS_REAL)`);

/** Reads the same from the text of a file, without its structure. */
function readByText(xml: string) {
  const textOf = (name: string, within = xml) =>
    new RegExp(`<${name}(?:Txt|Cnt|Ind)?>([^<]*)<`).exec(within)?.[1]?.replaceAll("&amp;", "&").trim();
  const [, group] =
    /<ApplicationSubmissionInfo(?:Grp)?>(\s*<.*?)<\/ApplicationSubmissionInfo/s.exec(xml) ?? [];
  const textInGroup = (name: string) => {
    const text = group && textOf(name, group);
    const isContact = text?.includes("@") || (text?.replaceAll(/[^0-9]/g, "").length ?? 0) >= 7;
    return !text || isContact ? null : text;
  };
  return {
    accepts: textOf("OnlyContriToPreselected") === "X" ? "no" : group === undefined ? null : "yes",
    applicationForm: textInGroup("FormAndInfoAndMaterials"),
    deadlines: textInGroup("SubmissionDeadlines"),
    restrictions: textInGroup("RestrictionsOnAwards"),
    donorAdvised: /<ReturnType(?:Cd)?>990</.test(xml)
      ? Number(textOf("DonorAdvisedFundsHeld") ?? 0) > 0
      : null,
  };
}

describe.runIf(isHere)("a real return", () => {
  const files = isHere ? readdirSync(folder).filter((name) => name.endsWith(".xml")) : [];

  it.each(files)("says the same to a reader of its text: %s", (file) => {
    const xml = readFileSync(join(folder, file));
    const { accepts, applicationForm, deadlines, restrictions, donorAdvised } = readReturn(xml).finances;
    expect({ accepts, applicationForm, deadlines, restrictions, donorAdvised }).toEqual(
      readByText(xml.toString()),
    );
  });

  /** Seen by eye. */
  const seen: Readonly<Record<string, readonly (string | boolean | null)[]>> = {
    "jnj_patient_assistance.xml": ["yes", "NONE", null],
    "2020v4.0__202303329349100200_excerpt.xml": ["no", null, null],
    "2022v5.0__202303289349100000_excerpt.xml": ["no", null, null],
    "stanford.xml": [null, null, true],
    "asu_foundation.xml": [null, null, false],
  };
  it.each(Object.entries(seen))("has what people read in it: %s", (file, expected) => {
    const { accepts, deadlines, donorAdvised } = readReturn(readFileSync(join(folder, file))).finances;
    expect([accepts, deadlines, donorAdvised]).toEqual(expected);
  });
});
