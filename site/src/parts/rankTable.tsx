// Shows a table of ranks: a name, a bar, a value and a count. On phones the bar goes under the name.
import type { ComponentChildren } from "preact";
import { Bar } from "../charts/bar.tsx";

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
    // The roles are written out because `display` on phones takes them away.
    <table class="table ranks" role="table">
      <caption class="hidden">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          <th scope="col" role="columnheader">
            {name}
          </th>
          <td class="rank-bar" role="cell" />
          <th scope="col" role="columnheader" class="is-number">
            {value}
          </th>
          <th scope="col" role="columnheader" class="is-number rank-count">
            {count}
          </th>
        </tr>
      </thead>
      <tbody role="rowgroup">
        {ranks.map((rank) => (
          <tr key={rank.key} role="row">
            <th scope="row" role="rowheader">
              {rank.name}
            </th>
            <td class="rank-bar" role="cell">
              <Bar share={rank.share} tail={rank.tail} />
            </td>
            <td class="is-number" role="cell">
              {rank.value}
            </td>
            <td class="is-number rank-count" role="cell">
              {rank.count}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
