// Reads the values of a return: amounts, dates, times, and sums of amounts.
import type { Oddity } from "./text.ts";

/** A decimal number as text: at most 16 digits and two decimals, as in the warehouse's type. */
export function readAmount(text: string | undefined, note: (oddity: Oddity) => void): string | null {
  if (text === undefined || text === "") return null;
  const plain = text.startsWith("+") ? text.slice(1) : text;
  if (/^-?\d{1,16}(\.\d{1,2})?$/.test(plain)) return plain;
  note("unreadable amount");
  return null;
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
    const cents = this.#cents + BigInt(this.#dollars) * 100n;
    const digits = String(cents < 0n ? -cents : cents).padStart(3, "0");
    return `${cents < 0n ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
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
  const [day = ""] = /^\d{4}-\d\d-\d\d(?!\d)/.exec(text) ?? [];
  return asDay(day) ?? noteDate(note);
}

/** A time with its zone, or in UTC if it names none, e.g., "2024-05-13T15:04:05Z"; null if there is none. */
export function readInstant(text: string | undefined, note: (oddity: Oddity) => void): string | null {
  if (text === undefined || text === "") return null;
  const [, day = "", time, zone = "Z"] =
    /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d(?:\.\d+)?)(Z|[-+]\d\d:\d\d)?$/.exec(text) ?? [];
  const instant = asDay(day) === undefined ? new Date(Number.NaN) : new Date(`${day}T${time}${zone}`);
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
