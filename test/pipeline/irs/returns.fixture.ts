// Writes returns of every schema family with known grants, and the expected rows.
import type { Grant } from "../../../pipeline/irs/return.ts";

export const eras = ["2008", "2009", "2013", "2014", "unknown"] as const;

/** The schema families: names of elements changed between them. `unknown` is a version that does not exist yet. */
export type Era = (typeof eras)[number];

export type MadeGrant = {
  kind: "organizations" | "individuals" | "paid" | "future" | "empty";
  line1?: string;
  line2?: string;
  person?: string;
  ein?: string;
  amount?: string;
  nonCash?: string;
  description?: string;
  purpose?: string;
};

export type MadeReturn = {
  era: Era;
  form: "990" | "990PF" | "990EZ" | "990T";
  ein: string;
  line1: string;
  line2?: string;
  taxYear: number;
  periodEnd: string;
  filedAt: string;
  isAmended?: boolean;
  isGroup?: boolean;
  /** The total that the return states. */
  stated?: string;
  grants: readonly MadeGrant[];
  /** XML that the main form also has. */
  filler?: string;
};

export const plainReturn: MadeReturn = {
  era: "2014",
  form: "990",
  ein: "012345678",
  line1: "THE GIVING FUND",
  taxYear: 2022,
  periodEnd: "2022-12-31",
  filedAt: "2023-05-15T10:00:00-05:00",
  grants: [{ kind: "organizations", line1: "FOOD BANK", ein: "987654321", amount: "5000", purpose: "FOOD" }],
};

const escapeXml = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const element = (name: string, value: string | undefined) =>
  value === undefined ? "" : `<${name}>${escapeXml(value)}</${name}>\n`;

const group = (name: string, ...parts: string[]) => {
  const content = parts.join("");
  return content === "" ? "" : `<${name}>\n${content}</${name}>\n`;
};

const versions: Readonly<Record<Era, string>> = {
  "2008": "2008v2.1",
  "2009": "2011v1.2",
  "2013": "2013v3.1",
  "2014": "2021v4.2",
  unknown: "2031v9.9",
};

/** The names of elements in a schema family: `pick` takes the old or the recent one. */
function namesOf(era: Era) {
  const isOld = era === "2008" || era === "2009";
  const pick = (old: string, recent: string) => (isOld ? old : recent);
  const suffix = isOld || era === "2013" ? "" : "Txt";
  const name = (tag: string, line1?: string, line2?: string) =>
    group(tag, element(`BusinessNameLine1${suffix}`, line1), element(`BusinessNameLine2${suffix}`, line2));
  return {
    pick,
    name,
    city: suffix === "" ? "City" : "CityNm",
    state: suffix === "" ? "State" : "StateAbbreviationCd",
  };
}

type Names = ReturnType<typeof namesOf>;

/** The return as XML, without anything unusual. Its preparer's EIN stands before the filer's. */
export function formatReturn(made: MadeReturn): string {
  const names = namesOf(made.era);
  const { pick, name, city, state } = names;
  const header = group(
    "ReturnHeader",
    element(pick("Timestamp", "ReturnTs"), made.filedAt),
    element(pick("TaxPeriodEndDate", "TaxPeriodEndDt"), made.periodEnd),
    group(
      pick("PreparerFirm", "PreparerFirmGrp"),
      element("EIN", "999999999"),
      name("PreparerFirmName", "WRONG NAME"),
    ),
    element(pick("ReturnType", "ReturnTypeCd"), made.form),
    group(
      "Filer",
      element("EIN", made.ein),
      name(pick("Name", "BusinessName"), made.line1, made.line2),
      group("USAddress", element(city, "TAMPA"), element(state, "FL")),
    ),
    element(pick("TaxYear", "TaxYr"), String(made.taxYear)),
  );
  return `<?xml version="1.0" encoding="utf-8"?>
<Return xmlns="http://www.irs.gov/efile" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" returnVersion="${versions[made.era]}">
${header}<ReturnData documentCnt="2">
${formatForm(made, names)}</ReturnData>
</Return>
`;
}

function formatForm(made: MadeReturn, names: Names): string {
  const { pick } = names;
  const amended = made.isAmended ? element(pick("AmendedReturn", "AmendedReturnInd"), "X") : "";
  const filler = made.filler ?? element("WebsiteAddressTxt", "WWW.EXAMPLE.ORG");
  if (made.form === "990EZ" || made.form === "990T") return group(`IRS${made.form}`, amended, filler);
  if (made.form === "990PF") {
    const total = element(
      pick("TotGrantOrContriPaidDuringYear", "TotalGrantOrContriPdDurYrAmt"),
      made.stated,
    );
    const rows = made.grants.map((grant) => formatPaid(grant, names)).join("");
    const table = group(pick("SupplementaryInformation", "SupplementaryInformationGrp"), rows, total);
    return group("IRS990PF", amended, filler, table);
  }
  const isGroup = element(
    pick("GroupReturnForAffiliates", "GroupReturnForAffiliatesInd"),
    made.isGroup ? "1" : "0",
  );
  const line1 = group(
    pick("GrantsToDomesticOrgs", "GrantsToDomesticOrgsGrp"),
    element(pick("Total", "TotalAmt"), made.stated),
  );
  const isWrapped = made.era === "2008";
  const main = group("IRS990", amended, isGroup, filler, isWrapped ? group("Form990PartIX", line1) : line1);
  if (made.grants.length === 0) return main;
  const rows = made.grants.map((grant) => formatScheduleRow(grant, names, isWrapped)).join("");
  return `${main}<IRS990ScheduleI documentId="I1">\n${rows}<Total501c3OrgCnt>1</Total501c3OrgCnt>\n</IRS990ScheduleI>\n`;
}

const address = (tag: string) => group(tag, element("AddressLine1", "1 MAIN ST"), element("City", "MIAMI"));

function formatPaid(grant: MadeGrant, { pick, name }: Names): string {
  const tag =
    grant.kind === "future"
      ? pick("GrantOrContriApprovedForFuture", "GrantOrContriApprvForFutGrp")
      : pick("GrantOrContriPaidDuringYear", "GrantOrContributionPdDurYrGrp");
  if (grant.kind === "empty") return `<${tag}></${tag}>\n`;
  return group(
    tag,
    name("RecipientBusinessName", grant.line1, grant.line2),
    element(pick("RecipientPersonName", "RecipientPersonNm"), grant.person),
    address("RecipientUSAddress"),
    element(pick("PurposeOfGrantOrContribution", "GrantOrContributionPurposeTxt"), grant.purpose),
    element(pick("Amount", "Amt"), grant.amount),
  );
}

function formatScheduleRow(grant: MadeGrant, { pick, name }: Names, isWrapped: boolean): string {
  if (grant.kind === "empty") return "<RecipientTable/>\n";
  const assistance = [
    element(pick("AmountOfCashGrant", "CashGrantAmt"), grant.amount),
    element(pick("AmountOfNonCashAssistance", "NonCashAssistanceAmt"), grant.nonCash),
    element(pick("DescriptionOfNonCashAssistance", "NonCashAssistanceDesc"), grant.description),
  ];
  if (grant.kind === "individuals")
    return group(
      pick("Form990ScheduleIPartIII", "GrantsOtherAsstToIndivInUSGrp"),
      element(pick("TypeOfGrant", "GrantTypeTxt"), grant.purpose),
      element(pick("NumberOfRecipients", "RecipientCnt"), "7"),
      ...assistance,
    );
  const row = group(
    "RecipientTable",
    name(pick("RecipientNameBusiness", "RecipientBusinessName"), grant.line1, grant.line2),
    address(pick("AddressUS", "USAddress")),
    element(pick("EINOfRecipient", "RecipientEIN"), grant.ein),
    ...assistance,
    element(pick("PurposeOfGrant", "PurposeOfGrantTxt"), grant.purpose),
  );
  return isWrapped ? group("Form990ScheduleIPartII", row) : row;
}

/** The grants that must be read from a return. */
export function expectedGrants({ grants }: MadeReturn): Grant[] {
  return grants.flatMap((grant, row): Grant[] => {
    const { kind, line1, line2, person, amount = null, purpose = null } = grant;
    const name = [line1, line2].filter(Boolean).join(" ") || null;
    const assistance = {
      nonCashAmount: grant.nonCash ?? null,
      nonCashDescription: grant.description ?? null,
    };
    const common = { row, recipientEin: null, amount, purpose };
    if (kind === "organizations")
      return [
        {
          ...common,
          type: "Schedule I",
          recipientName: name,
          recipientEin: grant.ein ?? null,
          ...assistance,
        },
      ];
    if (kind === "individuals")
      return [{ ...common, type: "Schedule I individuals", recipientName: null, ...assistance }];
    if (kind === "paid")
      return [
        {
          ...common,
          type: "990-PF",
          recipientName: name ?? person ?? null,
          nonCashAmount: null,
          nonCashDescription: null,
        },
      ];
    return [];
  });
}

/** A grant table that is no part of the return, wherever it stands. */
const decoy =
  "<IRS990ScheduleI><RecipientTable><PurposeOfGrantTxt>DECOY</PurposeOfGrantTxt><CashGrantAmt>1</CashGrantAmt></RecipientTable></IRS990ScheduleI>" +
  "<SupplementaryInformationGrp><GrantOrContributionPdDurYrGrp><Amt>1</Amt></GrantOrContributionPdDurYrGrp></SupplementaryInformationGrp>";

const afterData = (xml: string, added: string) =>
  Buffer.from(xml.replace(/<ReturnData[^>]*>/, (tag) => `${tag}${added}`));
const utf16 = (xml: string) => Buffer.from(`\uFEFF${xml.replace("utf-8", "utf-16")}`, "utf16le");
const prefixed = (xml: string, tags: RegExp) => xml.replace(tags, "<$1irs:");

/** Unusual forms of the same return. All of its characters must be in Latin-1. */
const dresses = {
  plain: (xml: string) => Buffer.from(xml),
  "byte order mark": (xml: string) => Buffer.from(`\uFEFF${xml}`),
  "CRLF line ends": (xml: string) => Buffer.from(xml.replaceAll("\n", "\r\n")),
  "no white space": (xml: string) => Buffer.from(xml.replaceAll(">\n", ">")),
  "prefix irs:": (xml: string) =>
    Buffer.from(prefixed(xml.replace("xmlns=", "xmlns:irs="), /<(\/?)(?=[A-Za-z])/g)),
  "default namespace and a prefix": (xml: string) =>
    Buffer.from(
      prefixed(
        xml.replace("xmlns:xsi", 'xmlns:irs="http://www.irs.gov/efile" xmlns:xsi'),
        /<(\/?)(?=IRS990)/g,
      ),
    ),
  "comment with a grant table": (xml: string) => afterData(xml, `<!-- ${decoy} -->`),
  "CDATA with a grant table": (xml: string) => afterData(xml, `<Note><![CDATA[${decoy}]]></Note>`),
  "text in CDATA": (xml: string) =>
    Buffer.from(
      xml.replace(/<(PurposeOf\w+|GrantOrContributionPurposeTxt)>([^<&]*)</g, "<$1><![CDATA[$2]]><"),
    ),
  "another namespace": (xml: string) => afterData(xml, `<Other xmlns="urn:other">${decoy}</Other>`),
  "DOCTYPE with entities": (xml: string) =>
    Buffer.from(
      xml.replace(
        "?>",
        '?>\n<!DOCTYPE Return [<!ENTITY grants "<IRS990ScheduleI/>"><!ENTITY a "aaaaaaaaaa">]>',
      ),
    ),
  "processing instruction": (xml: string) => afterData(xml, `<?note ${decoy} ?>`),
  "quotes and > in attributes": (xml: string) =>
    Buffer.from(
      xml.replace(
        /<(RecipientTable|IRS990ScheduleI|Filer|SupplementaryInformation\w*)(?=[\s>])/g,
        `<$1 note="a > b 'c'"`,
      ),
    ),
  "UTF-16, little-endian": utf16,
  "UTF-16, big-endian": (xml: string) => utf16(xml).swap16(),
  "ISO-8859-1": (xml: string) => Buffer.from(xml.replace("utf-8", "ISO-8859-1"), "latin1"),
  "Windows-1252 bytes declared as UTF-8": (xml: string) => Buffer.from(xml, "latin1"),
};

export type Dress = keyof typeof dresses;
export const dressNames = Object.keys(dresses) as Dress[];

export function dressReturn(xml: string, dress: Dress): Buffer {
  return dresses[dress](xml);
}
