// Shows a table of ranks: a name, a bar, a value and a count. On phones the bar goes under the name.
import type { ComponentChildren } from "preact";
import { Bar } from "../charts/bar.tsx";
import { DataTable } from "./dataTable.tsx";

export type Rank = {
  readonly key: string;
  readonly name: ComponentChildren;
  /** Length of the bar, from 0 to 1. */
  readonly share: number;
  /** The part of the bar beyond cash. */
  readonly tail?: number;
  readonly value: ComponentChildren;
  readonly count: ComponentChildren;
};

type Properties = {
  readonly caption: string;
  /** The heads of name, value and count. */
  readonly heads: readonly [string, string, string];
  readonly ranks: readonly Rank[];
};

/** The table, in the order given. */
export function RankTable({ caption, heads: [name, value, count], ranks }: Properties) {
  return (
    <DataTable
      name="cards ranks"
      caption={caption}
      rows={ranks}
      keyOf={({ key }) => key}
      columns={[
        { head: name, cell: (rank) => rank.name },
        { name: "rank-bar", cell: ({ share, tail }) => <Bar share={share} tail={tail} /> },
        { head: value, name: "is-number", cell: (rank) => rank.value },
        { head: count, name: "is-number rank-count", cell: (rank) => rank.count },
      ]}
    />
  );
}
