// Verifies the recipients with the largest sums, in `index.columns`: a search relies on no other recipient having more.
import { maxLeaders } from "../../api-static/release/attributes.ts";
import type { ColumnCheck } from "./columnCheck.ts";

/** What each group can have at most: `high` times 2^32, and `low`, which is less. */
type Most = { readonly highs: Float64Array; readonly lows: Float64Array };

const word = 2 ** 32;

export function checkLeaders(check: ColumnCheck): void {
  const count = check.count("recipient.ein") + check.count("recipient_name.start") - 1; // the last id stands for no recipient
  const groups = check.all("rank.recipient");
  const halves = check.all("rank.amount");
  const amounts: Most = { highs: new Float64Array(count), lows: new Float64Array(count) };
  const records: Most = { highs: new Float64Array(count), lows: new Float64Array(count) };
  for (let rank = 0; rank < groups.length; rank++) {
    const group = groups[rank] as number;
    if (group >= count) continue;
    const high = halves[2 * rank + 1] as number;
    add(records, group, 0, 1);
    if (high >= 0) add(amounts, group, high, (halves[2 * rank] as number) >>> 0);
  }
  for (let group = 0; group < count; group++) {
    if ((amounts.highs[group] as number) < word / 2) continue;
    amounts.highs[group] = word / 2 - 1; // the largest amount that the column holds
    amounts.lows[group] = word - 1;
  }
  checkOrder(check, "recipient.by_amount", amounts, records.lows, 2);
  checkOrder(check, "recipient.by_records", records, records.lows, 1);
}

function add({ highs, lows }: Most, group: number, high: number, low: number): void {
  const sum = (lows[group] as number) + low;
  const carry = sum >= word ? 1 : 0;
  lows[group] = sum - carry * word;
  highs[group] = (highs[group] as number) + high + carry;
}

/**
 * The groups must be in descending order, with what they have, and none may be missing.
 * @param records of each group; those without any are in no order
 * @param width 32-bit values in one of `….most`
 */
function checkOrder(check: ColumnCheck, name: string, most: Most, records: Float64Array, width: 1 | 2): void {
  const ids = check.all(name);
  const values = check.all(`${name}.most`);
  check.length(`${name}.most`, ids.length);
  for (let place = 0; place < ids.length; place++) {
    const id = ids[place] as number;
    const isNext =
      place === 0 ? id >= 0 && id < records.length : isBefore(most, ids[place - 1] as number, id);
    if (!isNext) {
      check.report(name, place, id, "the next smaller group");
      return;
    }
    const low = (values[width * place] as number) >>> 0;
    const high = width === 2 ? values[2 * place + 1] : 0;
    if (low !== most.lows[id] || high !== most.highs[id]) {
      check.report(`${name}.most`, place, values[width * place], `the sum of group ${id}`);
      return;
    }
  }
  const found = records.reduce((count, number) => count + (number > 0 ? 1 : 0), 0);
  check.length(name, Math.min(found, maxLeaders));
  const last = ids.at(-1);
  if (last === undefined) return;
  for (let id = 0, before = 0; id < records.length; id++) {
    if (records[id] === 0 || isBefore(most, last, id)) continue;
    before += 1;
    if (before <= ids.length) continue;
    check.report(name, ids.length - 1, last, `a place after group ${id} or a group like it`);
    return;
  }
}

/** True if a group has more than another, or as much and a smaller id. */
function isBefore({ highs, lows }: Most, one: number, other: number): boolean {
  const high = (highs[one] as number) - (highs[other] as number);
  const low = (lows[one] as number) - (lows[other] as number);
  return high > 0 || (high === 0 && (low > 0 || (low === 0 && one < other)));
}
