// Builds the suite of searches: the requests and their classes, from the picked values.

import type { Filters } from "../../api-static/contract/filters.ts";
import type { HistoryRequest } from "../../api-static/contract/request.ts";
import type { Picks, TextPicks } from "./picks.ts";

export type Case = {
  /** The class of the request; a class is reported as one. */
  readonly group: string;
  readonly request: HistoryRequest;
};

/** Texts that no grant has, of common letters. */
const absentText = "quarterly zeppelin inspection";
const absentWord = "xqzjv";

/** Cents. */
const someDollars = 10_000_00n;
const manyDollars = 1_000_000_00n;
const oddDollars = 12_345_67n;

/** Offsets of the suite: beyond the first page, and deep. */
const beyond = 1_000;
const deep = 1_000_000;

/** Builds the suite: each filter alone, pairs, all together; limits of 1, 100 and 1000. */
export function buildSuite(picks: Picks): Case[] {
  return [
    ...single(picks),
    ...texts("purpose", picks.purposes),
    ...texts("recipientName", picks.names),
    ...joint(picks),
  ];
}

function single({ funders, recipients, years }: Picks): Case[] {
  return [
    ...group("no filter", [ask({}), ask({}, 1), ask({}, 1000), ask({}, 100, beyond), ask({}, 100, deep)]),
    ...group("funder", [
      ask({ funderEin: funders.large }),
      ask({ funderEin: funders.large }, 1000, beyond + 1),
      ask({ funderEin: funders.median }),
      ask({ funderEin: funders.small }, 1),
    ]),
    ...group("recipient", [
      ask({ recipientEin: recipients.large }),
      ask({ recipientEin: recipients.large }, 1000),
      ask({ recipientEin: recipients.median }),
      ask({ recipientEin: recipients.small }, 1),
    ]),
    ...group("year", [
      ask({ transactionYear: years.large }),
      ask({ transactionYear: years.newest }, 1000),
      ask({ transactionYear: years.oldest }, 1),
      ask({ transactionYear: years.large }, 100, beyond),
      ask({ transactionYear: years.large }, 100, deep),
    ]),
    ...group("minimum amount", [
      ask({ minAmountCents: someDollars }),
      ask({ minAmountCents: manyDollars }, 1000),
      ask({ minAmountCents: oddDollars }, 1),
      ask({ minAmountCents: oddDollars }, 100, beyond),
      ask({ minAmountCents: oddDollars }, 100, deep),
    ]),
  ];
}

/** Requests for one text filter alone. */
function texts(name: "purpose" | "recipientName", picks: TextPicks): Case[] {
  const field = name === "purpose" ? "purpose" : "name";
  const of = (text: string, limit?: number, offset?: number) => ask({ [name]: text }, limit, offset);
  return [
    ...group(`${field}: frequent`, [
      of(picks.frequentText),
      of(picks.frequentWord, 1000),
      of(picks.commonWord),
      of(picks.commonWord, 1),
    ]),
    ...group(`${field}: rare`, [of(picks.rareText), of(picks.rareWord), of(picks.uncommonWord, 1000)]),
    ...group(`${field}: absent`, [of(absentText), of(absentWord)]),
    ...group(`${field}: one or two characters`, [of("a"), of("z", 1), of("#"), of("ly", 1000)]),
    ...group(`${field}: part of a word, across words`, [
      of(partOf(picks.frequentWord)),
      of(partOf(picks.rareWord), 1),
      of(acrossWords(picks.frequentText)),
      of(acrossWords(picks.rareText)),
    ]),
    ...group(`${field}: outside ASCII`, [
      of(picks.foreignWord),
      of(partOf(picks.foreignWord)),
      of("é"),
      of("東京"),
    ]),
    ...group(`${field}: beyond the first page`, [
      of(picks.frequentWord, 100, beyond),
      of(picks.frequentWord, 100, deep),
      of(picks.uncommonWord, 100, beyond),
      of("a", 100, deep),
    ]),
  ];
}

/** Pairs of filters, three, and all six. */
function joint({ funders, recipients, years, purposes, names, grant }: Picks): Case[] {
  const { frequentWord, commonWord, rareWord } = purposes;
  const year = { transactionYear: years.large };
  return [
    ...group("pair with a funder", [
      ask({ funderEin: funders.large, ...year }),
      ask({ funderEin: funders.large, recipientEin: grant.recipientEin }),
      ask({ funderEin: funders.large, minAmountCents: someDollars }, 1000),
      ask({ funderEin: funders.large, purpose: commonWord }),
      ask({ funderEin: funders.large, recipientName: names.commonWord }, 1),
      ask({ funderEin: funders.median, purpose: "a" }),
    ]),
    ...group("pair with a recipient", [
      ask({ recipientEin: recipients.large, ...year }),
      ask({ recipientEin: recipients.large, minAmountCents: someDollars }, 1000),
      ask({ recipientEin: recipients.large, purpose: frequentWord }),
      ask({ recipientEin: recipients.median, recipientName: "a" }, 1),
    ]),
    ...group("year and amount", [
      ask({ ...year, minAmountCents: someDollars }),
      ask({ ...year, minAmountCents: manyDollars }, 1000),
      ask({ transactionYear: years.newest, minAmountCents: oddDollars }, 1),
      ask({ ...year, minAmountCents: oddDollars }, 100, beyond),
    ]),
    ...group("text and year", [
      ask({ ...year, purpose: frequentWord }),
      ask({ ...year, purpose: commonWord }, 1000),
      ask({ ...year, purpose: rareWord }),
      ask({ ...year, recipientName: names.commonWord }),
      ask({ ...year, recipientName: names.rareWord }, 1),
    ]),
    ...group("text and amount", [
      ask({ purpose: frequentWord, minAmountCents: someDollars }),
      ask({ purpose: commonWord, minAmountCents: manyDollars }, 1000),
      ask({ recipientName: names.commonWord, minAmountCents: someDollars }),
      ask({ recipientName: names.rareWord, minAmountCents: oddDollars }, 1),
    ]),
    ...group("both texts", [
      ask({ purpose: frequentWord, recipientName: names.frequentWord }),
      ask({ purpose: commonWord, recipientName: names.uncommonWord }, 1000),
      ask({ purpose: rareWord, recipientName: "a" }),
    ]),
    ...group("three filters and all", [
      ask({ ...year, purpose: commonWord, minAmountCents: someDollars }),
      ask({ ...year, purpose: "a", minAmountCents: manyDollars }, 1000),
      ask({ ...year, purpose: frequentWord, recipientName: names.frequentWord }),
      ask(grant),
      ask({ funderEin: funders.large, ...year, purpose: "a", minAmountCents: someDollars }, 1000),
    ]),
  ];
}

function group(name: string, requests: readonly HistoryRequest[]): Case[] {
  return requests.map((request) => ({ group: name, request }));
}

function ask(filters: Filters, limit = 100, offset = 0): HistoryRequest {
  return { kind: "history", scope: "search", filters, limit, offset };
}

/** A word without its first and last letter, e.g., "uppor". */
export function partOf(word: string): string {
  return [...word].slice(1, -1).join("");
}

/** From the middle of a text's first word to the middle of its second, e.g., "eral sup"; the text itself if it is one word. */
export function acrossWords(text: string): string {
  const [first, second] = text.split(" ");
  if (!first || !second) return text;
  return `${first.slice(Math.floor(first.length / 2))} ${second.slice(0, Math.ceil(second.length / 2))}`;
}
