// Draws a column of a chart, and chooses the columns whose values are written: a value may not cover another one, nor a column.

export type YearColumn = {
  readonly year: number;
  readonly value: number;
  /** The number below the year; undefined shows none. */
  readonly count?: number | undefined;
  /** What is drawn hatched, beyond the column: it is never added to the value. */
  readonly likely?: { readonly value: number; readonly count: number };
};

/** The columns of a chart, and what is written of them. */
export type YearChart = {
  /** The years with grants, in any order. */
  readonly columns: readonly YearColumn[];
  readonly formatValue: (value: number) => string;
  /** The value in the chart's table; as in the chart if it is not given. */
  readonly formatExact?: (value: number) => string;
  /** The heads of the table's columns. */
  readonly valueHead?: string;
  readonly countHead?: string;
  /** The label of a column for screen readers, e.g., "2016: $6,134,800 in 144 grants". */
  readonly describe: (column: YearColumn) => string;
  /** Where a column leads. */
  readonly hrefOf?: ((year: number) => string) | undefined;
  readonly title: string;
  /** The years to draw even if they have no grants; by default from the first to the last column. */
  readonly first?: number | undefined;
  readonly last?: number | undefined;
  /** The value at the top, if charts share a scale. */
  readonly top?: number | undefined;
  /** A year to draw on a different background. */
  readonly chosen?: number | undefined;
  readonly height?: number;
  /** True labels the largest value and the first and last year only. */
  readonly isSmall?: boolean;
};

type ColumnProperties = {
  column: YearColumn;
  x: number;
  width: number;
  zero: number;
  scale: number;
  /** Width of the chart, in which the text must stay. */
  room: number;
  text: string;
  hasText: boolean;
  description: string;
  href: string | undefined;
  /** Fills the likely part. */
  hatching: string;
};

/** The column, its value, and a link of its whole height. */
export function Column({
  column,
  x,
  width,
  zero,
  scale,
  room,
  text,
  hasText,
  description,
  href,
  hatching,
}: ColumnProperties) {
  const { value, likely } = column;
  const size = Math.max(1, Math.abs(value) * scale);
  const isNegative = value < 0;
  const isZero = value === 0;
  const [top, bottom] = [zero - extentOf(column, 1) * scale, zero + extentOf(column, -1) * scale];
  const isBelow = isNegative && top === zero; // nothing stands above the line
  const half = text.length * 3.6; // about half of the text's width
  const middle = Math.min(Math.max(x + width / 2, half), room - half);
  // The whole height is the link: a year of zero has no bar. The value stays outside: its words differ from the link's name.
  const hit = <rect class="hit" x={x} y="0" width={width} height={Math.max(zero, bottom)} />;
  const bar = isZero ? null : (
    <rect class="bar" x={x} y={isNegative ? zero : zero - size} width={width} height={size} />
  );
  const likelySize = Math.max(2, Math.abs(likely?.value ?? 0) * scale);
  const hatched =
    likely === undefined || likely.value === 0 ? null : (
      <rect
        class="bar-likely"
        x={x + 0.5}
        y={likely.value < 0 ? bottom - likelySize : top}
        width={width - 1}
        height={likelySize}
        fill={hatching}
      />
    );
  return (
    <>
      {href === undefined ? (
        <g role="img" aria-label={description}>
          {hit}
          {bar}
          {hatched}
        </g>
      ) : (
        <a href={href} aria-label={description}>
          {hit}
          {bar}
          {hatched}
        </a>
      )}
      {hasText ? (
        <text
          class={isZero && likely === undefined ? "is-quiet" : "value"}
          x={middle}
          y={isBelow ? bottom + 14 : Math.min(top, zero - 1) - 7}
          text-anchor="middle"
          aria-hidden="true"
        >
          {text}
        </text>
      ) : null}
    </>
  );
}

/** How far a column reaches above the line, or with -1 below it, in units of its value. */
export function extentOf({ value, likely }: YearColumn, sign: 1 | -1): number {
  return Math.max(0, value * sign) + Math.max(0, (likely?.value ?? 0) * sign);
}

export type Labeled = {
  /** The middle of the column and of its text. */
  readonly x: number;
  /** The upper edge of the column, above which its text stands; the zero line for a negative one. */
  readonly y: number;
  /** Half of the text's width. */
  readonly half: number;
};

/** From the column's edge to the lower and upper edge of its text. */
const [textBottom, textTop] = [5, 18];

/**
 * The indexes of the columns whose texts are drawn.
 * @param columns all columns, in order
 * @param wanted indexes of columns that want a text, most important first
 * @param halfColumn half of a column's width
 */
export function chooseLabels(
  columns: readonly Labeled[],
  wanted: readonly number[],
  halfColumn: number,
): ReadonlySet<number> {
  const chosen = new Set<number>();
  for (const index of wanted) {
    const own = columns[index];
    if (own === undefined) continue;
    const coversColumn = columns.some(
      ({ x, y }, other) =>
        other !== index && Math.abs(x - own.x) < own.half + halfColumn && y < own.y - textBottom,
    );
    const coversText = [...chosen].some((other) => {
      const { x, y, half } = columns[other] ?? own;
      return Math.abs(x - own.x) < own.half + half && Math.abs(y - own.y) < textTop - textBottom;
    });
    if (!coversColumn && !coversText) chosen.add(index);
  }
  return chosen;
}
