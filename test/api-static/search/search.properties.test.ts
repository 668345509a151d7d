// Tests that any search equals a brute-force search, on the sample and on real filings.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseRequest } from "../../../api-static/contract/request.ts";
import { answerBySearch } from "../../../api-static/search/answer.ts";
import type { Release } from "../../../api-static/search/release.ts";
import { proofs } from "../../proofs.ts";
import { isRealTested, realWarehouse } from "../../realWarehouse.ts";
import { cornerTexts } from "../server/corners.ts";
import { type Served, useRelease } from "../server/release.fixture.ts";
import { folded, type GivenFilters, Oracle } from "./oracle.ts";
import { type GrantPlaces, readPlaces } from "./placesOracle.ts";

const has = (text: string) => text.trim() !== "";

/** A part of a text with the variations that clients send: other case, decomposed letters, padding. */
const respelled = (text: fc.Arbitrary<string>) =>
  fc
    .tuple(
      text,
      fc.constantFrom(
        (part: string) => part,
        (part: string) => part.toUpperCase(),
        (part: string) => part.toLowerCase(),
        (part: string) => part.normalize("NFD"),
        (part: string) => part.toLowerCase().normalize("NFD"),
        (part: string) => ` \t${part}\u00A0`,
      ),
    )
    .map(([part, spell]) => spell(part))
    .filter((part) => has(part) && [...folded(part)].length <= 200);

/** Consecutive code points of one of the texts. */
const partOf = (texts: readonly string[]) =>
  fc
    .tuple(
      fc.constantFrom(...texts),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.integer({ min: 1, max: 30 }),
    )
    .map(([text, at, length]) => {
      const letters = [...text];
      const from = Math.floor(at * letters.length);
      return letters.slice(from, from + length).join("");
    })
    .filter(has);

const corners = cornerTexts.filter((text) => text !== null && has(text)).map((text) => String(text));

/** Text filters: parts of existing texts, corner cases, single characters, absent texts, the longest ones. */
function textFilter(present: readonly string[]): fc.Arbitrary<string> {
  return respelled(
    fc.oneof(
      { weight: 5, arbitrary: partOf(present) },
      { weight: 3, arbitrary: partOf(corners) },
      {
        weight: 2,
        arbitrary: fc.constantFrom(..."aex%_*'\"\\.?İißẞ$^|", "e\u0301", "\u0301", "%support%", "\\n", "𝒜"),
      },
      { weight: 1, arbitrary: fc.string({ minLength: 1, maxLength: 12 }).filter(has) },
      { weight: 1, arbitrary: fc.constantFrom("lorem ipsum ".repeat(16), "é".repeat(200), "%".repeat(200)) },
    ),
  );
}

type Ask = { filters: GivenFilters; limit: number; offset: number; isFunderPath: boolean };

/** Requests made from a record, which meets most of their filters. */
function asks(lines: readonly string[], states: ReadonlyMap<number, GrantPlaces>): fc.Arbitrary<Ask> {
  const step = Math.max(1, Math.floor(lines.length / 400));
  const rows = lines.filter((_, index) => index % step === 0).map((line) => JSON.parse(line) as Row);
  const texts = (name: "purpose" | "recipient_name") =>
    rows.flatMap((row) => (row[name] === null ? [] : [row[name]]));
  const eins = {
    funder: rows.map(({ funder_ein }) => funder_ein),
    recipient: rows.flatMap(({ recipient_ein }) => recipient_ein ?? []),
  };
  const anyText = {
    purpose: textFilter(texts("purpose")),
    recipient_name: textFilter(texts("recipient_name")),
  };
  const offset = fc.oneof(fc.constantFrom(0, 0, 0, 1, 100, 100_000), fc.nat(150));
  return fc.constantFrom(...rows).chain((row) => {
    const given = (value: string | number | null, other: fc.Arbitrary<string>) =>
      value === null
        ? other
        : fc.oneof({ weight: 6, arbitrary: fc.constant(String(value)) }, { weight: 1, arbitrary: other });
    const text = (name: "purpose" | "recipient_name") =>
      row[name] === null
        ? anyText[name]
        : fc.oneof(
            { weight: 3, arbitrary: respelled(partOf([row[name]])) },
            { weight: 2, arbitrary: anyText[name] },
          );
    const values: Record<keyof GivenFilters, fc.Arbitrary<string>> = {
      funder_ein: listed(given(row.funder_ein, fc.constant("555555555")), eins.funder),
      recipient_ein: listed(given(row.recipient_ein, fc.constant("999999998")), eins.recipient),
      transaction_year: given(row.transaction_year, fc.constant("1899")),
      purpose: text("purpose"),
      recipient_name: text("recipient_name"),
      min_amount: given(
        row.amount,
        fc.oneof(fc.constantFrom("0", "-0.01", "0.01", "-1000000000000000000000"), someAmount),
      ),
      max_amount: given(
        row.amount,
        fc.oneof(fc.constantFrom("0", "-0.01", "0.01", "1000000000000000000000"), someAmount),
      ),
      min_year: yearAround(row.transaction_year),
      max_year: yearAround(row.transaction_year),
      funder_state: given(states.get(row.id)?.funder ?? null, someState),
      recipient_state: given(states.get(row.id)?.recipient ?? null, someState),
      type: given(row.type, fc.constantFrom("", "i", "Schedule I", "schedule f", "Ⅱ"))
        .chain((type) => fc.constantFrom(type, type.toUpperCase(), ` ${type.toLowerCase()}`))
        .filter(has),
      sort: fc.constantFrom("amount", "year"),
    };

    const answered = Object.keys(values) as (keyof GivenFilters)[];
    const names = fc.oneof(
      { weight: 5, arbitrary: fc.subarray(answered, { maxLength: 2 }) },
      { weight: 1, arbitrary: fc.subarray(answered) },
    );
    // A year and a range of years are never allowed together, so filtering alone would not end.
    const together = names.map((chosen) =>
      chosen.filter((name) => !chosen.includes("transaction_year") || !/^(?:min|max)_year$/.test(name)),
    );
    const filters = together.chain((chosen) =>
      fc
        .record(Object.fromEntries(chosen.map((name) => [name, values[name]])), { noNullPrototype: true })
        .filter(isAllowed),
    );
    return fc.record({
      filters,
      limit: fc.constantFrom(1, 2, 99, 100, 101, 999, 1000),
      offset,
      isFunderPath: fc.boolean(),
    });
  });
}

/** One EIN, or a list with others in any order, some of them twice. */
function listed(ein: fc.Arbitrary<string>, eins: readonly string[]): fc.Arbitrary<string> {
  const others = fc.array(fc.constantFrom(...eins), { minLength: 1, maxLength: 6 });
  const list = fc.tuple(ein, others).map(([one, more]) => [...more, one, ...more.slice(1, 2)].join(","));
  return fc.oneof({ weight: 2, arbitrary: ein }, { weight: 1, arbitrary: list });
}

const yearAround = (year: number) => fc.integer({ min: year - 3, max: year + 3 }).map(String);

/** Only filters that the contract allows together. */
function isAllowed({ transaction_year, min_year, max_year, min_amount, max_amount }: GivenFilters): boolean {
  const isRange = min_year !== undefined || max_year !== undefined;
  if (transaction_year !== undefined && isRange) return false;
  if (Number(min_year ?? 0) > Number(max_year ?? 9999)) return false;
  return min_amount === undefined || max_amount === undefined || Number(min_amount) <= Number(max_amount);
}

const someState = fc.constantFrom("NY", "ca", "Tx", "QQ");

const someAmount = fc.integer({ min: -200_000, max: 200_000 }).map(String);

type Row = Readonly<Record<"purpose" | "recipient_name" | "recipient_ein" | "type", string | null>> & {
  readonly id: number;
  readonly funder_ein: string;
  readonly transaction_year: number;
  readonly amount: number;
};

/** A request's URL: on the funder's path if that is wanted and possible. */
function urlOf({ filters, limit, offset, isFunderPath }: Ask): string {
  const { funder_ein, ...others } = filters;
  const onPath = isFunderPath && funder_ein !== undefined && /^(?!555555555)\d{9}$/.test(funder_ein);
  const path = onPath ? `/v1/funders/${funder_ein}/history` : "/v1/history";
  const parameters = new URLSearchParams({
    ...(onPath ? others : filters),
    limit: String(limit),
    offset: String(offset),
  });
  return `${path}?${parameters}`;
}

/** The body from the index, even if the server would answer in another way. */
async function searchText(release: Release, url: string): Promise<string> {
  const { pathname, search } = new URL(url, "http://127.0.0.1");
  const request = parseRequest(pathname, search);
  return request.kind === "history" ? (await answerBySearch(release, request)).body.toString() : request.kind;
}

async function checkAnswers(served: Served, runs: number): Promise<void> {
  const places = await readPlaces(served.warehouse);
  const oracle = new Oracle(served.lines, places);
  let found = 0;
  await fc.assert(
    fc.asyncProperty(asks(served.lines, places), async (ask) => {
      const body = await served.askText(urlOf(ask));
      expect(body).toBe(oracle.body(ask.filters, ask.limit, ask.offset));
      expect(await searchText(served.release, urlOf(ask))).toBe(body);
      if (!body.includes('"data":[]')) found += 1;
    }),
    { numRuns: runs },
  );
  expect(found).toBeGreaterThan(runs / 4); // otherwise the test shows little
}

describe("a search of the sample and of difficult texts", () => {
  const served = useRelease({ sampleRows: 4_000 });

  it("equals a brute-force search for any filters and window", async () => {
    await checkAnswers(served(), proofs.anySearches);
  });

  it.each([
    ["%", ["100% of costs"]],
    ["_", ["snake_case and under score"]],
    ["*", ["st*r * glob?"]],
    ["\\", ["back\\slash \\ path \\n"]],
    ['"', ['say "hello"']],
    ["'", ["O'Neill; DROP TABLE grants; --"]],
    ["İSTANBUL", ["İstanbul okulu", "ISTANBUL OKULU"]],
    ["istanbul", ["İstanbul okulu", "ISTANBUL OKULU"]],
    ["ıss", ["ıssız ada"]],
    ["STRAẞE", ["Straße", "STRAẞE"]],
    ["strasse", ["STRASSE"]],
    ["cafe\u0301 re\u0301sume\u0301", ["Café résumé", "CAFE\u0301 RE\u0301SUME\u0301"]],
    ["CAFÉ", ["Café résumé", "CAFE\u0301 RE\u0301SUME\u0301"]],
    ["ångström", ["ÅNGSTRÖM", "\u212BNGSTRO\u0308M"]],
    ["k\nand", []],
    ["break\tand", ["line\nbreak\tand tab"]],
    ["👩", ["\u{1D49C}stral 👩‍🌾"]],
    ["OP TABLE grants; --", ["O'Neill; DROP TABLE grants; --"]],
    [`  ${"lorem ipsum ".repeat(16)} `, [`${"lorem ipsum ".repeat(30)}end`]],
  ])("finds exactly the purposes that contain %j", async (text, texts) => {
    const url = `/v1/history?${new URLSearchParams({ purpose: text, funder_ein: "131635294", limit: "1000" })}`;
    const { data } = JSON.parse(await served().askText(url)) as { data: { purpose: string }[] };
    expect([...new Set(data.map(({ purpose }) => purpose))].toSorted()).toStrictEqual(texts.toSorted());
  });
});

const isRealHere = isRealTested("searches");

describe.skipIf(!isRealHere)("a search of real filings", () => {
  const served = useRelease({ warehouse: realWarehouse });

  it("equals a brute-force search for any filters and window", async () => {
    await checkAnswers(served(), proofs.anySearches);
  });
});
