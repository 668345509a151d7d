// Finds the values that the filters of a search allow in each column by rank: texts, types, states, funders and recipients.
import {
  type AttributeFilter,
  type AttributeKey,
  type AttributeName,
  type AttributeRow,
  attributeFilters,
  indexedFilters,
} from "../contract/filters/attributes.ts";
import type { Filters } from "../contract/filters.ts";
import { canonicalText } from "../contract/text/text.ts";
import { attributes, textsOf } from "../release/attributes.ts";
import { type Column, type Columns, type TextFilter, textColumns } from "../release/columns.ts";
import type { FunderRow } from "../release/layout.ts";
import { addBits, type Bits, newBits, visitRuns } from "./bits.ts";
import { type Checkpoint, Texts } from "./texts.ts";

/** What a record has an id of, in `rank.…`. */
export type Field = TextField | AttributeName | "funder" | "recipient" | "is_filed";

export type TextField = (typeof textColumns)[TextFilter];

/** The fields whose ids all orders have. An order by a text lacks that text's. */
export const listedFields: readonly string[] = attributes
  .filter(({ texts, orders }) => texts !== undefined && orders.length > 1)
  .map(({ name }) => name);

export function isTextField(name: string): name is TextField {
  return Object.values<string>(textColumns).includes(name);
}

export function isPlaceField(field: Field): boolean {
  return listedFields.includes(field) && !isTextField(field);
}

/** A record meets it if its id is in the set. */
export type FoundCondition = {
  readonly field: Field;
  readonly bits: Bits;
  /** The only id in the set, if it is one. */
  readonly only?: number | undefined;
  /** The records that meet it, or more if that is not known. */
  readonly records: number;
  /** True if `records` is exact. */
  readonly isCounted: boolean;
  /** Number of posting lists, of a text, a funder or a recipient; Infinity if unindexed. */
  readonly lists: number;
  /** How the ids were found, for people. */
  readonly way: string;
};

/** The conditions of a search, and the funders of its lists. */
export type Asked = Pick<Filters, TextFilter | "isByWords" | "recipientEins"> & {
  /** Null for grants whose value is unknown. */
  readonly [Key in AttributeKey]?: string | null | undefined;
} & {
  /** The funders that match, by their rows in the funder table, which has `count` rows. */
  readonly funders?: { readonly count: number; readonly rows: readonly ListedFunder[] };
  /** With `only`, the grants without a match do not match. */
  readonly matched?: Filters["matched"] | undefined;
};

/** The conditions that a record's line does not tell: it cannot be checked for them. */
export function inIndexOnly(asked: Asked): Asked {
  const keys = ["matched" as const, ...indexedFilters.map(({ key }) => key)];
  return Object.fromEntries(keys.map((key) => [key, asked[key]]));
}

/** True if rows that meet all ranges may still not match. */
export function hasConditions({ matched, ...asked }: Asked): boolean {
  const keys = [
    ...(["purpose", "recipientName", "funders", "recipientEins"] as const),
    ...attributeFilters.map(({ key }) => key),
  ];
  return matched === "only" || keys.some((key) => asked[key] !== undefined);
}

export type ListedFunder = Pick<FunderRow, "first" | "records"> & { readonly index: number };

/** Visits rows `from` up to, but not including, `to` of an order, which has a column of ranks. */
export type VisitList = (order: ListOrder, from: number, to: number) => void;

/** Records by funder, by recipient, by purpose, or by the recipient's name. */
export type ListOrder = "position" | "recipient" | "purpose" | "recipient_name";

/** Finds conditions in the columns of one release. */
export class Conditions {
  readonly #texts: Readonly<Record<TextFilter, Texts>>;
  readonly #columns: Columns;
  readonly #eins: Column;
  readonly #starts: Column;
  readonly #likely: Column;
  readonly #likelyStarts: Column;
  readonly #checkpoint: Checkpoint;
  readonly #attributeTexts = new Map<string, readonly string[]>();

  constructor(columns: Columns, checkpoint: Checkpoint) {
    this.#columns = columns;
    this.#checkpoint = checkpoint;
    this.#eins = columns.column("recipient.ein");
    this.#starts = columns.column("recipient.start");
    this.#likely = columns.column("likely.ein");
    this.#likelyStarts = columns.column("likely.start");
    this.#texts = {
      purpose: new Texts(columns, "purpose"),
      recipientName: new Texts(columns, "recipientName"),
    };
  }

  /** The rarest condition first. If no record meets one, the others may be missing. */
  find(asked: Asked): FoundCondition[] {
    const found: FoundCondition[] = [];
    for (const condition of this.#findEach(asked)) {
      if (condition === undefined) continue;
      found.push(condition);
      if (condition.records === 0) return [condition];
    }
    return found.sort((one, other) => one.records - other.records);
  }

  *#findEach(asked: Asked): Generator<FoundCondition | undefined> {
    yield this.#ofFunders(asked);
    yield this.#ofRecipients(asked);
    yield this.#ofMatches(asked);
    for (const filter of attributeFilters) yield this.#ofAttribute(asked, filter);
    yield this.#ofText(asked, "purpose");
    yield this.#ofText(asked, "recipientName");
  }

  #ofFunders({ funders }: Asked): FoundCondition | undefined {
    if (funders === undefined) return undefined;
    const bits = bitsOf(
      funders.count,
      funders.rows.map(({ index }) => index),
    );
    const records = funders.rows.reduce((sum, row) => sum + row.records, 0);
    const lists = funders.rows.length;
    return { field: "funder", bits, records, isCounted: true, lists, way: "list" };
  }

  #ofRecipients(asked: Asked): FoundCondition | undefined {
    if (asked.recipientEins === undefined) return undefined;
    const ids = this.#recipientIds(asked);
    const bits = bitsOf(this.#eins.length + this.#texts.recipientName.starts.length, ids);
    const records = ids.reduce((sum, id) => sum + this.#starts.at(id + 1) - this.#starts.at(id), 0);
    return { field: "recipient", bits, records, isCounted: true, lists: ids.length, way: "list" };
  }

  #recipientIds({ recipientEins = [] }: Asked): readonly number[] {
    return recipientEins.flatMap((ein) => this.findRecipient(Number(ein)) ?? []);
  }

  /** Of the grants to a recipient, those that do not name it. */
  #ofMatches({ matched }: Asked): FoundCondition | undefined {
    if (matched !== "only") return undefined;
    const { records } = this.#columns.header;
    const bits = bitsOf(2, [0]);
    return { field: "is_filed", bits, only: 0, records, isCounted: false, lists: Infinity, way: "list" };
  }

  #ofAttribute(
    asked: Asked,
    { name: field, key, isFiled, startOf }: AttributeRow & AttributeFilter,
  ): FoundCondition | undefined {
    const value = asked[key];
    if (value === undefined) return undefined;
    const texts = this.#readTexts(field);
    const start = startOf?.(value ?? "");
    const meets = (text: string) =>
      start === undefined ? (isFiled ? canonicalText(text) : text) === value : text.startsWith(start);
    const ids = value === null ? [texts.length] : texts.flatMap((text, id) => (meets(text) ? [id] : []));
    const only = ids.length === 1 ? ids[0] : undefined;
    const counts = isFiled ? undefined : this.#columns.column(`${field}.records`);
    const all = counts === undefined && ids.length > 0 ? this.#columns.header.records : 0;
    const records = counts === undefined ? all : ids.reduce((sum, id) => sum + counts.at(id), 0);
    const isCounted = counts !== undefined || records === 0;
    const bits = bitsOf(texts.length, ids);
    return { field, bits, only, records, isCounted, lists: Infinity, way: "list" };
  }

  /** The id of a state, or of unknown states; undefined if no record has the state. */
  findState(state: string | null): number | undefined {
    const states = this.#readTexts("funder_state");
    const id = state === null ? states.length : states.indexOf(state);
    return id < 0 ? undefined : id;
  }

  /** The texts of an attribute by their ids. */
  #readTexts(attribute: AttributeName): readonly string[] {
    const { column } = textsOf(attribute);
    const texts = this.#attributeTexts.get(column) ?? readTexts(this.#columns, column);
    this.#attributeTexts.set(column, texts);
    return texts;
  }

  #ofText(asked: Asked, filter: TextFilter): FoundCondition | undefined {
    const pattern = asked[filter];
    if (pattern === undefined) return undefined;
    const { texts: lists, ...found } = this.#texts[filter].find(pattern, this.#checkpoint, asked.isByWords);
    return { field: textColumns[filter], ...found, isCounted: true, lists };
  }

  /** The id of a recipient; undefined if no record has it. */
  findRecipient(ein: number): number | undefined {
    return this.#eins.find(ein);
  }

  /** The first row of a recipient in the order by recipient, and the row after its last one; none if no record has it. */
  rowsOfRecipient(ein: number): readonly [from: number, to: number] {
    const id = this.findRecipient(ein);
    return id === undefined ? [0, 0] : [this.#starts.at(id), this.#starts.at(id + 1)];
  }

  /** The same in the order of likely recipients; undefined if the recipient has no match. */
  likelyRowsOf(ein: number): readonly [from: number, to: number] | undefined {
    const id = this.#likely.find(ein);
    return id === undefined ? undefined : [this.#likelyStarts.at(id), this.#likelyStarts.at(id + 1)];
  }

  /** Visits the lists of a condition: where the ranks of its records are. */
  visitLists({ field, bits }: FoundCondition, asked: Asked, visit: VisitList): void {
    if (field === "funder")
      for (const { first, records } of asked.funders?.rows ?? []) visit("position", first, first + records);
    else if (field === "recipient")
      for (const id of this.#recipientIds(asked))
        visit("recipient", this.#starts.at(id), this.#starts.at(id + 1));
    else if (isTextField(field)) {
      const { starts } = field === "purpose" ? this.#texts.purpose : this.#texts.recipientName;
      visitRuns(bits, (text, stop) => visit(field, starts.at(text), starts.at(stop)));
    }
  }
}

/** A set that threads can share. */
function bitsOf(length: number, integers: readonly number[]): Bits {
  const bits = new Int32Array(new SharedArrayBuffer(newBits(length).byteLength));
  addBits(bits, Int32Array.from(integers));
  return bits;
}

function readTexts(columns: Columns, name: string): string[] {
  const bytes = Buffer.from(columns.bytes(`${name}.bytes`));
  const starts = columns.column(`${name}.start`);
  return Array.from({ length: starts.length - 1 }, (_, id) =>
    bytes.toString("utf8", starts.at(id), starts.at(id + 1)),
  );
}
