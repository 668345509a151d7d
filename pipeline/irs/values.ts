// Reads the values of a return: amounts, dates, times, and sums of amounts.
import { amountPattern } from "../base/amounts.ts";
import type { Oddity } from "./text.ts";

/** Nearly all amounts. */
const plainAmount = /^-?\d{1,16}(\.\d{1,2})?$/;

/** Digits before the point that DECIMAL(18,2) holds. */
const maxDigits = 16;

const anyAmount = new RegExp(`^${amountPattern}$`);

/** A decimal number as text: at most 16 digits and two decimals, rounded as a warehouse rounds the same text. */
export function readAmount(text: string | undefined, note: (oddity: Oddity) => void): string | null {
  if (text === undefined || text === "") return null;
  if (plainAmount.test(text)) return text;
  const amount = anyAmount.test(text) ? roundToCents(text) : undefined;
  if (amount === undefined) note("unreadable amount");
  return amount ?? null;
}

/** e.g., "+500." → "500.00", "1.5E3" → "1500.00"; undefined beyond 16 digits. */
function roundToCents(text: string): string | undefined {
  const [whole = "", decimals = ""] = text.replace(/^[-+]/, "").split(".");
  const cents = /e/i.test(text)
    ? BigInt(Math.round(Math.abs(Number(text)) * 100))
    : toCents(`${whole}.${decimals.slice(0, 2)}`) + (/^..[5-9]/.test(decimals) ? 1n : 0n);
  return cents < 10n ** BigInt(maxDigits + 2)
    ? formatCents(text.startsWith("-") ? -cents : cents)
    : undefined;
}

function formatCents(cents: bigint): string {
  const digits = String(cents < 0n ? -cents : cents).padStart(3, "0");
  return `${cents < 0n ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Digits of amounts whose sum as a number is exact, however many rows a return has. */
const shortAmount = 10;

/** An exact sum of amounts. */
export class Sum {
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
    return formatCents(this.#cents + BigInt(this.#dollars) * 100n);
  }
}

function toCents(amount: string): bigint {
  const [whole = "", decimals = ""] = amount.split(".");
  return BigInt(`${whole}${decimals.padEnd(2, "0")}`);
}

export function isChecked(text: string | undefined): boolean {
  return text !== undefined && /^(x|1|true|yes)$/i.test(text);
}

export function readYear(text: string | undefined): number | undefined {
  const [year] = /^\d{4}(?=$|-)/.exec(text ?? "") ?? [];
  return year === undefined ? undefined : Number(year);
}

/** The first and the last day that a return may name. DuckDB reads all days between. */
const [firstDay, lastDay] = ["1900-01-01", "2199-12-31"];

/** The day with which a text starts; null if there is none. */
export function readDate(text: string | undefined, note: (oddity: Oddity) => void): string | null {
  if (text === undefined || text === "") return null;
  const [, year, month, day] = /^(\d{4})(?:-(?=\d\d-)|(?=\d{4}))(\d\d)-?(\d\d)(?!\d)/.exec(text) ?? [];
  return asDay(`${year}-${month}-${day}`) ?? noteDate(note);
}

/** A time in the forms of ISO 8601 that a warehouse may have too, in extended or basic form. */
const instantForm =
  /^(\d{4})(?:-(\d\d)-(\d\d)|(\d\d)(\d\d))(?:(?:T| +)(\d\d):?(\d\d)(?::?(\d\d(?:\.\d+)?))?)? *(?:Z|UTC|([-+](?:0\d|1[0-8])):?([0-5]\d)?)?$/i;

/** A time with its zone, or in UTC if it names none, e.g., "2024-05-13T15:04:05Z"; null if there is none. */
export function readInstant(text: string | undefined, note: (oddity: Oddity) => void): string | null {
  if (text === undefined || text === "") return null;
  const [
    ,
    year,
    month,
    day,
    basicMonth,
    basicDay,
    hour = "00",
    minute = "00",
    second = "00",
    zone,
    zoneMinute = "00",
  ] = instantForm.exec(text) ?? [];
  const date = asDay(`${year}-${month ?? basicMonth}-${day ?? basicDay}`);
  const instant = new Date(
    `${date}T${hour}:${minute}:${second}${zone === undefined ? "Z" : `${zone}:${zoneMinute}`}`,
  );
  return Number.isNaN(instant.getTime()) ? noteDate(note) : instant.toISOString().replace(".000Z", "Z");
}

function noteDate(note: (oddity: Oddity) => void): null {
  note("unreadable date");
  return null;
}

/** The day if it exists: JavaScript takes September 31 for October 1. */
function asDay(day: string): string | undefined {
  const time = Date.parse(day);
  if (Number.isNaN(time) || day < firstDay || day > lastDay) return undefined;
  return new Date(time).toISOString().startsWith(day) ? day : undefined;
}
