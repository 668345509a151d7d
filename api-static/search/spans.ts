// Counts, clips, cuts and reads spans: runs of neighboring rows of an order.

/** Rows in ascending order: `spans[0]` up to, but not including, `spans[1]`, then `spans[2]` to `spans[3]`, and so on. */
export type Spans = Int32Array;

export function countSpans(spans: Spans): number {
  let rows = 0;
  for (let span = 0; span < spans.length; span += 2)
    rows += (spans[span + 1] as number) - (spans[span] as number);
  return rows;
}

/** The rows of spans that are at or after a row. */
export function clipSpans(spans: Spans, from: number): Spans {
  return spans.map((row) => Math.max(row, from));
}

/** The same rows in spans of at most `length` rows, none of them empty. */
export function cutSpans(spans: Spans, length: number): Spans {
  const cut: number[] = [];
  for (let span = 0; span < spans.length; span += 2) {
    const to = spans[span + 1] as number;
    for (let from = spans[span] as number; from < to; from += length)
      cut.push(from, Math.min(from + length, to));
  }
  return Int32Array.from(cut);
}

/** The rows, in ascending order, that are in the spans. */
export function keepRows(rows: Int32Array, spans: Spans): Int32Array {
  let span = 0;
  return rows.filter((row) => {
    while (span < spans.length && row >= (spans[span + 1] as number)) span += 2;
    return span < spans.length && row >= (spans[span] as number);
  });
}

/** The rows of spans after the first `offset`, at most `limit`. */
export function readSpans(spans: Spans, offset: number, limit: number): number[] {
  const rows: number[] = [];
  let left = offset; // rows to skip
  for (let span = 0; span < spans.length && rows.length < limit; span += 2) {
    const [from, to] = [spans[span] as number, spans[span + 1] as number];
    for (let row = from + left; row < to && rows.length < limit; row++) rows.push(row);
    left = Math.max(0, left - (to - from));
  }
  return rows;
}
