// Defines which elements of a return are read, in all schema versions since 2009.
import { type ElementRule, type GrantField, type ReturnField, type Rules, rule } from "./elementRule.ts";

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

/** Where to apply: a name, an address, a telephone number and an e-mail address stand here too, which are never read. */
const applications = rule(
  {
    "FormAndInfoAndMaterials|FormAndInfoAndMaterialsTxt": value("applicationForm"),
    "SubmissionDeadlines|SubmissionDeadlinesTxt": value("deadlines"),
    "RestrictionsOnAwards|RestrictionsOnAwardsTxt": value("restrictions"),
  },
  { filledField: "applications" },
);

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
  // The earliest schemas misspell this name, and those before 2013 that of the applications.
  "SupplementaryInformation|SupplementaryInformationGrp|SupplementaryInfomation": rule({
    "GrantOrContriPaidDuringYear|GrantOrContributionPdDurYrGrp": paid,
    "GrantOrContriApprovedForFuture|GrantOrContriApprvForFutGrp": rule({}, { grant: "future" }),
    "TotGrantOrContriPaidDuringYear|TotalGrantOrContriPdDurYrAmt": value("paidTotal"),
    "OnlyContributesToPreselected|OnlyContriToPreselectedInd": value("preselected"),
    "AppicationSubmissionInfo|ApplicationSubmissionInfoGrp": applications,
  }),
};

const scheduleI = rule({
  RecipientTable: organizations,
  Form990ScheduleIPartII: rule({ RecipientTable: organizations }),
  "Form990ScheduleIPartIII|GrantsOtherAsstToIndivInUSGrp": individuals,
});

const foreignGrants: Rules = { "GrantsToOrgsOutsideUS|GrantsToOrgOutsideUSGrp": foreign };

const scheduleF = rule({ ...foreignGrants, Form990ScheduleFPartII: rule(foreignGrants) });

/** The number of donor-advised funds at the end of the year. */
const advisedFunds: Rules = { "NumberDAFsHeld|DonorAdvisedFundsHeldCnt": value("advisedFunds") };

const scheduleD = rule({ ...advisedFunds, Form990ScheduleDPartI: rule(advisedFunds) });

/** The rule of a document, whose root is `Return`. */
export const documentRule = rule({
  Return: rule({
    ReturnHeader: header,
    ReturnData: rule({
      IRS990: rule(form990, { form: "990" }),
      IRS990PF: rule(form990PF, { form: "990PF" }),
      IRS990EZ: rule(form990EZ, { form: "990EZ" }),
      IRS990T: rule(amended, { form: "990T" }),
      IRS990ScheduleD: scheduleD,
      IRS990ScheduleI: scheduleI,
      IRS990ScheduleF: scheduleF,
    }),
  }),
});
