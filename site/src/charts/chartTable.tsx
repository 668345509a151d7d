// Shows the numbers of a chart as a table, behind a small switch.
import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";

export type ChartTable = {
  /** The heads of the columns; the first names the rows. */
  readonly heads: readonly string[];
  readonly rows: readonly (readonly [label: ComponentChildren, ...values: string[]])[];
};

type Properties = ChartTable & {
  readonly title: string;
  /** The drawing. */
  readonly children: ComponentChildren;
};

/** A chart, or the same numbers as a table, as the reader chooses. */
export function WithTable({ title, heads, rows, children }: Properties) {
  const [isTable, setIsTable] = useState(false);
  const id = useId();
  return (
    <div class="with-table">
      <button
        type="button"
        class="link-button note chart-switch"
        aria-controls={id}
        onClick={() => setIsTable(!isTable)}
      >
        {isTable ? "Show as chart" : "Show as table"}
        <span class="hidden">: {title}</span>
      </button>
      <div id={id}>{isTable ? <Table title={title} heads={heads} rows={rows} /> : children}</div>
    </div>
  );
}

function Table({ title, heads, rows }: ChartTable & { title: string }) {
  return (
    <table class="table chart-table">
      <caption class="hidden">{title}</caption>
      <thead>
        <tr>
          {heads.map((head, index) => (
            <th key={head} scope="col" class={index === 0 ? "" : "is-number"}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([label, ...values], row) => (
          <tr key={row}>
            <th scope="row">{label}</th>
            {values.map((value, index) => (
              <td key={heads[index + 1]} class="is-number">
                {value}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
