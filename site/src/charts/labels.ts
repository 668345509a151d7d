// Chooses the columns of a chart whose values are written: a value may not cover another one, nor a column.

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
