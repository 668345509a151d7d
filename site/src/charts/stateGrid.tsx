// Draws the amounts of states as a grid of tiles: a stronger color is more. A table beside it has the same numbers.

import { nameState } from "../../../api-static/contract/text/states.ts";
import { formatAmount, formatAmountShort, formatCounted } from "../text/numbers.ts";
import { type Band, bandOf, columns, cutBands, rows, tiles } from "./tiles.ts";

export type StateAmount = { readonly state: string; readonly amount: number; readonly records: number };

type Properties = {
  readonly states: readonly StateAmount[];
  /** Where a tile leads. */
  readonly hrefOf: (state: string) => string;
};

/** Side of a tile, and the distance between tiles, in 1/16 rem; the drawing scales with its container. */
const [side, step] = [52, 56];

/** The grid and its legend. Hidden from screen readers and the keyboard, for whom the table is shorter. */
export function StateGrid({ states, hrefOf }: Properties) {
  const byState = new Map(states.map((each) => [each.state, each]));
  const drawn = tiles.map((tile) => ({ ...tile, found: byState.get(tile.state) }));
  const bands = cutBands(drawn.flatMap(({ found }) => (found === undefined ? [] : found.amount)));
  return (
    <div class="state-grid" aria-hidden="true">
      <svg viewBox={`0 0 ${columns * step} ${rows * step}`} width="100%">
        {drawn.map(({ state, column, row, found }) => {
          const tile = (
            <>
              <title>{describe(state, found)}</title>
              <rect width={side} height={side} rx="4" />
              <text x={side / 2} y="24">
                {state}
              </text>
              <text class="tile-amount" x={side / 2} y="41">
                {found === undefined ? "–" : formatAmountShort(found.amount)}
              </text>
            </>
          );
          return (
            <g
              key={state}
              class={`band-${bandOf(found?.amount ?? 0, bands)}`}
              transform={`translate(${column * step} ${row * step})`}
            >
              {found === undefined ? (
                tile
              ) : (
                <a href={hrefOf(state)} tabindex={-1}>
                  {tile}
                </a>
              )}
            </g>
          );
        })}
      </svg>
      <Legend bands={bands} />
    </div>
  );
}

/** e.g., "California: $31,100,000 in 48 grants". */
function describe(state: string, found: StateAmount | undefined): string {
  const amount =
    found === undefined ? "no grants" : `${formatAmount(found.amount)} in ${formatCounted(found.records)}`;
  return `${nameState(state)}: ${amount}`;
}

function Legend({ bands }: { bands: readonly Band[] }) {
  return (
    <ul class="bands">
      {bands.map(({ from, to }) => (
        <li key={from}>
          <svg class={`band-${bandOf(to, bands)}`} width="14" height="14">
            <rect width="14" height="14" rx="2" />
          </svg>{" "}
          {from === to ? formatAmountShort(from) : `${formatAmountShort(from)} to ${formatAmountShort(to)}`}
        </li>
      ))}
    </ul>
  );
}
