// Parses, formats and adds up amounts of money as exact cents, in JavaScript and SQL, and defines the size bands of totals: ranges of amounts.

/** The cents of a decimal number with at most two decimals, e.g., "-1234.5"; undefined for any other text. */
export function parseCents(text: string): bigint | undefined {
  const match = /^(-?)(\d+)(?:\.(\d{1,2}))?$/.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = "", fraction = ""] = match;
  const cents = BigInt(whole) * 100n + BigInt(fraction.padEnd(2, "0"));
  return sign === "-" ? -cents : cents;
}

/** The decimal text of an amount, always with two decimals, e.g., "-1234.50". */
export function formatCents(cents: bigint): string {
  const digits = (cents < 0n ? -cents : cents).toString().padStart(3, "0");
  return `${cents < 0n ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Find exact amounts in a record's JSON text. They cannot match inside a string, where quotes are escaped. */
const amountPatterns = {
  amount: /,"amount":(-?\d+)\.(\d\d),/,
  non_cash_amount: /,"non_cash_amount":(-?\d+)\.(\d\d),/,
};

/** An amount in a record's JSON text. @throws SyntaxError if it has none */
export function readCents(line: string, field: keyof typeof amountPatterns = "amount"): bigint {
  const [, whole, cents] = amountPatterns[field].exec(line) ?? [];
  if (whole === undefined) throw new SyntaxError(`a record of the release has no ${field}`);
  return BigInt(whole + cents);
}

/** JSON in which cents, which are bigints, are written as exact decimals. */
export function stringify(value: object): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === "bigint" ? JSON.rawJSON(formatCents(member)) : member,
  );
}

declare global {
  interface JSON {
    /** A number that is written as in the text (ECMAScript 2026). */
    rawJSON(text: string): unknown;
    /** Parses; the reviver also gets the text of each number (ECMAScript 2026). */
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
    ): unknown;
  }
}

/**
 * SQL for the cents of a DECIMAL(18,2) as a BIGINT. Dollars and cents are converted separately because each fits 64 bits.
 * A single multiplication would use 128 bits and take ten times as long.
 */
export function centsSql(column: string): string {
  return `(trunc(${column})::BIGINT * 100 + ((${column} - trunc(${column}))::DECIMAL(3,2) * 100)::BIGINT)`;
}

/** Between two neighboring bands: the first amount (cents) of the upper one. */
export const sizeBounds = [0n, 100_000n, 1_000_000n, 10_000_000n, 100_000_000n];

/** Totals of grants. The amount is in cents, as a bigint because a sum may exceed what a number holds. */
export type Sum = { readonly records: number; readonly amount: bigint };

export const emptySum: Sum = { records: 0, amount: 0n };

/** What is left of a sum without a part of it. */
export function subtractSum(sum: Sum, part: Sum): Sum {
  return { records: sum.records - part.records, amount: sum.amount - part.amount };
}

/** The sum of sums. */
export function addSums(sums: readonly Sum[]): Sum {
  let [records, amount] = [0, 0n];
  for (const sum of sums) {
    records += sum.records;
    amount += sum.amount;
  }
  return { records, amount };
}

/** All size bands. @param sums of the bands, smallest first; an absent one has no grants */
export function formatSizes(sums: readonly (Sum | undefined)[]) {
  return [...sizeBounds, null].map((below, band) => ({
    from: sizeBounds[band - 1] ?? null,
    below,
    ...(sums[band] ?? emptySum),
  }));
}
