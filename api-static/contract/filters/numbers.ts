// Defines the filters on the year and the amount of grants: bounds, which are inclusive, or one year.
import { formatCents, parseCents } from "../amount.ts";
import { malformed } from "../faults.ts";
import type { Filters } from "../filters.ts";
import { amountCentsMax } from "../limits.ts";
import { type GrantRecord, readCents } from "../record.ts";
import type { Schema } from "../schema.ts";
import { describeAmount, describeWhen } from "../searchText.ts";
import type { Conflict, Filter, Sentence } from "./filter.ts";

/** A number of each grant, and how it is given. */
type Quantity<Value> = {
  readonly column: string;
  readonly valueOf: (record: GrantRecord, line: string) => Value;
  readonly schema: Schema;
  /** What a text must be. */
  readonly rule: string;
  readonly parse: (text: string) => Value | undefined;
  readonly format: (value: Value) => string;
};

const year: Quantity<number> = {
  column: "transaction_year",
  valueOf: (record) => record.transaction_year,
  schema: { type: "integer", minimum: 1000, maximum: 9999 },
  rule: "a year of four digits",
  parse: (text) => (/^\d{4}$/.test(text) ? Number(text) : undefined),
  format: (value) => value.toString().padStart(4, "0"),
};

const amount: Quantity<bigint> = {
  column: "amount_cents",
  valueOf: (_, line) => readCents(line),
  schema: { type: "number" },
  rule: "a decimal number with at most two decimals",
  parse(text) {
    const cents = parseCents(text);
    if (cents === undefined) return undefined;
    return cents < -amountCentsMax ? -amountCentsMax : cents > amountCentsMax ? amountCentsMax : cents;
  },
  format: formatCents,
};

/** The comparisons of a grant's number with a filter's, as SQL writes them. */
const comparisons = {
  "=": (number: number | bigint, value: number | bigint) => number === value,
  ">=": (number: number | bigint, value: number | bigint) => number >= value,
  "<=": (number: number | bigint, value: number | bigint) => number <= value,
} as const;

/** The keys of filters with values of a type. */
type KeyOf<Value> = {
  [Key in keyof Filters]-?: NonNullable<Filters[Key]> extends Value ? Key : never;
}[keyof Filters];

type About<Name, Value> = {
  readonly name: Name;
  readonly key: KeyOf<Value>;
  readonly sign: keyof typeof comparisons;
  readonly description: string;
  readonly examples: readonly number[];
  readonly findConflicts?: (filters: Filters) => readonly Conflict[];
  readonly sentence?: Sentence;
};

function numberFilter<Name extends string, Value extends number | bigint>(
  quantity: Quantity<Value>,
  { name, key, sign, description, examples, ...others }: About<Name, Value>,
) {
  const valueIn = (filters: Readonly<Record<string, unknown>>) => filters[key] as Value;
  return {
    name,
    description,
    schema: { ...quantity.schema, examples },
    read(text, draft) {
      const value = quantity.parse(text);
      if (value === undefined) return malformed(`${name} must be ${quantity.rule}`, text);
      Object.assign(draft, { [key]: value });
      return undefined;
    },
    format: (filters) => (filters[key] === undefined ? undefined : quantity.format(valueIn(filters))),
    meets: (filters, record, line) => comparisons[sign](quantity.valueOf(record, line), valueIn(filters)),
    sql: (filters) => `${quantity.column} ${sign} ${BigInt(valueIn(filters))}`,
    ...others,
  } as const satisfies Filter;
}

const besideYear = ({ transactionYear }: Filters): readonly Conflict[] =>
  transactionYear === undefined
    ? []
    : [{ code: "malformed", rule: "not be given together with transaction_year" }];

function below(minimum: number | bigint | undefined, maximum: number | bigint | undefined, name: string) {
  const isBelow = minimum !== undefined && maximum !== undefined && minimum > maximum;
  return isBelow ? [{ code: "out_of_range", rule: `not be less than ${name}` } as const] : [];
}

export const transactionYear = numberFilter(year, {
  name: "transaction_year",
  key: "transactionYear",
  sign: "=",
  description: "Year of the grant: four digits.",
  examples: [2020],
  sentence: { clause: "in", say: describeWhen }, // also for the first and the last year
});

export const minYear = numberFilter(year, {
  name: "min_year",
  key: "minYear",
  sign: ">=",
  description: "First year, inclusive: four digits; not together with `transaction_year`.",
  examples: [2018],
  findConflicts: besideYear,
});

export const maxYear = numberFilter(year, {
  name: "max_year",
  key: "maxYear",
  sign: "<=",
  description: "Last year, inclusive: four digits; not together with `transaction_year`.",
  examples: [2022],
  findConflicts: (filters) => [
    ...besideYear(filters),
    ...below(filters.minYear, filters.maxYear, "min_year"),
  ],
});

export const minAmount = numberFilter(amount, {
  name: "min_amount",
  key: "minAmountCents",
  sign: ">=",
  description: "Minimum amount in dollars, inclusive; at most two decimals.",
  examples: [10000, 2500.5],
  // Also for the maximum.
  sentence: {
    clause: "of",
    say(query) {
      const amount = describeAmount(query);
      return amount === "" ? "" : ` of ${amount}`;
    },
  },
});

export const maxAmount = numberFilter(amount, {
  name: "max_amount",
  key: "maxAmountCents",
  sign: "<=",
  description: "Maximum amount in dollars, inclusive; at most two decimals.",
  examples: [50000],
  findConflicts: ({ minAmountCents, maxAmountCents }) => below(minAmountCents, maxAmountCents, "min_amount"),
});
