// Defines which elements of a return are read, in all schema versions since 2009.
import { ElementNames } from "./elementNames.ts";

/** A value of the return's header or forms, at most one of each. */
export type ReturnField =
  | "ein"
  | "nameLine1"
  | "nameLine2"
  | "city"
  | "state"
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
  | "domesticTotal";

/** A value of one grant. */
export type GrantField =
  | "businessLine1"
  | "businessLine2"
  | "person"
  | "recipientEin"
  | "amount"
  | "nonCashAmount"
  | "nonCashDescription"
  | "purpose";

/** The tables of grants. `future` is 990-PF line 3b, approved for future payment, which is never loaded. */
export type GrantKind = "organizations" | "individuals" | "paid" | "future";

/** The forms that the header of a return can belong to. */
export type FormName = "990" | "990PF" | "990EZ" | "990T";

/** The meaning of an element: the elements below it, and the value, table row or form that it is. */
export type ElementRule = {
  readonly below: ElementNames<ElementRule>;
  readonly returnField: ReturnField | undefined;
  readonly grantField: GrantField | undefined;
  readonly grant: GrantKind | undefined;
  readonly form: FormName | undefined;
};

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

const filer = rule({
  EIN: value("ein"),
  "Name|BusinessName": rule({
    "BusinessNameLine1|BusinessNameLine1Txt": value("nameLine1"),
    "BusinessNameLine2|BusinessNameLine2Txt": value("nameLine2"),
  }),
  USAddress: rule({ "City|CityNm": value("city"), "State|StateAbbreviationCd": value("state") }),
  ForeignAddress: rule({ "City|CityNm": value("city") }),
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

/** Elements of both Part II and Part III of Schedule I. */
const assistance: Rules = {
  "AmountOfCashGrant|CashGrantAmt": grantValue("amount"),
  "AmountOfNonCashAssistance|NonCashAssistanceAmt": grantValue("nonCashAmount"),
  "DescriptionOfNonCashAssistance|DescriptionOfNonCashGrant|NonCashAssistanceDesc":
    grantValue("nonCashDescription"),
};

const organizations = rule(
  {
    "RecipientNameBusiness|RecipientBusinessName": businessName,
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

const paid = rule(
  {
    RecipientBusinessName: businessName,
    "RecipientPersonName|RecipientPersonNm": grantValue("person"),
    "PurposeOfGrantOrContribution|GrantOrContributionPurposeTxt": grantValue("purpose"),
    "Amount|Amt": grantValue("amount"),
  },
  { grant: "paid" },
);

const amended = { "AmendedReturn|AmendedReturnInd": value("amended") };

const domesticGrants = {
  "GrantsToDomesticOrgs|GrantsToDomesticOrgsGrp": rule({ "Total|TotalAmt": value("domesticTotal") }),
};

const form990: Rules = {
  ...amended,
  ...domesticGrants,
  Form990PartIX: rule(domesticGrants),
  "GroupReturnForAffiliates|GroupReturnForAffiliatesInd": value("groupReturn"),
};

const form990PF: Rules = {
  ...amended,
  AnalysisOfRevenueAndExpenses: rule({
    "ContriGiftsPaidRevAndExpnss|ContriPaidRevAndExpnssAmt": value("paidExpenses"),
    "ContriGiftsPaidDsbrsChrtblPrps|ContriPaidDsbrsChrtblAmt": value("paidDisbursements"),
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

/** The rule of a document, whose root is `Return`. */
export const documentRule = rule({
  Return: rule({
    ReturnHeader: header,
    ReturnData: rule({
      IRS990: rule(form990, { form: "990" }),
      IRS990PF: rule(form990PF, { form: "990PF" }),
      IRS990EZ: rule(amended, { form: "990EZ" }),
      IRS990T: rule(amended, { form: "990T" }),
      IRS990ScheduleI: scheduleI,
    }),
  }),
});

/** The rule at a path. @throws Error if there is none */
export function ruleAt(...path: readonly string[]): ElementRule {
  return path.reduce((above, name) => {
    const found = above.below.find(Buffer.from(name), 0, name.length);
    if (found === undefined) throw new Error(`no rule for ${path.join("/")}`);
    return found;
  }, documentRule);
}
