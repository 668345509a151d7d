// Defines which elements of a return are read, in all schema versions since 2009.
/** A value of the return's header or forms, at most one of each. */
export type ReturnField =
  | "ein"
  | "nameLine1"
  | "nameLine2"
  | "city"
  | "state"
  | "zip"
  | "country"
  | "returnType"
  | "taxYear"
  | "periodBegin"
  | "periodEnd"
  | "timestamp"
  | "amended"
  | "groupReturn"
  | "paidTotal"
  | "paidExpenses"
  | "paidDisbursements"
  | "domesticTotal"
  | "individualTotal"
  | "foreignTotal"
  | "revenue"
  | "expenses"
  | "assets"
  | "grantsPaid"
  | "activity"
  | "mission";

/** A value of one grant. */
export type GrantField =
  | "businessLine1"
  | "businessLine2"
  | "person"
  | "recipientEin"
  | "amount"
  | "nonCashAmount"
  | "nonCashDescription"
  | "purpose"
  | "city"
  | "state"
  | "zip"
  | "country"
  | "status"
  | "relationship";

/**
 * The tables of grants: Schedule I Part II and Part III, Schedule F Part II, and 990-PF lines 3a and 3b. Line 3b, approved for future
 * payment, is never loaded.
 */
export type GrantKind = "organizations" | "individuals" | "foreign" | "paid" | "future";

/** The forms that returns are counted by; `other` has all without a rule here, e.g., 4720 and 8868. */
export const formNames = ["990", "990PF", "990EZ", "990T", "other"] as const;

export type FormName = (typeof formNames)[number];

/** The meaning of an element: the elements below it, and the value, table row or form that it is. */
export type ElementRule = {
  readonly below: ElementNames<ElementRule>;
  readonly returnField: ReturnField | undefined;
  readonly grantField: GrantField | undefined;
  readonly grant: GrantKind | undefined;
  readonly form: FormName | undefined;
};

/** Meanings by name, for the few names that may stand below one element. */
export class ElementNames<Meaning> {
  /** By length of the name, which leaves one to three to compare. */
  readonly #byLength: { readonly name: Uint8Array; readonly meaning: Meaning }[][] = [];

  constructor(meanings: Iterable<readonly [name: string, meaning: Meaning]>) {
    for (const [name, meaning] of meanings) {
      this.#byLength[name.length] ??= [];
      this.#byLength[name.length]?.push({ name: Buffer.from(name, "latin1"), meaning });
    }
  }

  /** The meaning of the name at `xml[start, end)`; undefined if it has none. */
  find(xml: Uint8Array, start: number, end: number): Meaning | undefined {
    const candidates = this.#byLength[end - start];
    if (candidates === undefined) return undefined;
    for (let index = 0; index < candidates.length; index += 1) {
      const candidate = candidates[index]; // not by `of`, whose iterator takes longer than the comparison
      if (candidate !== undefined && standsAt(xml, start, candidate.name)) return candidate.meaning;
    }
    return undefined;
  }
}

/** Compares from the end: names that share a length mostly begin alike. */
function standsAt(xml: Uint8Array, start: number, name: Uint8Array): boolean {
  for (let at = name.length - 1; at >= 0; at -= 1) if (xml[start + at] !== name[at]) return false;
  return true;
}

type Meaning = Partial<Omit<ElementRule, "below">>;
type Rules = Readonly<Record<string, ElementRule>>;

/** A key has all names of an element, past and present, separated by "|". */
function rule(below: Rules, { returnField, grantField, grant, form }: Meaning = {}): ElementRule {
  const names = Object.entries(below).flatMap(([keys, one]) =>
    keys.split("|").map((name) => [name, one] as const),
  );
  // All rules have the same properties, because objects of one shape are read faster.
  return { below: new ElementNames(names), returnField, grantField, grant, form };
}

const value = (returnField: ReturnField) => rule({}, { returnField });
const grantValue = (grantField: GrantField) => rule({}, { grantField });

/** An address, below the filer or below a grant. A province is no state. */
const usAddress = (field: (name: "city" | "state" | "zip") => ElementRule) =>
  rule({
    "City|CityNm": field("city"),
    "State|StateAbbreviationCd": field("state"),
    "ZIPCode|ZIPCd": field("zip"),
  });
const foreignAddress = (field: (name: "city" | "zip" | "country") => ElementRule) =>
  rule({
    "City|CityNm": field("city"),
    "PostalCode|ForeignPostalCd": field("zip"),
    "Country|CountryCd": field("country"),
  });

const filer = rule({
  EIN: value("ein"),
  "Name|BusinessName": rule({
    "BusinessNameLine1|BusinessNameLine1Txt": value("nameLine1"),
    "BusinessNameLine2|BusinessNameLine2Txt": value("nameLine2"),
  }),
  USAddress: usAddress(value),
  ForeignAddress: foreignAddress(value),
});

const header = rule({
  "Timestamp|ReturnTs": value("timestamp"),
  "ReturnType|ReturnTypeCd": value("returnType"),
  "TaxYear|TaxYr": value("taxYear"),
  "TaxPeriodBeginDate|TaxPeriodBeginDt": value("periodBegin"),
  "TaxPeriodEndDate|TaxPeriodEndDt": value("periodEnd"),
  Filer: filer,
});

const businessName = rule({
  "BusinessNameLine1|BusinessNameLine1Txt": grantValue("businessLine1"),
  "BusinessNameLine2|BusinessNameLine2Txt": grantValue("businessLine2"),
});

/** Elements of the tables of Schedule I and Schedule F. */
const assistance: Rules = {
  "AmountOfCashGrant|CashGrantAmt": grantValue("amount"),
  "AmountOfNonCashAssistance|NonCashAssistanceAmt": grantValue("nonCashAmount"),
  "DescriptionOfNonCashAssistance|DescriptionOfNonCashGrant|NonCashAssistanceDesc|DescriptionOfNonCashAsstTxt":
    grantValue("nonCashDescription"),
};

const organizations = rule(
  {
    "RecipientNameBusiness|RecipientBusinessName": businessName,
    "AddressUS|USAddress": usAddress(grantValue),
    "AddressForeign|ForeignAddress": foreignAddress(grantValue),
    "EINOfRecipient|RecipientEIN": grantValue("recipientEin"),
    "PurposeOfGrant|PurposeOfGrantTxt": grantValue("purpose"),
    ...assistance,
  },
  { grant: "organizations" },
);

const individuals = rule(
  { "TypeOfGrant|GrantTypeTxt": grantValue("purpose"), ...assistance },
  { grant: "individuals" },
);

/** It never names a recipient, only its region. */
const foreign = rule(
  {
    "Region|RegionTxt": grantValue("country"),
    "PurposeOfGrant|PurposeOfGrantTxt": grantValue("purpose"),
    ...assistance,
  },
  { grant: "foreign" },
);

const paid = rule(
  {
    RecipientBusinessName: businessName,
    "RecipientPersonName|RecipientPersonNm": grantValue("person"),
    RecipientUSAddress: usAddress(grantValue),
    RecipientForeignAddress: foreignAddress(grantValue),
    "RecipientRelationship|RecipientRelationshipTxt": grantValue("relationship"),
    "RecipientFoundationStatus|RecipientFoundationStatusTxt": grantValue("status"),
    "PurposeOfGrantOrContribution|GrantOrContributionPurposeTxt": grantValue("purpose"),
    "Amount|Amt": grantValue("amount"),
  },
  { grant: "paid" },
);

const amended = { "AmendedReturn|AmendedReturnInd": value("amended") };

const total = (field: ReturnField) => rule({ "Total|TotalAmt": value(field) });

/** Lines 1 to 3 of Part IX: grants in the US to organizations and to individuals, and all grants abroad. */
const grantExpenses: Rules = {
  "GrantsToDomesticOrgs|GrantsToDomesticOrgsGrp": total("domesticTotal"),
  "GrantsToDomesticIndividuals|GrantsToDomesticIndividualsGrp": total("individualTotal"),
  "ForeignGrants|ForeignGrantsGrp": total("foreignTotal"),
};

const endOfYear = rule({ "EOY|EOYAmt": value("assets") });

/** Part I of Form 990, in most schemas directly below the form. */
const summary: Rules = {
  "ActivityOrMissionDescription|ActivityOrMissionDesc": value("activity"),
  "TotalRevenueCurrentYear|CYTotalRevenueAmt": value("revenue"),
  "TotalExpensesCurrentYear|CYTotalExpensesAmt": value("expenses"),
  "GrantsAndSimilarAmntsCY|GrantsAndSimilarAmntsCurrYear|CYGrantsAndSimilarPaidAmt": value("grantsPaid"),
  "TotalAssetsEOY|TotalAssetsEOYAmt": value("assets"),
};

const form990: Rules = {
  ...amended,
  ...summary,
  Form990PartI: rule(summary),
  "MissionDescription|MissionDesc": value("mission"),
  Form990PartIII: rule({ MissionDescription: value("mission") }),
  ...grantExpenses,
  Form990PartIX: rule(grantExpenses),
  "TotalAssets|TotalAssetsGrp": endOfYear,
  Form990PartX: rule({ TotalAssets: endOfYear }),
  "GroupReturnForAffiliates|GroupReturnForAffiliatesInd": value("groupReturn"),
};

const form990EZ: Rules = {
  ...amended,
  "PrimaryExemptPurpose|PrimaryExemptPurposeTxt": value("mission"),
  "TotalRevenue|TotalRevenueAmt": value("revenue"),
  "TotalExpenses|TotalExpensesAmt": value("expenses"),
  "GrantsAndSimilarAmountsPaid|GrantsAndSimilarAmountsPaidAmt|GrantsAndSimilarAmntsCY": value("grantsPaid"),
  "TotalAssets|TotalAssetsGrp|Form990TotalAssetsGrp": endOfYear,
};

const form990PF: Rules = {
  ...amended,
  AnalysisOfRevenueAndExpenses: rule({
    "TotalRevenueAndExpenses|TotalRevAndExpnssAmt": value("revenue"),
    "TotalExpensesRevAndExpnss|TotalExpensesRevAndExpnssAmt": value("expenses"),
    "ContriGiftsPaidRevAndExpnss|ContriPaidRevAndExpnssAmt": value("paidExpenses"),
    "ContriGiftsPaidDsbrsChrtblPrps|ContriPaidDsbrsChrtblAmt": value("paidDisbursements"),
  }),
  "BalanceSheets|Form990PFBalanceSheets|Form990PFBalanceSheetsGrp": rule({
    "TotalAssetsEOY|TotalAssetsEOYAmt": value("assets"),
  }),
  // The earliest schemas misspell the name.
  "SupplementaryInformation|SupplementaryInformationGrp|SupplementaryInfomation": rule({
    "GrantOrContriPaidDuringYear|GrantOrContributionPdDurYrGrp": paid,
    "GrantOrContriApprovedForFuture|GrantOrContriApprvForFutGrp": rule({}, { grant: "future" }),
    "TotGrantOrContriPaidDuringYear|TotalGrantOrContriPdDurYrAmt": value("paidTotal"),
  }),
};

const scheduleI = rule({
  RecipientTable: organizations,
  Form990ScheduleIPartII: rule({ RecipientTable: organizations }),
  "Form990ScheduleIPartIII|GrantsOtherAsstToIndivInUSGrp": individuals,
});

const foreignGrants: Rules = { "GrantsToOrgsOutsideUS|GrantsToOrgOutsideUSGrp": foreign };

const scheduleF = rule({ ...foreignGrants, Form990ScheduleFPartII: rule(foreignGrants) });

/** The rule of a document, whose root is `Return`. */
export const documentRule = rule({
  Return: rule({
    ReturnHeader: header,
    ReturnData: rule({
      IRS990: rule(form990, { form: "990" }),
      IRS990PF: rule(form990PF, { form: "990PF" }),
      IRS990EZ: rule(form990EZ, { form: "990EZ" }),
      IRS990T: rule(amended, { form: "990T" }),
      IRS990ScheduleI: scheduleI,
      IRS990ScheduleF: scheduleF,
    }),
  }),
});
