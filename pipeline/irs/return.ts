// Reads one return: its header, its totals and its grants.
import { individualsType, isPlaceholder } from "../../api-static/contract/text/placeholders.ts";
import { type Applications, readApplications } from "./applications.ts";
import type { Collected, FiledGrant } from "./collector.ts";
import { collectDocument, describeOther, findVersion, startBytes } from "./document.ts";
import type { FormName, ReturnField } from "./elementRule.ts";
import type { Oddity } from "./text.ts";
import { isChecked, readAmount, readDate, readInstant, readYear, Sum } from "./values.ts";
import { UnreadableReturn } from "./walk.ts";

/** The types of grants in the warehouse. */
export type GrantType = "Schedule I" | typeof individualsType | "Schedule F" | "990-PF";

/** A grant of the warehouse. Amounts are decimal numbers as text. */
export type Grant = {
  /**
   * Position among all rows of the return's grant tables, loaded or not. The rows of Schedule F come last, wherever they stand: the
   * others keep the positions that they had before Schedule F was read.
   */
  readonly row: number;
  readonly type: GrantType;
  readonly recipientName: string | null;
  readonly recipientEin: string | null;
  readonly amount: string | null;
  readonly nonCashAmount: string | null;
  readonly nonCashDescription: string | null;
  readonly purpose: string | null;
  readonly recipientCity: string | null;
  /** Two letters of a state of the US. */
  readonly recipientState: string | null;
  /** ZIP, or the postal code of another country. */
  readonly recipientZip: string | null;
  /** As filed: the code of a country, or for Schedule F the name of a region; null in the US. */
  readonly recipientCountry: string | null;
  /** The recipient's foundation status and relationship, on Form 990-PF. */
  readonly recipientStatus: string | null;
  readonly recipientRelationship: string | null;
};

/** The finances of a return's organization, and what it says about applications. Amounts are decimal numbers as text. */
export type Finances = Applications & {
  readonly revenue: string | null;
  readonly expenses: string | null;
  /** At the end of the year. */
  readonly assets: string | null;
  readonly grantsPaid: string | null;
  readonly mission: string | null;
  /** True if it holds donor-advised funds at the end of the year; null on other forms than 990. */
  readonly donorAdvised: boolean | null;
};

export type Return = {
  readonly ein: string;
  readonly name: string | null;
  readonly city: string | null;
  readonly state: string | null;
  readonly zip: string | null;
  /** The code as filed; null in the US. */
  readonly country: string | null;
  /** The form by its content; its type as filed if that is not known. */
  readonly form: FormName;
  readonly type: string | null;
  readonly version: string | null;
  readonly taxYear: number;
  /** e.g., "2023-12-31"; null if the return has none. */
  readonly periodEnd: string | null;
  /** When it was filed, in UTC, e.g., "2024-05-13T15:04:05Z"; null if the return has none. */
  readonly filedAt: string | null;
  readonly isAmended: boolean;
  readonly isGroup: boolean;
  readonly grants: readonly Grant[];
  /** Of the grants, those to individuals, and those of Schedule F. */
  readonly individualGrants: number;
  readonly foreignGrants: number;
  /** Rows that were not loaded: approved for future payment, and empty ones. */
  readonly futureRows: number;
  readonly emptyRows: number;
  readonly placeholders: number;
  /**
   * Sum of the grants that `statedTotal` covers. Line 1 in Part IX covers cash and non-cash grants to organizations, but no
   * grants to individuals.
   */
  readonly paidTotal: string;
  /** Sum of the amounts of all grants. */
  readonly grantDollars: string;
  /** Line 3a or line 25 of Form 990-PF, or line 1 in Part IX of Form 990. */
  readonly statedTotal: string | null;
  /** Lines 2 and 3 in Part IX of Form 990: grants to individuals in the US, and all grants abroad. */
  readonly statedIndividuals: string | null;
  readonly statedForeign: string | null;
  readonly finances: Finances;
  readonly oddities: readonly Oddity[];
};

/**
 * @throws UnreadableReturn if it is not a return, lacks the filer or the year, or exceeds a limit
 * @throws IdRangeError if it has more rows of grants than ids
 */
export function readReturn(xml: Buffer): Return {
  const found = new Set<Oddity>();
  const note = (oddity: Oddity) => void found.add(oddity);
  const collected = collectDocument(xml, found);
  const other = collected.values.ein ? undefined : describeOther(xml.toString("latin1", 0, startBytes));
  if (other !== undefined) throw new UnreadableReturn(`no EIN of a filer: it is ${other}`);
  return build(collected, findVersion(xml), note, found);
}

function build(
  { values, grants: filed, form: found }: Collected,
  version: string | null,
  note: (oddity: Oddity) => void,
  oddities: Set<Oddity>,
): Return {
  const ein = values.ein?.replace(/[-\s]/g, "") ?? "";
  if (!/^\d{9}$/.test(ein))
    throw new UnreadableReturn(ein === "" ? "no EIN of a filer" : `EIN "${values.ein?.slice(0, 20)}"`);
  const form = found ?? formOfType(values.returnType, filed.length > 0);
  const periodEnd = readDate(values.periodEnd, note);
  const taxYear = readYear(values.taxYear) ?? readYear(values.periodBegin) ?? readYear(values.periodEnd);
  if (taxYear === undefined) throw new UnreadableReturn("no tax year");
  const filedAt = readInstant(values.timestamp, note);
  if (filedAt === null) note("no time of filing");
  const hasGrants = form === "990" || form === "990PF";
  const amountOf = (text: string | undefined) => readAmount(text, note);
  const grants: Grant[] = [];
  let [individualGrants, foreignGrants, futureRows, emptyRows, placeholders] = [0, 0, 0, 0, 0];
  const [paidTotal, grantDollars] = [new Sum(), new Sum()];
  const covered = form === "990" ? "organizations" : "paid"; // by the total that the return states
  for (const [row, one] of (hasGrants ? foreignLast(filed) : []).entries()) {
    if (one.kind === "future") futureRows += 1;
    else if (isEmpty(one)) emptyRows += 1;
    else {
      const grant = toGrant(one, grantTypes[one.kind], row, amountOf);
      grants.push(grant);
      grantDollars.add(grant.amount);
      if (one.kind === covered) paidTotal.add(grant.amount, grant.nonCashAmount);
      if (one.kind === "individuals") individualGrants += 1;
      if (one.kind === "foreign") foreignGrants += 1;
      if (isPlaceholder(grant.recipientName ?? grant.purpose ?? "")) placeholders += 1;
    }
  }
  return {
    ein,
    name: joinLines(values.nameLine1, values.nameLine2),
    city: values.city || null,
    state: readState(values.state),
    zip: values.zip || null,
    country: values.country || null,
    form,
    type: values.returnType || null,
    version,
    taxYear,
    periodEnd,
    filedAt,
    isAmended: isChecked(values.amended),
    isGroup: isChecked(values.groupReturn),
    grants,
    individualGrants,
    foreignGrants,
    futureRows,
    emptyRows,
    placeholders,
    paidTotal: paidTotal.toString(),
    grantDollars: grantDollars.toString(),
    statedTotal: readStated(form, (field) => amountOf(values[field])),
    statedIndividuals: amountOf(values.individualTotal),
    statedForeign: amountOf(values.foreignTotal),
    finances: {
      revenue: amountOf(values.revenue),
      expenses: amountOf(values.expenses),
      assets: amountOf(values.assets),
      grantsPaid: amountOf(form === "990PF" ? values.paidExpenses : values.grantsPaid),
      mission: values.activity || values.mission || null,
      donorAdvised: form === "990" ? Number(values.advisedFunds) > 0 : null,
      ...readApplications(values),
    },
    oddities: [...oddities].sort(),
  };
}

/** The `type` of a grant, by the table that lists it. */
export const grantTypes: Readonly<Record<Exclude<FiledGrant["kind"], "future">, GrantType>> = {
  organizations: "Schedule I",
  individuals: individualsType,
  foreign: "Schedule F",
  paid: "990-PF",
};

/** The rows of all other tables, then those of Schedule F. */
function foreignLast(filed: readonly FiledGrant[]): readonly FiledGrant[] {
  const isForeign = ({ kind }: FiledGrant) => kind === "foreign";
  return filed.some(isForeign)
    ? [...filed.filter((row) => !isForeign(row)), ...filed.filter(isForeign)]
    : filed;
}

function toGrant(
  filed: FiledGrant,
  type: GrantType,
  row: number,
  amountOf: (text: string | undefined) => string | null,
): Grant {
  return {
    row,
    type,
    recipientName: joinLines(filed.businessLine1, filed.businessLine2) ?? (filed.person || null),
    recipientEin: filed.recipientEin || null,
    amount: amountOf(filed.amount),
    nonCashAmount: amountOf(filed.nonCashAmount),
    nonCashDescription: filed.nonCashDescription || null,
    purpose: filed.purpose || null,
    recipientCity: filed.city || null,
    recipientState: readState(filed.state),
    recipientZip: filed.zip || null,
    recipientCountry: filed.country || null,
    recipientStatus: filed.status || null,
    recipientRelationship: filed.relationship || null,
  };
}

/** Two letters in upper case; null for anything else. */
function readState(text: string | undefined): string | null {
  return text !== undefined && /^[A-Za-z]{2}$/.test(text) ? text.toUpperCase() : null;
}

/** True for a row that names nothing and has no amount, or only zeros. An address, status or region alone names nothing. */
function isEmpty(filed: FiledGrant): boolean {
  const { businessLine1, businessLine2, person, recipientEin, nonCashDescription, purpose } = filed;
  if (businessLine1 || purpose) return false; // nearly all
  const isNothing = (text: string | undefined) => text === undefined || /^[-+]?0*(\.0*)?$/.test(text);
  const isNamed = businessLine2 || person || recipientEin || nonCashDescription;
  return !isNamed && isNothing(filed.amount) && isNothing(filed.nonCashAmount);
}

function joinLines(first: string | undefined, second: string | undefined): string | null {
  return first && second ? `${first} ${second}` : first || second || null;
}

/** Forms by the end of a declared type, e.g., "990PF"; the index of 2020 has "990PR". */
const formsBySuffix: Readonly<Record<string, FormName>> = {
  "": "990",
  O: "990",
  A: "990",
  T: "990T",
  EZ: "990EZ",
  EO: "990EZ",
  EA: "990EZ",
  PF: "990PF",
  PR: "990PF",
  PA: "990PF",
};

/** The form by its declared type, for a return that has only its header and schedules. Without a type, grants are of a 990. */
function formOfType(type: string | undefined, hasGrants: boolean): FormName {
  if (type === undefined) return hasGrants ? "990" : "other";
  const [, suffix = "?"] = /^(?:form\s*)?990[-\s]*([a-z]*)$/i.exec(type) ?? [];
  return formsBySuffix[suffix.toUpperCase()] ?? "other";
}

function readStated(form: FormName, amountOf: (field: ReturnField) => string | null): string | null {
  if (form === "990") return amountOf("domesticTotal");
  if (form !== "990PF") return null;
  return amountOf("paidTotal") ?? amountOf("paidDisbursements") ?? amountOf("paidExpenses");
}
