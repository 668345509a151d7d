// Tests the quality gate: every rule at its limit and just beyond it, and the message of a refusal.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nullableFields } from "../../../api-static/contract/answers/record.ts";
import { RefusedError } from "../../../pipeline/base/failure.ts";
import {
  checkGate,
  findGateFailures,
  type GateSettings,
  gateRules,
} from "../../../pipeline/releases/gate.ts";
import type { Totals } from "../../../pipeline/releases/totals.ts";

const settings: GateSettings = { maxRejected: 2, maxFall: 10, maxNulls: 20, maxAmount: 50, accept: [] };

function nulls(count: number): Totals["nulls"] {
  return Object.fromEntries(nullableFields.map((field) => [field, count])) as Totals["nulls"];
}

const before: Totals = {
  records: 1_000,
  funders: 100,
  recipients: 50,
  first_year: 2001,
  last_year: 2026,
  amount: "1000.00",
  non_cash_amount: "0.00",
  newest_created_at: "2026-11-19T04:00:00Z",
  nulls: nulls(100),
};

type Case = {
  readonly rule: string;
  readonly below: Partial<Totals>;
  readonly above: Partial<Totals>;
  readonly says: string;
};

const nullCases = nullableFields.map((field) => ({
  rule: `nulls:${field}`,
  below: { nulls: { ...before.nulls, [field]: 300 } },
  above: { nulls: { ...before.nulls, [field]: 301 } },
  says: `${field} is null in 30.10 % of records, up from 10.00 %; a rise of at most 20 points is allowed`,
}));

const cases: readonly Case[] = [
  {
    rule: "records",
    below: { records: 900, nulls: nulls(90) },
    above: { records: 899, nulls: nulls(89) },
    says: "records fall from 1000 to 899, by 10.10 %; at most 10 % is allowed",
  },
  {
    rule: "funders",
    below: { funders: 90 },
    above: { funders: 89 },
    says: "funders fall from 100 to 89, by 11.00 %; at most 10 % is allowed",
  },
  {
    rule: "created_at",
    below: { newest_created_at: "2026-11-19T04:00:00Z" },
    above: { newest_created_at: "2026-11-19T03:59:59.999Z" },
    says: "the newest created_at is 2026-11-19T03:59:59.999Z, older than 2026-11-19T04:00:00Z in the previous release",
  },
  {
    rule: "amount",
    below: { amount: "1500.00" },
    above: { amount: "1500.01" },
    says: "the sum of amounts goes from 1000.00 to 1500.01, by 50.00 %; at most 50 % is allowed",
  },
  {
    rule: "amount",
    below: { amount: "500.00" },
    above: { amount: "499.99" },
    says: "the sum of amounts goes from 1000.00 to 499.99, by 50.00 %; at most 50 % is allowed",
  },
  ...nullCases,
];

const all = { read: 1_000, accepted: 1_000 };

describe("a rule of the gate", () => {
  it.each(cases)("$rule passes at its limit and fails beyond it", ({ rule, below, above, says }) => {
    expect(findGateFailures(all, { ...before, ...below }, before, settings)).toEqual([]);
    const failures = findGateFailures(all, { ...before, ...above }, before, settings);
    expect(failures).toEqual([{ rule, message: says }]);
    expect(gateRules).toContain(rule);
  });

  it("rejected passes at its limit and fails beyond it, with and without a previous release", () => {
    for (const last of [before, undefined]) {
      expect(findGateFailures({ read: 1_000, accepted: 980 }, before, last, settings)).toEqual([]);
      expect(findGateFailures({ read: 1_000, accepted: 979 }, before, last, settings)).toEqual([
        { rule: "rejected", message: "2.10 % of 1000 rows are rejected; at most 2 % is allowed" },
      ]);
    }
  });

  it("rejected checks a first release only if it has at least 1,000 rows, and every later one", () => {
    const few = { read: 999, accepted: 1 };
    expect(findGateFailures(few, before, undefined, settings)).toEqual([]);
    expect(findGateFailures(few, before, before, settings).map(({ rule }) => rule)).toEqual(["rejected"]);
  });

  it("compares nothing without a previous release", () => {
    const odd = { ...before, records: 1, funders: 1, amount: "-5.00", nulls: nulls(1) };
    expect(findGateFailures(all, odd, undefined, settings)).toEqual([]);
  });

  it.each([
    ["2026-11-19T04:00:00Z", "2026-11-19T04:00:00.001Z"],
    ["2026-11-19T04:00:00.001Z", "2026-11-19T04:00:00.010Z"],
    ["2026-11-19T04:00:00.999Z", "2026-11-19T04:00:01Z"],
  ])("created_at treats %s as earlier than %s", (older, newer) => {
    const at = (newest_created_at: string) => ({ ...before, newest_created_at });
    expect(findGateFailures(all, at(newer), at(older), settings)).toEqual([]);
    expect(findGateFailures(all, at(older), at(newer), settings).map(({ rule }) => rule)).toEqual([
      "created_at",
    ]);
  });

  it("amount compares sums of either sign, and with zero", () => {
    const sum = (amount: string) => ({ ...before, amount });
    expect(findGateFailures(all, sum("-1500.00"), sum("-1000.00"), settings)).toEqual([]);
    expect(findGateFailures(all, sum("-1500.01"), sum("-1000.00"), settings)).toHaveLength(1);
    expect(findGateFailures(all, sum("0.00"), sum("0.00"), settings)).toEqual([]);
    expect(findGateFailures(all, sum("0.01"), sum("0.00"), settings)).toMatchObject([
      { message: "the sum of amounts goes from 0.00 to 0.01, by 100.00 %; at most 50 % is allowed" },
    ]);
  });

  it("nulls compares nothing with a release of the first schema, which has no counts of nulls", () => {
    const { nulls: _, ...first } = before;
    expect(findGateFailures(all, { ...before, nulls: nulls(1_000) }, first as Totals, settings)).toEqual([]);
  });

  it("every failed rule is reported at once, in the order of the rules", () => {
    const worse = {
      ...before,
      records: 1,
      funders: 1,
      amount: "0.00",
      newest_created_at: "2020-01-01T00:00:00Z",
      nulls: nulls(1),
    };
    const failures = findGateFailures({ read: 10, accepted: 1 }, worse, before, settings);
    expect(failures.map(({ rule }) => rule)).toEqual(gateRules);
  });
});

describe("settings of the gate", () => {
  const share = fc.integer({ min: 0, max: 100 });
  const count = fc.integer({ min: 0, max: 2_000 });

  it("limit rejected rows, falls and amounts exactly as integers do", () => {
    fc.assert(
      fc.property(share, count, count, count, (max, first, second, third) => {
        const whole = 2_000;
        const own = { maxRejected: max, maxFall: max, maxNulls: max, maxAmount: max, accept: [] };
        const last = { ...before, records: whole, funders: whole, amount: `-${whole}.00`, nulls: nulls(0) };
        const next = {
          ...last,
          records: whole - first,
          funders: whole - second,
          amount: `-${whole + third}.00`,
        };
        const rows = { read: whole, accepted: whole - third };
        const rules = findGateFailures(rows, next, last, own).map(({ rule }) => rule);
        const isOver = (part: number) => 100 * part > max * whole;
        const expected = [
          ["rejected", isOver(third)],
          ["records", isOver(first)],
          ["funders", isOver(second)],
          ["amount", isOver(third)],
        ].flatMap(([rule, fails]) => (fails === true ? [rule] : []));
        expect(rules).toEqual(expected);
      }),
    );
  });
});

describe("a refusal", () => {
  const failures = [
    { rule: "records", message: "records fall" },
    { rule: "nulls:purpose", message: "purpose is null" },
  ];

  it("lists each rule that is not accepted, and says how to accept them", () => {
    expect(() => checkGate(failures, [])).toThrow(
      new RefusedError(
        "the release is refused; the current release is still being served:\n  records: records fall\n  nulls:purpose: purpose is null\n" +
          "to accept it: make sync ACCEPT=records,nulls:purpose",
      ),
    );
    expect(() => checkGate(failures, ["records"])).toThrow(
      new RefusedError(
        "the release is refused; the current release is still being served:\n  nulls:purpose: purpose is null\n" +
          "to accept it: make sync ACCEPT=records,nulls:purpose",
      ),
    );
  });

  it("does not happen if every failed rule is accepted", () => {
    expect(() => checkGate(failures, ["nulls:purpose", "records", "amount"])).not.toThrow();
    expect(() => checkGate([], [])).not.toThrow();
  });
});
