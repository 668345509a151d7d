// Draws searches from the records of a release by a seed, so that every release is verified with other searches.
import { hash } from "node:crypto";
import type { Ein } from "../../api-static/contract/ein.ts";
import { type Filters, type PlaceFilter, placeFilters } from "../../api-static/contract/filters.ts";
import { textLengthMax } from "../../api-static/contract/limits.ts";
import { readCents } from "../../api-static/contract/matching.ts";
import type { GrantRecord } from "../../api-static/contract/record.ts";
import { canonicalText } from "../../api-static/contract/text.ts";
import type { Columns } from "../../api-static/release/columns.ts";
import type { Records } from "../../api-static/release/records.ts";
import { maxPatterns } from "./matchCounts.ts";
import { pick, type Random, seedRandom } from "./random.ts";

/** A search, and where its page is in the matches: from 0 for the first one to 1 for the place after the last. */
export type DrawnSearch = { readonly filters: Filters; readonly limit: number; readonly place: number };

type FilterName = keyof Filters;

/**
 * The filters that a search has at least. Few searches have neither an EIN nor a text: they match most records, so verifying them
 * takes longest.
 */
const shapes: readonly (readonly FilterName[])[] = [
  ["funderEin"],
  ["funderEin", "transactionYear"],
  ["funderEin", "minAmountCents"],
  ["recipientEin"],
  ["recipientEin", "transactionYear"],
  ["recipientEin", "minAmountCents"],
  ["funderEin", "recipientEin"],
  ["funderEin", "purpose"],
  ["recipientEin", "purpose"],
  ["funderEin", "purpose", "transactionYear"],
  ["recipientEin", "recipientName"],
  ["funderEin", "recipientName"],
  ["funderEin", "purpose", "recipientName"],
  ["recipientEin", "purpose", "minAmountCents"],
  ["purpose"],
  ["recipientName"],
  ["purpose", "recipientName"],
  ["purpose", "recipientState"],
  ["recipientName", "funderState"],
  ["funderEin", "recipientState"],
  ["recipientEin", "funderState", "recipientState"],
  ["recipientState", "transactionYear"],
  [],
];

/** How often a search has each other filter. */
const otherShare = 0.3;

const limits = [1, 10, 10, 100, 100];

/** The known places of the record at a position. */
export type PlacesAt = (position: number) => Pick<Filters, PlaceFilter>;

/** Opens the places of a release's records in its columns: whether they are right is verified otherwise. */
export function openPlaces(columns: Columns): PlacesAt {
  const bytes = Buffer.from(columns.bytes("state.bytes"));
  const starts = columns.column("state.start");
  const filters = Object.entries(placeFilters) as [PlaceFilter, string][];
  const opened = filters.map(([filter, name]) => ({ filter, ids: columns.column(`position.${name}`) }));
  return (position) => {
    const known = opened.flatMap(({ filter, ids }): [PlaceFilter, string][] => {
      const id = ids.at(position);
      if (id + 1 >= starts.length) return [];
      return [[filter, bytes.toString("utf8", starts.at(id), starts.at(id + 1))]];
    });
    return Object.fromEntries(known);
  };
}

/**
 * Draws searches for any combination of filters, which one record or more match; some texts are spelled backward, so that few match.
 * @param total number of records
 * @param placesAt gives the places of a record, which are no part of it
 * @returns undefined if a drawn line is not a record
 */
export function drawSearches(
  records: Pick<Records, "readLines">,
  total: number,
  seed: string,
  count: number,
  placesAt: PlacesAt,
): DrawnSearch[] | undefined {
  const draw = new Draw(seed);
  const drawFilters = () => {
    const position = Math.floor(draw.next() * total);
    return { ...draw.filters(records.readLines([position]).toString()), ...placesAt(position) };
  };
  try {
    // Few records give the text filters, because each pattern is compared with all texts.
    const withTexts = Array.from({ length: maxPatterns }, drawFilters);
    return Array.from({ length: count }, () => {
      const shape = draw.pick(shapes);
      const hasText = shape.includes("purpose") || shape.includes("recipientName");
      const { purpose: _, recipientName: __, ...withoutTexts } = drawFilters();
      const filters = draw.some(hasText ? draw.pick(withTexts) : withoutTexts, shape);
      return {
        filters: draw.wider(filters, withTexts),
        limit: draw.pick(limits),
        place: draw.next() < 0.5 ? 0 : draw.next(),
      };
    });
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** A year, and ranges that contain it. */
const yearRanges = (year: number): Filters[] => [
  { transactionYear: year },
  { transactionYear: year },
  { minYear: year - 1, maxYear: year + 1 },
  { minYear: year },
  { maxYear: year },
];

/** A minimum amount, and ranges that start or end with it. */
const amountRanges = (cents: bigint): Filters[] => [
  { minAmountCents: cents },
  { minAmountCents: cents, maxAmountCents: cents + 100n },
  { minAmountCents: cents - 100_000n, maxAmountCents: cents },
  { maxAmountCents: cents },
];

/** Draws from a sequence of random numbers, which the seed determines. */
class Draw {
  /** A number from 0 up to, but not including, 1. */
  readonly next: Random;

  constructor(seed: string) {
    this.next = seedRandom(hash("sha256", seed, "buffer").readUInt32LE());
  }

  pick<Value>(values: readonly Value[]): Value {
    return pick(this.next, values);
  }

  /** The filters that the shape has, with a funder in place of a recipient that the record does not have, and some of the others. */
  some(filters: Filters, shape: readonly string[]): Filters {
    const names =
      filters.recipientEin === undefined && shape.includes("recipientEin") ? [...shape, "funderEin"] : shape;
    const isDrawn = (name: string) => names.includes(name) || this.next() < otherShare;
    return Object.fromEntries(Object.entries(filters).filter(([name]) => isDrawn(name)));
  }

  /** Filters with lists of EINs and with ranges, which match the same records and often more. @param others whose EINs the lists have too */
  wider(filters: Filters, others: readonly Filters[]): Filters {
    const { funderEin, recipientEin, transactionYear: year, minAmountCents: cents, ...rest } = filters;
    const list = (ein: Ein, name: "funderEin" | "recipientEin") => {
      const eins = Array.from({ length: this.pick([0, 0, 1, 2, 5]) }, () => this.pick(others)[name] ?? ein);
      return [...new Set([ein, ...eins])].sort();
    };
    const [funderEins = [], recipientEins = []] = [
      funderEin && list(funderEin, "funderEin"),
      recipientEin && list(recipientEin, "recipientEin"),
    ];
    const years = year !== undefined && this.pick(yearRanges(year));
    const amounts = cents !== undefined && this.pick(amountRanges(cents));
    return {
      ...rest,
      ...(funderEins.length > 1 ? { funderEins } : funderEin && { funderEin }),
      ...(recipientEins.length > 1 ? { recipientEins } : recipientEin && { recipientEin }),
      ...years,
      ...amounts,
    };
  }

  /** All filters that a record matches, or almost. */
  filters(line: string): Filters {
    const record = JSON.parse(line.slice(0, line.lastIndexOf(","))) as GrantRecord;
    const purpose = this.#pattern(record.purpose);
    const recipientName = this.#pattern(record.recipient_name);
    return {
      funderEin: record.funder_ein as Ein,
      ...(record.recipient_ein !== null && { recipientEin: record.recipient_ein as Ein }),
      transactionYear: record.transaction_year,
      ...(purpose !== undefined && { purpose }),
      ...(recipientName !== undefined && { recipientName }),
      ...(record.type !== null && { type: canonicalText(record.type) }),
      minAmountCents: readCents(line) + BigInt(this.pick([-1, 0, 0, 1])),
    };
  }

  /** A word, some words, a piece of a text, also backward, or the whole; undefined if it would be blank or too long. */
  #pattern(text: string | null): string | undefined {
    const canonical = canonicalText(text ?? "");
    const words = canonical.split(" ");
    const letters = [...canonical];
    const first = Math.floor(this.next() * words.length);
    const from = Math.floor(this.next() * letters.length);
    const piece = letters.slice(from, from + 2 + Math.floor(this.next() * 20));
    const drawn = this.pick([
      words[first] ?? "",
      words.slice(first, first + 2).join(" "),
      words.slice(first, first + 4).join(" "),
      piece.join(""),
      piece.join(""),
      piece.toReversed().join(""),
      canonical,
    ]);
    const pattern = canonicalText(drawn);
    return pattern === "" || [...pattern].length > textLengthMax ? undefined : pattern;
  }
}
