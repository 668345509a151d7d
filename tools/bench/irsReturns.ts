// Makes returns of the density of the IRS's corpus, and returns that are all grants, to measure an import.
import { formatReturn, type MadeGrant, plainReturn } from "../../test/pipeline/irs/returns.fixture.ts";
import { formatZip, type ZipEntry } from "../../test/pipeline/irs/zips.fixture.ts";

/** Bytes of XML of a usual return, and how many grants it has: 20 million in 6.2 million returns. */
const returnBytes = 40_000;
const grantsPerReturn = 3;
/** Grants of a return that is all grants. */
const grantsOfDense = 400;

const words =
  "total revenue program service expense amount current prior year net assets fund balance other compensation officer director trustee employee benefit fee management legal accounting depreciation interest occupancy travel conference insurance grant contribution membership dues investment income rental royalty inventory sale cost goods gross profit unrelated business taxable schedule statement explanation policy conflict minutes records".split(
    " ",
  );

/** Numbers that are the same in every run. */
function* draw(seed: number): Generator<number, never> {
  for (let state = seed >>> 0; ; ) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state >>> 8;
  }
}

const capital = (word: string) => `${word[0]?.toUpperCase()}${word.slice(1)}`;

/** Elements such as a return has, until they have this many bytes. */
function makeFiller(numbers: Generator<number, never>, bytes: number): string {
  const pick = () => words[numbers.next().value % words.length] ?? "";
  const lines: string[] = [];
  for (let length = 0; length < bytes; length += lines.at(-1)?.length ?? 0) {
    const name = `${capital(pick())}${capital(pick())}${numbers.next().value % 3 === 0 ? "Ind" : "Amt"}`;
    const isText = numbers.next().value % 30 === 0;
    const value = isText
      ? Array.from({ length: 12 }, pick).join(" ").toUpperCase()
      : String(numbers.next().value % 10 ** (numbers.next().value % 6));
    lines.push(`      <${name}>${value}</${name}>\n`);
  }
  return lines.join("");
}

function makeGrants(numbers: Generator<number, never>, count: number): MadeGrant[] {
  const pick = () => (words[numbers.next().value % words.length] ?? "").toUpperCase();
  return Array.from({ length: count }, () => ({
    kind: "organizations" as const,
    line1: `${pick()} ${pick()} ${pick()} FOUNDATION`,
    ein: String(100_000_000 + (numbers.next().value % 900_000_000)),
    amount: String(numbers.next().value % 100_000),
    purpose: `${pick()} ${pick()} SUPPORT`,
    place: { city: `PORT ${pick()}`, state: "FL", zip: String(10_000 + (numbers.next().value % 90_000)) },
  }));
}

/** A zip of returns, and how many bytes of XML and grants it has. */
export type MadeZip = { readonly zip: Buffer; readonly xmlBytes: number; readonly grants: number };

/**
 * @param isDense returns that are all grants
 * @param turn from 0 on: zips of different turns have different returns
 */
export function makeZip(returns: number, isDense: boolean, turn: number): MadeZip {
  const numbers = draw(7 + turn);
  let [xmlBytes, grants] = [0, 0];
  function* entries(): Generator<ZipEntry> {
    for (let index = 0; index < returns; index += 1) {
      const made = makeGrants(numbers, isDense ? grantsOfDense : grantsPerReturn);
      const xml = formatReturn({
        ...plainReturn,
        ein: String(100_000_000 + turn * returns + index),
        grants: made,
        filler: makeFiller(numbers, isDense ? 0 : returnBytes - 3_000),
      });
      const content = Buffer.from(xml);
      xmlBytes += content.length;
      grants += made.length;
      const objectId = `${2023 + turn}0${String(1 + (index % 366)).padStart(3, "0")}93493${String(index).padStart(5, "0")}`;
      yield { name: `${objectId}_public.xml`, content };
    }
  }
  const zip = formatZip(entries());
  return { zip, xmlBytes, grants };
}
