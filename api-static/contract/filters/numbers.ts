// Defines the filters on the year and the amount of grants: one year, and bounds, which are inclusive.

import type { GrantRecord } from "../answers/record.ts";
import { amountCentsMax } from "../limits.ts";
import { formatCents, parseCents, readCents } from "../text/amount.ts";
import { describeAmount, describeWhen, type Query } from "../text/searchText.ts";
import { readAs } from "../values.ts";
import type { Conflict, Filter, Sentence } from "./filter.ts";

const year = {
  column: "transaction_year",
  schema: { type: "integer", minimum: 1000, maximum: 9999 },
  rule: "a year of four digits",
  parse: (text: string) => (/^\d{4}$/.test(text) ? Number(text) : undefined),
  format: (value: number | bigint) => value.toString().padStart(4, "0"),
  of: (record: GrantRecord, _line: string) => record.transaction_year,
};

const amount = {
  column: "amount_cents",
  schema: { type: "number" },
  rule: "a decimal number with at most two decimals",
  parse(text: string) {
    const cents = parseCents(text);
    if (cents === undefined) return undefined;
    return cents < -amountCentsMax ? -amountCentsMax : cents > amountCentsMax ? amountCentsMax : cents;
  },
  format: (value: number | bigint) => formatCents(BigInt(value)),
  of: (_record: GrantRecord, line: string) => readCents(line),
};

type Key = "transactionYear" | "minYear" | "maxYear" | "minAmountCents" | "maxAmountCents";

type Row<Name> = {
  readonly name: Name;
  readonly key: Key;
  /** How SQL compares the grant's number with the filter's. */
  readonly sign: "=" | ">=" | "<=";
  readonly description: string;
  readonly examples: readonly number[];
  /** The other bound of a maximum. */
  readonly minimum?: { readonly key: Key; readonly name: string };
  readonly sentence?: Sentence;
};

function numberFilter<Name extends string>(
  quantity: typeof year | typeof amount,
  { name, key, sign, description, examples, minimum, ...others }: Row<Name>,
) {
  return {
    name,
    description,
    schema: { ...quantity.schema, examples },
    read: readAs(key, `${name} must be ${quantity.rule}`, quantity.parse),
    format: ({ [key]: value }) => (value === undefined ? undefined : quantity.format(value)),
    findConflicts(filters) {
      const conflicts: Conflict[] = [];
      const value = filters[key] ?? 0;
      const least = minimum && filters[minimum.key];
      if (quantity === year && key !== "transactionYear" && filters.transactionYear !== undefined)
        conflicts.push({ code: "malformed", rule: "not be given together with transaction_year" });
      if (least !== undefined && least > value)
        conflicts.push({ code: "out_of_range", rule: `not be less than ${minimum?.name}` });
      return conflicts;
    },
    meets({ [key]: value = 0 }, record, line) {
      const own = quantity.of(record, line);
      return sign === "=" ? own === value : sign === ">=" ? own >= value : own <= value;
    },
    sql: ({ [key]: value = 0 }) => `${quantity.column} ${sign} ${BigInt(value)}`,
    ...others,
  } as const satisfies Filter;
}

function sayAmount(query: Query): string {
  const text = describeAmount(query);
  return text === "" ? "" : ` of ${text}`;
}

export const yearFilters = [
  numberFilter(year, {
    name: "transaction_year",
    key: "transactionYear",
    sign: "=",
    description: "Year of the grant: four digits.",
    examples: [2020],
    sentence: { clause: "in", say: describeWhen }, // also of the bounds
  }),
  numberFilter(year, {
    name: "min_year",
    key: "minYear",
    sign: ">=",
    description: "First year, inclusive: four digits; not together with `transaction_year`.",
    examples: [2018],
  }),
  numberFilter(year, {
    name: "max_year",
    key: "maxYear",
    sign: "<=",
    description: "Last year, inclusive: four digits; not together with `transaction_year`.",
    examples: [2022],
    minimum: { key: "minYear", name: "min_year" },
  }),
];

export const amountFilters = [
  numberFilter(amount, {
    name: "min_amount",
    key: "minAmountCents",
    sign: ">=",
    description: "Minimum amount in dollars, inclusive; at most two decimals.",
    examples: [10000, 2500.5],
    sentence: { clause: "of", say: sayAmount }, // also of the maximum
  }),
  numberFilter(amount, {
    name: "max_amount",
    key: "maxAmountCents",
    sign: "<=",
    description: "Maximum amount in dollars, inclusive; at most two decimals.",
    examples: [50000],
    minimum: { key: "minAmountCents", name: "min_amount" },
  }),
];
