// Draws columns by year: every calendar year has its place, years without grants are hatched. Or writes them as a table.
import { useId } from "preact/hooks";
import { DataTable } from "../parts/dataTable.tsx";
import { formatCount } from "../text/numbers.ts";
import { Column, chooseLabels, extentOf, type YearChart, type YearColumn } from "./column.tsx";
import { LikelyPattern } from "./hatch.tsx";
import { yearsBetween } from "./years.ts";

export { inPrices, isPriced, priceNote, priceYear } from "./prices.ts";

/** The chart. @param full its height with the numbers below it */
export function Drawing(properties: YearChart & { width: number; height: number; full: number }) {
  const {
    columns,
    formatValue,
    describe,
    hrefOf,
    title,
    chosen,
    isSmall = false,
    width,
    height,
    full,
  } = properties;
  const pattern = useId();
  const byYear = new Map(columns.map((column) => [column.year, column]));
  const years = yearsBetween(
    properties.first ?? Math.min(...byYear.keys()),
    properties.last ?? Math.max(...byYear.keys()),
  );
  const top = Math.max(properties.top ?? 0, ...columns.map((column) => extentOf(column, 1)));
  const bottom = -Math.max(0, ...columns.map((column) => extentOf(column, -1)));
  const [above, below] = [22, bottom < 0 ? 20 : 0]; // room for values over and under the columns
  const scale = (height - above - below) / (top - bottom || 1);
  const zero = above + top * scale;
  const step = width / years.length;
  const every = years.length > 25 ? 5 : years.length > 14 ? 2 : 1;
  // Values wider than their columns are shown for every second one; much wider ones for the largest only.
  const texts = columns.map(({ value, likely }) => textOf(value, likely?.value, formatValue));
  const widest = Math.max(0, ...texts.map((text) => text.length)) * 6.4;
  const everyValue =
    widest > step * 1.5 ? undefined : Math.max(years.length <= 25 ? 1 : every, Math.ceil(widest / step));
  const columnWidth = Math.min(step * 0.78, 56);
  const isWanted = (year: number) =>
    !isSmall && everyValue !== undefined && ((years.at(-1) ?? year) - year) % everyValue === 0;
  const places = columns.map((column, index) => ({
    x: step * (column.year - (years[0] ?? column.year) + 0.5),
    y: zero - extentOf(column, 1) * scale,
    half: (texts[index] ?? "").length * 3.2,
  }));
  const isHighest = (index: number) => top > 0 && places[index]?.y === zero - top * scale;
  const largestFirst = [...columns.keys()]
    .filter((index) => isWanted(columns[index]?.year ?? 0) || isHighest(index))
    .sort((a, b) => (places[a]?.y ?? 0) - (places[b]?.y ?? 0));
  const written = chooseLabels(places, largestFirst, columnWidth / 2);
  const label = (year: number) => (step < 44 && !isSmall ? `’${String(year).slice(-2)}` : String(year));
  return (
    <svg
      class={`chart${years.length > 10 ? " is-dense" : ""}`}
      viewBox={`0 0 ${width} ${full}`}
      width="100%"
      height={`${full / 16}rem`}
      role="group"
      aria-label={title}
    >
      <pattern
        id={pattern}
        class="hatch"
        width="6"
        height="6"
        patternUnits="userSpaceOnUse"
        patternTransform="rotate(45)"
      >
        <path d="M0 0v6" />
      </pattern>
      <LikelyPattern id={`${pattern}-likely`} />
      {years.map((year, index) => {
        const column = byYear.get(year);
        const middle = step * (index + 0.5);
        const x = middle - columnWidth / 2;
        const isEnd = index === 0 || index === years.length - 1;
        const isLabeled = isSmall ? isEnd : (years.length - 1 - index) % every === 0;
        return (
          <g key={year}>
            {chosen === year ? (
              <rect class="chosen" x={middle - step / 2} y="0" width={step} height={full} />
            ) : null}
            {column === undefined ? (
              <rect x={x} y={zero - 20} width={columnWidth} height="20" fill={`url(#${pattern})`} />
            ) : (
              <Column
                column={column}
                x={x}
                width={columnWidth}
                zero={zero}
                scale={scale}
                room={width}
                text={texts[columns.indexOf(column)] ?? ""}
                hasText={written.has(columns.indexOf(column))}
                description={describe(column)}
                href={column.count === 0 ? undefined : hrefOf?.(year)}
                hatching={`url(#${pattern}-likely)`}
              />
            )}
            {isLabeled ? (
              <text
                class={chosen === year ? "is-chosen" : "is-quiet"}
                x={isSmall ? (index === 0 ? x : x + columnWidth) : middle}
                y={height + 17}
                text-anchor={isSmall && years.length > 1 ? (index === 0 ? "start" : "end") : "middle"}
                aria-hidden="true"
              >
                {label(year)}
              </text>
            ) : null}
            {isLabeled && full > height + 28 ? (
              <text class="is-quiet" x={middle} y={height + 37} text-anchor="middle" aria-hidden="true">
                {column?.count === undefined ? "–" : textOf(column.count, column.likely?.count, formatCount)}
              </text>
            ) : null}
          </g>
        );
      })}
      <path class="axis" d={`M0 ${zero}H${width}`} />
    </svg>
  );
}

/** A number of a column; with likely ones, both, apart. */
function textOf(filed: number, likely: number | undefined, format: (value: number) => string): string {
  if (likely === undefined) return format(filed);
  return `${filed === 0 ? "" : `${format(filed)} `}+ ${format(likely)}`;
}

/** The same numbers as a table, oldest first, without the years that have none. */
export function Table(chart: YearChart) {
  const { columns, formatValue, formatExact = formatValue, hrefOf } = chart;
  const { valueHead = "Amount", countHead = "Grants" } = chart;
  const hasCounts = columns.some(({ count }) => count !== undefined);
  const hasLikely = columns.some(({ likely }) => likely !== undefined);
  const number = (head: string, cell: (column: YearColumn) => string) => ({ head, name: "is-number", cell });
  return (
    <DataTable
      name="chart-table"
      caption={chart.title}
      rows={[...columns].sort((a, b) => a.year - b.year)}
      keyOf={({ year }) => year}
      columns={[
        {
          head: "Year",
          cell: ({ year, count }) =>
            hrefOf === undefined || count === 0 ? year : <a href={hrefOf(year)}>{year}</a>,
        },
        number(hasLikely ? "As filed" : valueHead, ({ value }) => formatExact(value)),
        ...(hasCounts
          ? [number(countHead, ({ count }) => (count === undefined ? "–" : formatCount(count)))]
          : []),
        ...(hasLikely
          ? [
              number("Likely", ({ likely }) => formatExact(likely?.value ?? 0)),
              number("Likely grants", ({ likely }) => formatCount(likely?.count ?? 0)),
            ]
          : []),
      ]}
    />
  );
}
