// Writes returns of every schema family with known grants, and the expected rows.
import type { Grant } from "../../../pipeline/irs/return.ts";

export const eras = ["2008", "2009", "2013", "2014", "unknown"] as const;

/** The schema families: names of elements changed between them. `unknown` is a version that does not exist yet. */
export type Era = (typeof eras)[number];

/** An address: in the US if it has a state, and abroad if it has a country. */
export type MadePlace = { city?: string; state?: string; zip?: string; country?: string };

export type MadeGrant = {
  kind: "organizations" | "individuals" | "foreign" | "paid" | "future" | "empty";
  line1?: string;
  line2?: string;
  person?: string;
  ein?: string;
  amount?: string;
  nonCash?: string;
  description?: string;
  purpose?: string;
  /** MIAMI, FL 33101 if it is absent. */
  place?: MadePlace;
  /** Of Schedule F. */
  region?: string;
  /** Of Form 990-PF. */
  status?: string;
  relationship?: string;
};

export type MadeApplication = {
  person?: string;
  phone?: string;
  email?: string;
  form?: string;
  deadlines?: string;
  restrictions?: string;
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
  /** Lines 2 and 3 in Part IX of Form 990. */
  statedIndividuals?: string;
  statedForeign?: string;
  revenue?: string;
  expenses?: string;
  assets?: string;
  grantsPaid?: string;
  mission?: string;
  /** The checkbox of Form 990-PF: it gives only to organizations that it selects. */
  isPreselected?: boolean;
  /** What Form 990-PF says about applications, for each kind of grant, and whom to write to. */
  applications?: readonly MadeApplication[];
  /** The number of donor-advised funds on Schedule D. */
  advisedFunds?: string;
  /** The filer's address: TAMPA, FL 33601 if it is absent. */
  filerPlace?: MadePlace;
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
    /** An address with the names of the US or abroad, e.g., "Recipient" before "USAddress". */
    address: (tag: { us: string; abroad: string }, { city, state, zip, country }: MadePlace) => {
      const recent = suffix !== "";
      const line = element(recent ? "AddressLine1Txt" : "AddressLine1", "1 MAIN ST");
      const cityLine = element(recent ? "CityNm" : "City", city);
      if (country !== undefined)
        return group(
          tag.abroad,
          line,
          cityLine,
          element(recent ? "ProvinceOrStateNm" : "ProvinceOrState", "ON"),
          element(recent ? "CountryCd" : "Country", country),
          element(recent ? "ForeignPostalCd" : "PostalCode", zip),
        );
      const stateLine = element(recent ? "StateAbbreviationCd" : "State", state);
      return group(tag.us, line, cityLine, stateLine, element(recent ? "ZIPCd" : "ZIPCode", zip));
    },
  };
}

type Names = ReturnType<typeof namesOf>;

const tampa: MadePlace = { city: "TAMPA", state: "FL", zip: "33601" };
const miami: MadePlace = { city: "MIAMI", state: "FL", zip: "33101" };

/** The return as XML, without anything unusual. Its preparer's EIN stands before the filer's. */
export function formatReturn(made: MadeReturn): string {
  const names = namesOf(made.era);
  const { pick, name, address } = names;
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
      address({ us: "USAddress", abroad: "ForeignAddress" }, made.filerPlace ?? tampa),
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
  const amended = made.isAmended ? element(names.pick("AmendedReturn", "AmendedReturnInd"), "X") : "";
  const filler = `${amended}${made.filler ?? element("WebsiteAddressTxt", "WWW.EXAMPLE.ORG")}`;
  if (made.form === "990T") return group("IRS990T", filler);
  if (made.form === "990EZ") return group("IRS990EZ", filler, ...formatShortFinances(made, names));
  return made.form === "990PF" ? formatPrivate(made, names, filler) : formatPublic(made, names, filler);
}

function formatShortFinances(made: MadeReturn, { pick }: Names): string[] {
  return [
    element(pick("TotalRevenue", "TotalRevenueAmt"), made.revenue),
    element(pick("GrantsAndSimilarAmountsPaid", "GrantsAndSimilarAmountsPaidAmt"), made.grantsPaid),
    element(pick("TotalExpenses", "TotalExpensesAmt"), made.expenses),
    group(pick("TotalAssets", "Form990TotalAssetsGrp"), element(pick("EOY", "EOYAmt"), made.assets)),
    element(pick("PrimaryExemptPurpose", "PrimaryExemptPurposeTxt"), made.mission),
  ];
}

function formatPrivate(made: MadeReturn, names: Names, filler: string): string {
  const { pick } = names;
  const finances = group(
    "AnalysisOfRevenueAndExpenses",
    element(pick("TotalRevenueAndExpenses", "TotalRevAndExpnssAmt"), made.revenue),
    element(pick("ContriGiftsPaidRevAndExpnss", "ContriPaidRevAndExpnssAmt"), made.grantsPaid),
    element(pick("TotalExpensesRevAndExpnss", "TotalExpensesRevAndExpnssAmt"), made.expenses),
  );
  const assets = group(
    pick("Form990PFBalanceSheets", "Form990PFBalanceSheetsGrp"),
    element(pick("TotalAssetsEOY", "TotalAssetsEOYAmt"), made.assets),
    element(pick("TotalAssetsEOYFMV", "TotalAssetsEOYFMVAmt"), "1"),
  );
  const total = element(pick("TotGrantOrContriPaidDuringYear", "TotalGrantOrContriPdDurYrAmt"), made.stated);
  const rows = made.grants.map((grant) => formatPaid(grant, names)).join("");
  const table = group(
    pick("SupplementaryInformation", "SupplementaryInformationGrp"),
    element(
      pick("OnlyContributesToPreselected", "OnlyContriToPreselectedInd"),
      made.isPreselected ? "X" : undefined,
    ),
    ...(made.applications ?? []).map((one) => formatApplication(one, names)),
    rows,
    total,
  );
  return group("IRS990PF", filler, finances, assets, table);
}

function formatApplication(made: MadeApplication, { pick, address }: Names): string {
  const contact = [
    element(pick("RecipientPersonName", "RecipientPersonNm"), made.person),
    made.person === undefined ? "" : address({ us: "RecipientUSAddress", abroad: "" }, miami),
    element(pick("RecipientPhoneNumber", "RecipientPhoneNum"), made.phone),
    element(pick("RecipientEmailAddress", "RecipientEmailAddressTxt"), made.email),
  ];
  return group(
    pick("AppicationSubmissionInfo", "ApplicationSubmissionInfoGrp"),
    ...contact,
    element(pick("FormAndInfoAndMaterials", "FormAndInfoAndMaterialsTxt"), made.form),
    element(pick("SubmissionDeadlines", "SubmissionDeadlinesTxt"), made.deadlines),
    element(pick("RestrictionsOnAwards", "RestrictionsOnAwardsTxt"), made.restrictions),
  );
}

function formatPublic(made: MadeReturn, names: Names, filler: string): string {
  const { pick } = names;
  const isWrapped = made.era === "2008";
  const wrap = (tag: string, ...parts: string[]) => (isWrapped ? group(tag, ...parts) : parts.join(""));
  const line = (old: string, recent: string, stated: string | undefined) =>
    group(pick(old, recent), element(pick("Total", "TotalAmt"), stated));
  const main = group(
    "IRS990",
    filler,
    element(pick("GroupReturnForAffiliates", "GroupReturnForAffiliatesInd"), made.isGroup ? "1" : "0"),
    wrap(
      "Form990PartI",
      element(pick("ActivityOrMissionDescription", "ActivityOrMissionDesc"), made.mission),
      element(pick("TotalRevenuePriorYear", "PYTotalRevenueAmt"), "1"),
      element(pick("TotalRevenueCurrentYear", "CYTotalRevenueAmt"), made.revenue),
      element(
        isWrapped
          ? "GrantsAndSimilarAmntsCurrYear"
          : pick("GrantsAndSimilarAmntsCY", "CYGrantsAndSimilarPaidAmt"),
        made.grantsPaid,
      ),
      element(pick("TotalExpensesCurrentYear", "CYTotalExpensesAmt"), made.expenses),
      element(pick("TotalAssetsEOY", "TotalAssetsEOYAmt"), made.assets),
    ),
    wrap(
      "Form990PartIX",
      line("GrantsToDomesticOrgs", "GrantsToDomesticOrgsGrp", made.stated),
      line("GrantsToDomesticIndividuals", "GrantsToDomesticIndividualsGrp", made.statedIndividuals),
      line("ForeignGrants", "ForeignGrantsGrp", made.statedForeign),
    ),
  );
  const funds = element(pick("NumberDAFsHeld", "DonorAdvisedFundsHeldCnt"), made.advisedFunds);
  const scheduleD = group("IRS990ScheduleD", funds === "" ? "" : wrap("Form990ScheduleDPartI", funds));
  const [foreign, domestic] = [true, false].map((isForeign) =>
    made.grants.filter(({ kind }) => (kind === "foreign") === isForeign),
  ) as [MadeGrant[], MadeGrant[]];
  const scheduleF = foreign
    .map((grant) => wrap("Form990ScheduleFPartII", formatForeign(grant, names)))
    .join("");
  const rows = domestic.map((grant) => formatScheduleRow(grant, names, isWrapped)).join("");
  return `${main}${scheduleD}${group("IRS990ScheduleF", scheduleF)}${rows && `<IRS990ScheduleI documentId="I1">\n${rows}<Total501c3OrgCnt>1</Total501c3OrgCnt>\n</IRS990ScheduleI>\n`}`;
}

function formatPaid(grant: MadeGrant, { pick, name, address }: Names): string {
  const tag =
    grant.kind === "future"
      ? pick("GrantOrContriApprovedForFuture", "GrantOrContriApprvForFutGrp")
      : pick("GrantOrContriPaidDuringYear", "GrantOrContributionPdDurYrGrp");
  if (grant.kind === "empty") return `<${tag}></${tag}>\n`;
  return group(
    tag,
    name("RecipientBusinessName", grant.line1, grant.line2),
    element(pick("RecipientPersonName", "RecipientPersonNm"), grant.person),
    address({ us: "RecipientUSAddress", abroad: "RecipientForeignAddress" }, grant.place ?? miami),
    element(pick("RecipientRelationship", "RecipientRelationshipTxt"), grant.relationship),
    element(pick("RecipientFoundationStatus", "RecipientFoundationStatusTxt"), grant.status),
    element(pick("PurposeOfGrantOrContribution", "GrantOrContributionPurposeTxt"), grant.purpose),
    element(pick("Amount", "Amt"), grant.amount),
  );
}

function formatForeign(grant: MadeGrant, { pick }: Names): string {
  return group(
    pick("GrantsToOrgsOutsideUS", "GrantsToOrgOutsideUSGrp"),
    element(pick("Region", "RegionTxt"), grant.region),
    element(pick("PurposeOfGrant", "PurposeOfGrantTxt"), grant.purpose),
    element(pick("AmountOfCashGrant", "CashGrantAmt"), grant.amount),
    element(pick("MannerOfCashDisbursement", "MannerOfCashDisbursementTxt"), "WIRE"),
    element(pick("AmountOfNonCashAssistance", "NonCashAssistanceAmt"), grant.nonCash),
    element(pick("DescriptionOfNonCashAssistance", "DescriptionOfNonCashAsstTxt"), grant.description),
  );
}

function formatScheduleRow(grant: MadeGrant, { pick, name, address }: Names, isWrapped: boolean): string {
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
    address(
      { us: pick("AddressUS", "USAddress"), abroad: pick("AddressForeign", "ForeignAddress") },
      grant.place ?? miami,
    ),
    element(pick("EINOfRecipient", "RecipientEIN"), grant.ein),
    ...assistance,
    element(pick("PurposeOfGrant", "PurposeOfGrantTxt"), grant.purpose),
  );
  return isWrapped ? group("Form990ScheduleIPartII", row) : row;
}

const types = {
  organizations: "Schedule I",
  individuals: "Schedule I individuals",
  foreign: "Schedule F",
  paid: "990-PF",
} as const;

/** The grants that must be read from a return: those of Schedule F last, although it stands before Schedule I. */
export function expectedGrants({ grants }: MadeReturn): Grant[] {
  const rows = grants.toSorted((a, b) => Number(a.kind === "foreign") - Number(b.kind === "foreign"));
  return rows.flatMap((grant, row) =>
    grant.kind === "future" || grant.kind === "empty" ? [] : [expectGrant(grant, grant.kind, row)],
  );
}

function expectGrant(grant: MadeGrant, kind: keyof typeof types, row: number): Grant {
  const isPrivate = kind === "paid";
  const region: MadePlace = grant.region === undefined ? {} : { country: grant.region };
  const place = isPrivate || kind === "organizations" ? (grant.place ?? miami) : region;
  return {
    row,
    type: types[kind],
    recipientName: [grant.line1, grant.line2].filter(Boolean).join(" ") || (grant.person ?? null),
    recipientEin: grant.ein ?? null,
    amount: grant.amount ?? null,
    nonCashAmount: isPrivate ? null : (grant.nonCash ?? null),
    nonCashDescription: isPrivate ? null : (grant.description ?? null),
    purpose: grant.purpose ?? null,
    recipientCity: place.city ?? null,
    recipientState: place.country === undefined ? (place.state ?? null) : null,
    recipientZip: place.zip ?? null,
    recipientCountry: place.country ?? null,
    recipientStatus: isPrivate ? (grant.status ?? null) : null,
    recipientRelationship: isPrivate ? (grant.relationship ?? null) : null,
  };
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
