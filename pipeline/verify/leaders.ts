// Verifies the recipients with the largest sums, in `index.columns`: a search relies on no other recipient having more.
import { maxLeaders } from "../../api-static/release/attributes.ts";
import type { ColumnCheck } from "./columnCheck.ts";

/** What each group can have at most. */
type Most = Int32Array | BigInt64Array;

/** The largest amount that the column holds. */
const amountMax = 2n ** 63n - 1n;

export function checkLeaders(check: ColumnCheck): void {
  const count = check.count("recipient.ein") + check.count("recipient_name.start") - 1; // the last id stands for no recipient
  const groups = check.all("rank.recipient");
  const cents = check.allWide("rank.amount");
  const amounts = new BigInt64Array(count);
  const records = new Int32Array(count);
  for (let rank = 0; rank < groups.length; rank++) {
    const group = groups[rank] as number;
    const before = amounts[group];
    if (before === undefined) continue;
    records[group] = (records[group] as number) + 1;
    const amount = cents[rank] as bigint;
    if (amount > 0n) amounts[group] = before > amountMax - amount ? amountMax : before + amount;
  }
  checkOrder(check, "recipient.by_amount", amounts, check.allWide("recipient.by_amount.most"), records);
  checkOrder(check, "recipient.by_records", records, check.all("recipient.by_records.most"), records);
}

/**
 * The groups must be in descending order, with what they have, and none may be missing.
 * @param values the column of what they have
 * @param records of each group; those without any are in no order
 */
function checkOrder(check: ColumnCheck, name: string, most: Most, values: Most, records: Int32Array) {
  const ids = check.all(name);
  check.length(`${name}.most`, ids.length);
  for (const [place, id] of ids.entries()) {
    const before = ids[place - 1];
    const isNext = most[id] !== undefined && (before === undefined || isBefore(most, before, id));
    if (!isNext) return check.report(name, place, id, "the next smaller group");
    if (values[place] !== most[id])
      return check.report(`${name}.most`, place, values[place], `the sum of group ${id}`);
  }
  const found = records.reduce((count, number) => count + (number > 0 ? 1 : 0), 0);
  check.length(name, Math.min(found, maxLeaders));
  const last = ids.at(-1);
  if (last === undefined) return;
  for (let id = 0, before = 0; id < records.length; id++) {
    if (records[id] === 0 || isBefore(most, last, id)) continue;
    before += 1;
    if (before > ids.length) return check.report(name, ids.length - 1, last, `a place after group ${id}`);
  }
}

/** True if a group has more than another, or as much and a smaller id. */
function isBefore(most: Most, one: number, other: number): boolean {
  const [ones, others] = [most[one] as bigint, most[other] as bigint];
  return ones > others || (ones === others && one < other);
}
