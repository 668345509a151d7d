// Builds the suite of searches: the requests and their classes, from the drawn values.
import type { Filters } from "../../api-static/contract/filters.ts";
import type { HistoryRequest } from "../../api-static/contract/operations/searches.ts";
import { href } from "../../api-static/contract/operations/searches.ts";
import type { EinPicks, GrantPick, Picks, WordPicks } from "./picks.ts";
import { cutAcrossWords, cutLetters, cutPhrase } from "./pieces.ts";

export type Case = {
  /** The class of the request; a class is reported as one. */
  readonly group: string;
  readonly request: HistoryRequest;
};

type Text = "purpose" | "recipientName";

/** Texts that no grant has, of common letters. */
const absentText = "quarterly zeppelin inspection";
const absentWord = "xqzjv";

/** A minimum that few grants reach, in cents. */
const manyDollars = 1_000_000_00n;

/** Offsets of the suite: beyond the first page, and deep. */
const beyond = 1_000;
const deep = 1_000_000;

/** Builds the suite: each filter alone, every kind of text, pairs, three filters and all; no request twice. */
export function buildSuite(picks: Picks): Case[] {
  const lots = dealGrants(picks.grants);
  const cases = [
    ...single(picks, lots),
    ...texts("purpose", picks.purposes, lots),
    ...texts("recipientName", picks.names, lots),
    ...pairs(picks, lots),
    ...several(picks, lots),
  ];
  return [...new Map(cases.map((one) => [href(one.request), one])).values()];
}

type Lots = (count: number) => readonly GrantPick[];

/** Deals the drawn grants in turn, from the first again after the last, so that classes share as few as possible. */
function dealGrants(grants: readonly GrantPick[]): Lots {
  let next = 0;
  return (count) => Array.from({ length: count }, () => grants[next++ % grants.length] as GrantPick);
}

function single({ funders, recipients, years }: Picks, lots: Lots): Case[] {
  const eins = (name: "funderEin" | "recipientEin", { largest, drawn }: EinPicks) => [
    ask({ [name]: largest }),
    ask({ [name]: largest }, 1000, beyond + 1),
    ...lots(3).map((grant) => ask({ [name]: grant[name] })),
    ...drawn.slice(0, 3).map((ein, index) => ask({ [name]: ein }, limitOf(index))),
  ];
  const { largest, newest, oldest } = years;
  return [
    ...group("no filter", [ask({}), ask({}, 1), ask({}, 1000), ask({}, 100, beyond), ask({}, 100, deep)]),
    ...group("funder", eins("funderEin", funders)),
    ...group("recipient", eins("recipientEin", recipients)),
    ...group("year", [
      ask({ transactionYear: largest }),
      ask({ transactionYear: newest }, 1000),
      ask({ transactionYear: oldest }, 1),
      ask({ transactionYear: largest }, 100, beyond),
      ask({ transactionYear: largest }, 100, deep),
      ...lots(3).map(({ transactionYear }) => ask({ transactionYear }, 1000, beyond)),
    ]),
    ...group("minimum amount", [
      ask({ minAmountCents: manyDollars }, 1000),
      ...lots(5).map(({ minAmountCents }, index) => ask({ minAmountCents }, limitOf(index))),
      ...lots(1).map(({ minAmountCents }) => ask({ minAmountCents }, 100, beyond)),
      ...lots(1).map(({ minAmountCents }) => ask({ minAmountCents }, 100, deep)),
    ]),
  ];
}

/** Requests for one text filter alone: words by frequency, pieces of the texts of drawn grants. */
function texts(name: Text, words: WordPicks, lots: Lots): Case[] {
  const field = name === "purpose" ? "purpose" : "name";
  const of = (text: string, limit?: number, offset?: number) => ask({ [name]: text }, limit, offset);
  const all = (found: readonly string[]) => found.map((text, index) => of(text, limitOf(index)));
  const filed = (count: number) => lots(count).map((grant) => grant[name]);
  const letters = (length: number, count: number) =>
    all(filed(count).map((text) => cutLetters(text, length)));
  const { frequent, common, uncommon, rare, foreign } = words;
  return [
    ...group(`${field}: frequent word`, all(frequent)),
    ...group(`${field}: common word`, all(common.slice(0, 5))),
    ...group(`${field}: uncommon word`, all(uncommon.slice(0, 4))),
    ...group(`${field}: rare word`, all(rare.slice(0, 4))),
    ...group(`${field}: absent`, [of(absentText), of(absentWord)]),
    ...group(`${field}: one or two characters`, [...letters(1, 4), ...letters(2, 5)]),
    ...group(`${field}: part of a word`, [...letters(3, 4), ...letters(5, 3)]),
    ...group(`${field}: phrase`, [
      ...all(filed(4).map((text) => cutPhrase(text, 2))),
      ...all(filed(3).map((text) => cutPhrase(text, 3))),
      ...all(filed(2).map(cutAcrossWords)),
    ]),
    ...group(`${field}: whole text`, all(filed(3))),
    ...group(`${field}: outside ASCII`, all(foreign.slice(0, 4))),
    ...group(`${field}: beyond the first page`, [
      ...frequent.slice(0, 2).flatMap((word) => [of(word, 100, beyond), of(word, 100, deep)]),
      ...common.slice(0, 2).map((word) => of(word, 100, beyond)),
      ...filed(1).map((text) => of(cutLetters(text, 1), 100, deep)),
    ]),
  ];
}

/** Pairs: values of one grant, which do occur together, and values drawn apart, which may not. */
function pairs({ funders, recipients, years, purposes, names }: Picks, lots: Lots): Case[] {
  const texted = wordFilters(purposes, names);
  const withText = (filters: readonly Filters[]) =>
    filters.map((filter, index) => ask({ ...filter, ...texted(index) }, limitOf(index)));
  return [
    ...group("funder and another", [
      ask({ funderEin: funders.largest, transactionYear: years.largest }),
      ...lots(2).map(({ funderEin, transactionYear }) => ask({ funderEin, transactionYear })),
      ...lots(2).map(({ funderEin, recipientEin }) => ask({ funderEin, recipientEin })),
      ...lots(2).map(({ minAmountCents }) => ask({ funderEin: funders.largest, minAmountCents }, 1000)),
    ]),
    ...group("funder and text", [
      ...withText(Array.from({ length: 4 }, () => ({ funderEin: funders.largest }))),
      ...withText(lots(4).map(({ funderEin }) => ({ funderEin }))),
      ...lots(2).map(({ funderEin, purpose }) => ask({ funderEin, purpose: cutLetters(purpose, 3) })),
    ]),
    ...group("recipient and another", [
      ask({ recipientEin: recipients.largest, transactionYear: years.largest }),
      ...lots(2).map(({ recipientEin, transactionYear }) => ask({ recipientEin, transactionYear })),
      ...lots(2).map(({ minAmountCents }) => ask({ recipientEin: recipients.largest, minAmountCents }, 1000)),
    ]),
    ...group("recipient and text", [
      ...withText(Array.from({ length: 4 }, () => ({ recipientEin: recipients.largest }))),
      ...lots(2).map(({ recipientEin, recipientName }) =>
        ask({ recipientEin, recipientName: cutLetters(recipientName, 3) }),
      ),
    ]),
    ...group("year and amount", [
      ask({ transactionYear: years.largest, minAmountCents: manyDollars }, 1000),
      ...lots(3).map(({ transactionYear, minAmountCents }) => ask({ transactionYear, minAmountCents })),
      ...lots(2).map(({ minAmountCents }) =>
        ask({ transactionYear: years.largest, minAmountCents }, 100, beyond),
      ),
    ]),
    ...group("text and year", withText(lots(10).map(({ transactionYear }) => ({ transactionYear })))),
    ...group("text and amount", [
      ...withText(lots(9).map(({ minAmountCents }) => ({ minAmountCents }))),
      ...withText([{ minAmountCents: manyDollars }]),
    ]),
    ...group("both texts", [
      ...[...purposes.frequent.slice(0, 2), ...purposes.common.slice(0, 2)].map((purpose, index) =>
        ask({ purpose, recipientName: names.frequent[index + 2] ?? "a" }, limitOf(index)),
      ),
      ...lots(2).map((grant) => ask(phrases(grant))),
      ...lots(2).map(({ purpose, recipientName }) =>
        ask({ purpose: cutLetters(purpose, 2), recipientName: cutLetters(recipientName, 2) }),
      ),
      ...lots(2).map(({ purpose, recipientName }) =>
        ask({ purpose: cutLetters(purpose, 1), recipientName: cutLetters(recipientName, 1) }),
      ),
    ]),
  ];
}

/** Three filters, and all six. */
function several({ funders, purposes, names }: Picks, lots: Lots): Case[] {
  const texted = wordFilters(purposes, names);
  return [
    ...group("three filters", [
      ...lots(4).map(({ transactionYear, minAmountCents }, index) =>
        ask({ transactionYear, minAmountCents, ...texted(index) }, limitOf(index)),
      ),
      ...lots(2).map((grant) => ask({ transactionYear: grant.transactionYear, ...phrases(grant) })),
      ...lots(2).map(({ transactionYear }, index) =>
        ask({ funderEin: funders.largest, transactionYear, ...texted(index + 4) }, 1000),
      ),
    ]),
    ...group("all filters", [
      ...lots(3).map((grant) => ask(grant)),
      ...lots(2).map((grant) => ask({ ...grant, ...phrases(grant), minAmountCents: 0n })),
    ]),
  ];
}

/** Text filters in turn: a purpose, then a name, of each band of words. */
function wordFilters(purposes: WordPicks, names: WordPicks): (index: number) => Filters {
  const turns = [
    (place: number) => ({ purpose: purposes.frequent[place % purposes.frequent.length] }),
    (place: number) => ({ recipientName: names.frequent[place % names.frequent.length] }),
    (place: number) => ({ purpose: purposes.common[place % purposes.common.length] }),
    (place: number) => ({ recipientName: names.common[place % names.common.length] }),
    (place: number) => ({ purpose: purposes.uncommon[place % purposes.uncommon.length] }),
    (place: number) => ({ recipientName: names.rare[place % names.rare.length] }),
  ];
  return (index) => turns[index % turns.length]?.(index) as Filters;
}

function phrases({ purpose, recipientName }: GrantPick): Filters {
  return { purpose: cutPhrase(purpose, 2), recipientName: cutPhrase(recipientName, 2) };
}

/** Limits in turn: most requests take the default. */
function limitOf(index: number): number {
  return [100, 1000, 100, 1][index % 4] ?? 100;
}

function group(name: string, requests: readonly HistoryRequest[]): Case[] {
  return requests.map((request) => ({ group: name, request }));
}

function ask(filters: Filters, limit = 100, offset = 0): HistoryRequest {
  return { kind: "history", scope: "search", filters, limit, offset };
}
