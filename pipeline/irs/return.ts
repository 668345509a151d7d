// Reads one return: its header, its totals and its grants.
import { type Collected, Collector, type FiledGrant } from "./collector.ts";
import type { FormName } from "./elements.ts";
import { parseDocument } from "./parse.ts";
import { isPlaceholder } from "./placeholders.ts";
import { readSlices } from "./slices.ts";
import type { Oddity } from "./text.ts";

/** The types of grants in the warehouse. */
export type GrantType = "Schedule I" | "Schedule I individuals" | "990-PF";

/** A grant of the warehouse. Amounts are decimal numbers as text. */
export type Grant = {
  /** Position among all rows of the return's grant tables, loaded or not. */
  readonly row: number;
  readonly type: GrantType;
  readonly recipientName: string | null;
  readonly recipientEin: string | null;
  readonly amount: string | null;
  readonly nonCashAmount: string | null;
  readonly nonCashDescription: string | null;
  readonly purpose: string | null;
};

export type Return = {
  readonly ein: string;
  readonly name: string | null;
  readonly city: string | null;
  readonly state: string | null;
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
  readonly oddities: readonly Oddity[];
};

/** A file has no readable return; the message is the reason. */
export class UnreadableReturn extends Error {}

/** @throws UnreadableReturn if it is not a return, or lacks the filer or the year */
export function readReturn(xml: Buffer): Return {
  const found = new Set<Oddity>();
  const note = (oddity: Oddity) => void found.add(oddity);
  return build(collect(xml, note, found), findVersion(xml), note, found);
}

function collect(xml: Buffer, note: (oddity: Oddity) => void, found: Set<Oddity>): Collected {
  const quick = new Collector();
  if (readSlices(xml, quick, note)) return quick.collected;
  found.clear();
  const complete = new Collector();
  parseDocument(decodeDocument(xml, note), complete, note);
  return complete.collected;
}

/** The text of a document in any encoding that it declares or that its first bytes show. */
function decodeDocument(xml: Buffer, note: (oddity: Oddity) => void): string {
  const label = findEncoding(xml);
  try {
    return new TextDecoder(label, { fatal: true }).decode(xml);
  } catch {
    note("not UTF-8");
    return new TextDecoder("windows-1252").decode(xml);
  }
}

function findEncoding(xml: Buffer): string {
  if (xml[0] === 0xff && xml[1] === 0xfe) return "utf-16le";
  if (xml[0] === 0xfe && xml[1] === 0xff) return "utf-16be";
  if (xml[0] === 0x3c && xml[1] === 0) return "utf-16le";
  if (xml[0] === 0 && xml[1] === 0x3c) return "utf-16be";
  const [, , label = "utf-8"] = /encoding\s*=\s*(["'])([\w.-]+)\1/.exec(xml.toString("latin1", 0, 200)) ?? [];
  return /^utf-?16/i.test(label) ? "utf-8" : label; // the declaration is readable as ASCII, so it is not UTF-16
}

function findVersion(xml: Buffer): string | null {
  const start = xml.toString("latin1", 0, 2_000).replaceAll("\0", "");
  return /\sreturnVersion\s*=\s*["']([^"']{1,20})["']/.exec(start)?.[1] ?? null;
}

function build(
  { values, grants: filed, form: found }: Collected,
  version: string | null,
  note: (oddity: Oddity) => void,
  oddities: Set<Oddity>,
): Return {
  const ein = values.ein?.replace(/[- ]/g, "") ?? "";
  if (!/^\d{9}$/.test(ein))
    throw new UnreadableReturn(ein === "" ? "no EIN of a filer" : `EIN "${values.ein}"`);
  const form = found ?? formOfType(values.returnType);
  const periodEnd = readDate(values.periodEnd);
  const taxYear = readYear(values.taxYear) ?? readYear(values.periodBegin) ?? readYear(values.periodEnd);
  if (taxYear === undefined) throw new UnreadableReturn("no tax year");
  const filedAt = readInstant(values.timestamp);
  if (filedAt === null) note("no time of filing");
  const hasGrants = form === "990" || form === "990PF";
  const amountOf = (text: string | undefined) => readAmount(text, note);
  const grants: Grant[] = [];
  let [futureRows, emptyRows, placeholders] = [0, 0, 0];
  const [paidTotal, grantDollars] = [new Sum(), new Sum()];
  for (const [row, one] of (hasGrants ? filed : []).entries()) {
    if (one.kind === "future") futureRows += 1;
    else if (isEmpty(one)) emptyRows += 1;
    else {
      const grant = toGrant(one, grantTypes[one.kind], row, amountOf);
      grants.push(grant);
      grantDollars.add(grant.amount);
      if (one.kind !== "individuals") paidTotal.add(grant.amount, grant.nonCashAmount);
      if (isPlaceholder(grant.recipientName ?? grant.purpose)) placeholders += 1;
    }
  }
  return {
    ein,
    name: joinLines(values.nameLine1, values.nameLine2),
    city: values.city || null,
    state: values.state || null,
    form,
    type: values.returnType || null,
    version,
    taxYear,
    periodEnd,
    filedAt,
    isAmended: isChecked(values.amended),
    isGroup: isChecked(values.groupReturn),
    grants,
    futureRows,
    emptyRows,
    placeholders,
    paidTotal: paidTotal.toString(),
    grantDollars: grantDollars.toString(),
    statedTotal: readStated(form, (field) => amountOf(values[field])),
    oddities: [...oddities].sort(),
  };
}

/** The `type` of a grant, by the table that lists it. */
export const grantTypes: Readonly<Record<Exclude<FiledGrant["kind"], "future">, GrantType>> = {
  organizations: "Schedule I",
  individuals: "Schedule I individuals",
  paid: "990-PF",
};

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
  };
}

/** True for a row that names nothing and has no amount, or only zeros. */
function isEmpty(filed: FiledGrant): boolean {
  if (filed.businessLine1 || filed.purpose) return false; // nearly all
  const { kind, amount, nonCashAmount, ...texts } = filed;
  const isNothing = (text: string | undefined) => text === undefined || /^[-+]?0*(\.0*)?$/.test(text);
  return isNothing(amount) && isNothing(nonCashAmount) && Object.values(texts).every((text) => !text);
}

function joinLines(first: string | undefined, second: string | undefined): string | null {
  return first && second ? `${first} ${second}` : first || second || null;
}

/** The form by its declared type, for a return that has only its header and schedules. */
function formOfType(type: string | undefined): FormName {
  if (type === undefined) return "990";
  if (/PF|PR/i.test(type)) return "990PF"; // the index of 2020 has "990PR"
  if (/EZ/i.test(type)) return "990EZ";
  return /^(990)?T/i.test(type) ? "990T" : "990";
}

/** A decimal number as text: at most 16 digits and two decimals, as in the warehouse's type. */
function readAmount(text: string | undefined, note: (oddity: Oddity) => void): string | null {
  if (text === undefined || text === "") return null;
  const plain = text.startsWith("+") ? text.slice(1) : text;
  if (/^-?\d{1,16}(\.\d{1,2})?$/.test(plain)) return plain;
  note("unreadable amount");
  return null;
}

/** Digits of amounts whose sum as a number is exact, however many rows a return has. */
const shortAmount = 10;

/** An exact sum of amounts. */
class Sum {
  #dollars = 0;
  #cents = 0n;

  add(...amounts: readonly (string | null)[]): void {
    for (const amount of amounts) {
      if (amount === null) continue;
      if (amount.length <= shortAmount && !amount.includes(".")) this.#dollars += Number(amount);
      else this.#cents += toCents(amount);
    }
  }

  /** e.g., "-1234.50". */
  toString(): string {
    const cents = this.#cents + BigInt(this.#dollars) * 100n;
    const digits = String(cents < 0n ? -cents : cents).padStart(3, "0");
    return `${cents < 0n ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
  }
}

function toCents(amount: string): bigint {
  const [whole = "", decimals = ""] = amount.split(".");
  return BigInt(`${whole}${decimals.padEnd(2, "0")}`);
}

type TotalField = "paidTotal" | "paidDisbursements" | "paidExpenses" | "domesticTotal";

function readStated(form: FormName, amountOf: (field: TotalField) => string | null): string | null {
  if (form === "990") return amountOf("domesticTotal");
  if (form !== "990PF") return null;
  return amountOf("paidTotal") ?? amountOf("paidDisbursements") ?? amountOf("paidExpenses");
}

function isChecked(text: string | undefined): boolean {
  return text !== undefined && /^(x|1|true|yes)$/i.test(text);
}

function readYear(text: string | undefined): number | undefined {
  const [year] = /^\d{4}(?=$|-)/.exec(text ?? "") ?? [];
  return year === undefined ? undefined : Number(year);
}

function readDate(text: string | undefined): string | null {
  const [date] = /^\d{4}-\d\d-\d\d/.exec(text ?? "") ?? [];
  return date !== undefined && !Number.isNaN(Date.parse(date)) ? date : null;
}

/** A time with its zone, or in UTC if it names none. */
function readInstant(text: string | undefined): string | null {
  const [, day, time, zone = "Z"] =
    /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d(?:\.\d+)?)(Z|[-+]\d\d:\d\d)?$/.exec(text ?? "") ?? [];
  const instant = new Date(`${day}T${time}${zone}`);
  return Number.isNaN(instant.getTime()) ? null : instant.toISOString().replace(".000Z", "Z");
}
