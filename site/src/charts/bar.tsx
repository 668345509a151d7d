// Draws the bar in a cell of a table.

type Properties = {
  /** From 0 to 1 of the whole width. */
  readonly share: number;
  /** The part of it beyond cash, at its end. */
  readonly tail?: number | undefined;
  /** True draws the whole width behind the bar: 100 %. */
  readonly hasTrack?: boolean;
};

/** A bar as wide as its cell; at least 0.6 % wide unless it is zero. The number beside it is the same. */
export function Bar({ share, tail = 0, hasTrack = false }: Properties) {
  const width = share <= 0 ? 0 : Math.min(1, Math.max(share, 0.006));
  return (
    <svg class="bar-cell" width="100%" height="14" aria-hidden="true">
      {hasTrack ? <rect class="track" width="100%" height="14" /> : null}
      <rect class="bar" width={`${width * 100}%`} height="14" />
      {tail > 0 ? (
        <rect class="bar-tail" x={`${(width - tail) * 100}%`} width={`${tail * 100}%`} height="14" />
      ) : null}
    </svg>
  );
}
