// Shows a table. The roles are written out because `display` on phones takes them away.
import type { ComponentChildren, HTMLAttributes } from "preact";

export type Column<Row> = {
  /** Undefined for a column without a head, such as bars. */
  readonly head?: ComponentChildren;
  /** Classes of its head and its cells. */
  readonly name?: string | undefined;
  readonly cell: (row: Row) => ComponentChildren;
  /** What differs by row: the class beside that of the column, and other attributes. */
  readonly mark?: (row: Row) => { readonly class?: string | undefined; readonly "data-year"?: number };
};

type Properties<Row> = Pick<HTMLAttributes<HTMLTableElement>, "id" | "tabIndex" | "aria-busy"> & {
  /** Its classes. */
  readonly name: string;
  readonly caption: string;
  /** True shows the caption; otherwise it is for screen readers. */
  readonly isTitled?: boolean;
  /** The first column names the rows, unless the table is a list. */
  readonly columns: readonly Column<Row>[];
  readonly isList?: boolean;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  readonly rowName?: (row: Row, index: number) => string;
};

/** The table; without heads if no column has one. */
export function DataTable<Row>(properties: Properties<Row>) {
  const { name, caption, isTitled, columns, isList, rows, keyOf, rowName, ...attributes } = properties;
  return (
    <table class={`table ${name}`} role="table" {...attributes}>
      <caption class={isTitled ? "" : "hidden"}>{caption}</caption>
      {columns.every(({ head }) => head === undefined) ? null : (
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ head, name }, index) =>
              head === undefined ? (
                <td key={index} role="cell" class={name} />
              ) : (
                <th key={index} role="columnheader" scope="col" class={name}>
                  {head}
                </th>
              ),
            )}
          </tr>
        </thead>
      )}
      <tbody role="rowgroup">
        {rows.map((row, index) => (
          <tr key={keyOf(row)} role="row" class={rowName?.(row, index)}>
            {columns.map(({ name, cell, mark }, at) => {
              const isHead = at === 0 && !isList;
              const Tag = isHead ? "th" : "td";
              const { class: own, ...others } = mark?.(row) ?? {};
              return (
                <Tag
                  key={at}
                  role={isHead ? "rowheader" : "cell"}
                  scope={isHead ? "row" : undefined}
                  class={[name, own].filter(Boolean).join(" ")}
                  {...others}
                >
                  {cell(row)}
                </Tag>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
