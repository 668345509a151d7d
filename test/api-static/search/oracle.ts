// Answers searches by brute force: checks every record in plain JavaScript as the contract says, without any of the server's code.

import type { GrantPlaces } from "./placesOracle.ts";

/** Filters as a client writes them, after URL decoding, by their names in the query string. */
export type GivenFilters = {
  readonly funder_ein?: string;
  readonly recipient_ein?: string;
  readonly transaction_year?: string;
  readonly purpose?: string;
  readonly recipient_name?: string;
  readonly min_amount?: string;
  readonly max_amount?: string;
  readonly min_year?: string;
  readonly max_year?: string;
  readonly type?: string;
  readonly funder_state?: string;
  readonly recipient_state?: string;
  readonly sort?: string;
};

export type Grant = {
  readonly line: string;
  readonly id: number;
  readonly funder: string;
  readonly recipient: string | null;
  readonly year: number;
  readonly cents: bigint;
  readonly purpose: string | null;
  readonly name: string | null;
  readonly type: string | null;
  readonly places: GrantPlaces;
};

export class Oracle {
  readonly #grants: readonly Grant[];

  /**
   * @param lines the JSON text of every record, in any order
   * @param places of records by id; without them, they are unknown
   */
  constructor(lines: readonly string[], places: ReadonlyMap<number, GrantPlaces> = new Map()) {
    this.#grants = lines.map((line) => readGrant(line, places)).sort(compareGrants);
  }

  /** The lines of all records that meet the filters, in the order that they ask for. */
  find(filters: GivenFilters): string[] {
    const found = this.findGrants(filters);
    return (filters.sort === "amount" ? found.toSorted(compareByAmount) : found).map(({ line }) => line);
  }

  /** All records that meet the filters, newest first. */
  findGrants(filters: GivenFilters): Grant[] {
    const purpose = filters.purpose === undefined ? undefined : folded(filters.purpose);
    const name = filters.recipient_name === undefined ? undefined : folded(filters.recipient_name);
    const least = filters.min_amount === undefined ? undefined : toCents(filters.min_amount);
    const most = filters.max_amount === undefined ? undefined : toCents(filters.max_amount);
    const type = filters.type === undefined ? undefined : folded(filters.type);
    const funderState = filters.funder_state?.toUpperCase();
    const recipientState = filters.recipient_state?.toUpperCase();
    const funders = filters.funder_ein?.replaceAll(/[-\s]/g, "").split(",");
    const recipients = filters.recipient_ein?.replaceAll(/[-\s]/g, "").split(",");
    return this.#grants.filter(
      (grant) =>
        (funders === undefined || funders.includes(grant.funder)) &&
        (recipients === undefined || (grant.recipient !== null && recipients.includes(grant.recipient))) &&
        grant.year >= Number(filters.min_year ?? 0) &&
        grant.year <= Number(filters.max_year ?? 9999) &&
        (type === undefined || grant.type === type) &&
        (funderState === undefined || grant.places.funder === funderState) &&
        (recipientState === undefined || grant.places.recipient === recipientState) &&
        (most === undefined || grant.cents <= most) &&
        (filters.transaction_year === undefined || grant.year === Number(filters.transaction_year)) &&
        (purpose === undefined || (grant.purpose?.includes(purpose) ?? false)) &&
        (name === undefined || (grant.name?.includes(name) ?? false)) &&
        (least === undefined || grant.cents >= least),
    );
  }

  /** The whole body of a page. */
  body(filters: GivenFilters, limit = 100, offset = 0): string {
    const lines = this.find(filters);
    return bodyOf(lines.slice(offset, offset + limit), lines.length, limit, offset);
  }
}

/** The text of a page's body. */
export function bodyOf(lines: readonly string[], total: number, limit: number, offset: number): string {
  const data = lines.length === 0 ? "[]" : `[\n${lines.join(",\n")}\n]`;
  return `{"success":true,"data":${data},"total":${total},"limit":${limit},"offset":${offset}}\n`;
}

function readGrant(line: string, places: ReadonlyMap<number, GrantPlaces>): Grant {
  const record = JSON.parse(line) as Record<string, string | null> & { id: number; transaction_year: number };
  const [, amount = ""] = /"amount":(-?\d+\.\d\d),"non_cash_amount"/.exec(line) ?? [];
  return {
    line,
    id: record.id,
    funder: record.funder_ein ?? "",
    recipient: record.recipient_ein ?? null,
    year: record.transaction_year,
    cents: toCents(amount),
    purpose: record.purpose == null ? null : folded(record.purpose),
    name: record.recipient_name == null ? null : folded(record.recipient_name),
    type: record.type == null ? null : folded(record.type),
    places: places.get(record.id) ?? { funder: null, recipient: null },
  };
}

/** Newest first, largest first, then by id. */
function compareGrants(a: Grant, b: Grant): number {
  if (a.year !== b.year) return b.year - a.year;
  if (a.cents !== b.cents) return a.cents < b.cents ? 1 : -1;
  return a.id - b.id;
}

/** Largest first, then newest first, then by id. */
function compareByAmount(a: Grant, b: Grant): number {
  if (a.cents !== b.cents) return a.cents < b.cents ? 1 : -1;
  return b.year - a.year || a.id - b.id;
}

/** Letters of which the capital has another lower case, but which stay: Turkish ı, and a mark that is an iota. */
const unpaired = ["\u0131", "\u0345"];

/**
 * The text trimmed, composed, and each code point in its one-to-one lower case, which is that of its capital: ς is σ. Only İ has a longer
 * full lower case.
 */
export function folded(text: string): string {
  let lower = "";
  for (const letter of text.trim().normalize("NFC")) {
    const full = letter.toLowerCase();
    const capital = letter.toUpperCase();
    const isPaired = [...capital].length === 1 && !unpaired.includes(letter);
    lower += [...full].length > 1 ? (full[0] ?? "") : isPaired ? capital.toLowerCase() : full;
  }
  return lower.replaceAll(/i\u0307+/g, "i").normalize("NFC"); // i with a dot is what other programs make of İ
}

function toCents(amount: string): bigint {
  const [, sign, whole = "0", fraction = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount) ?? [];
  const cents = BigInt(whole) * 100n + BigInt(fraction.padEnd(2, "0"));
  return sign === "-" ? -cents : cents;
}
