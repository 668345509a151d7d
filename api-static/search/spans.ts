// Counts, clips and cuts spans: runs of neighboring rows of an order.

/** Rows in ascending order: `spans[0]` up to, but not including, `spans[1]`, then `spans[2]` to `spans[3]`, and so on. */
export type Spans = Int32Array;

export function countSpans(spans: Spans): number {
  let rows = 0;
  for (let span = 0; span < spans.length; span += 2)
    rows += (spans[span + 1] as number) - (spans[span] as number);
  return rows;
}

/** The rows of spans from a row on. */
export function clipSpans(spans: Spans, from: number): Spans {
  return spans.map((row) => Math.max(row, from));
}

/** The same rows in spans of at most `length` rows, none of them empty. */
export function cutSpans(spans: Spans, length: number): Spans {
  let count = 0;
  for (let span = 0; span < spans.length; span += 2)
    for (let rows = (spans[span + 1] as number) - (spans[span] as number); rows > 0; rows -= length)
      count += 1;
  const cut = new Int32Array(2 * count);
  let end = 0;
  for (let span = 0; span < spans.length; span += 2) {
    const to = spans[span + 1] as number;
    for (let from = spans[span] as number; from < to; from += length) {
      cut[end++] = from;
      cut[end++] = Math.min(from + length, to);
    }
  }
  return cut;
}

/** Groups of neighboring spans, of at most `rows` rows each: where each group starts in `spans`, then the length of `spans`. */
export function groupSpans(spans: Spans, rows: number): Int32Array {
  const starts: number[] = [];
  let left = 0; // rows that the last group can take
  for (let span = 0; span < spans.length; span += 2) {
    const length = (spans[span + 1] as number) - (spans[span] as number);
    if (length > left) {
      starts.push(span);
      left = rows;
    }
    left -= length;
  }
  return Int32Array.from([...starts, spans.length]);
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
