// Draws a column of a chart, and chooses the columns whose values are written: a value may not cover another one, nor a column.

export type YearColumn = {
  readonly year: number;
  readonly value: number;
  /** The number below the year; undefined shows none. */
  readonly count?: number | undefined;
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
}: ColumnProperties) {
  const size = Math.max(1, Math.abs(column.value) * scale);
  const isNegative = column.value < 0;
  const isZero = column.value === 0;
  const half = text.length * 3.6; // about half of the text's width
  const middle = Math.min(Math.max(x + width / 2, half), room - half);
  // The whole height is the link: a year of zero has no bar. The value stays outside: its words differ from the link's name.
  const hit = <rect class="hit" x={x} y="0" width={width} height={isNegative ? zero + size : zero} />;
  const bar = isZero ? null : (
    <rect class="bar" x={x} y={isNegative ? zero : zero - size} width={width} height={size} />
  );
  return (
    <>
      {href === undefined ? (
        <g role="img" aria-label={description}>
          {hit}
          {bar}
        </g>
      ) : (
        <a href={href} aria-label={description}>
          {hit}
          {bar}
        </a>
      )}
      {hasText ? (
        <text
          class={isZero ? "is-quiet" : "value"}
          x={middle}
          y={isNegative ? zero + size + 14 : zero - size - 7}
          text-anchor="middle"
          aria-hidden="true"
        >
          {text}
        </text>
      ) : null}
    </>
  );
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
