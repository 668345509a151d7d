// Numbers the groups of each kind, and gives their keys: by funder, recipient or an attribute. Years need no numbers.
import { formatEin } from "../contract/ein.ts";
import { byAttribute, readGroup } from "../contract/filters/attributes.ts";
import type { GroupKey } from "../contract/filters.ts";
import { textsOf } from "../release/attributes.ts";
import type { Column, Columns } from "../release/columns.ts";
import { funderRowBytes, readFunderRow } from "../release/layout.ts";
import { readFully } from "../release/records.ts";

/** What matches are grouped by. Every match has the id of one group. */
export type GroupKind = {
  /** The column with the group's id of each rank. */
  readonly column: string;
  /** True if the index has the groups with the largest sums; other kinds have few groups. */
  readonly hasLeaders?: true;
  /** The number of ids. */
  readonly ids: number;
  /** The id of matches that are in no group; -1 if there is none. */
  readonly none: number;
  /** Sort position of the key. */
  readonly placeOf: (id: number) => number;
  /** The fields of the key, except a recipient's name. */
  readonly fieldsOf: (id: number) => object;
  /** The id of the group that has the group of an id, if there are fewer groups than ids: the first of its ids. */
  readonly merge?: (id: number) => number;
  /** Of codes, the groups by their first letter. */
  readonly major?: GroupKind;
};

export type GroupKinds = Readonly<Record<Exclude<GroupKey, "year">, GroupKind>>;

/** The kinds of groups of a release. @param funders its table of funders */
export function makeGroupKinds(columns: Columns, funders: Buffer): GroupKinds {
  const itself = (id: number) => id;
  const eins = columns.column("recipient.ein");
  const order = columns.column("recipient_name.order");
  return {
    funder: {
      column: "rank.funder",
      ids: funders.length / funderRowBytes,
      none: -1,
      placeOf: itself,
      fieldsOf: (id) => ({ funder_ein: formatEin(readFunderRow(funders, id).ein) }),
    },
    recipient: {
      hasLeaders: true,
      column: "rank.recipient",
      ids: eins.length + order.length + 1,
      none: eins.length + order.length,
      placeOf: (id) => (id < eins.length ? id : eins.length + order.at(id - eins.length)),
      fieldsOf: (id) => ({ recipient_ein: id < eins.length ? formatEin(eins.at(id)) : null }),
    },
    ...byAttribute(({ name, group }): GroupKind => {
      const { column } = textsOf(name);
      const starts = columns.column(`${column}.start`);
      const textOf = (id: number) => readText(columns, column, starts, id);
      const common = { column: `rank.${name}`, ids: starts.length, none: -1, placeOf: itself };
      const kind = { ...common, fieldsOf: (id: number) => readGroup(group, textOf(id)) };
      if (!("isByLetter" in group)) return kind;
      const letters = Array.from({ length: starts.length }, (_, id) => textOf(id)?.slice(0, 1) ?? null);
      const firsts = letters.map((letter) => letters.indexOf(letter));
      const major = {
        ...common,
        fieldsOf: (id: number) => readGroup(group, letters[id] ?? null),
        merge: (id: number) => firsts[id] as number,
      };
      return { ...kind, major };
    }),
  };
}

/** A text by its id; null for the id after the last. */
function readText(columns: Columns, name: string, starts: Column, id: number): string | null {
  if (id + 1 === starts.length) return null;
  const [from, to] = [starts.at(id), starts.at(id + 1)];
  return readFully(columns.file, columns.placeOf(`${name}.bytes`).offset + from, to - from).toString();
}
