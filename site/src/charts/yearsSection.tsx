// Shows an organization's dollars by year, and names the years without grants.

import { Section } from "../parts/section.tsx";
import { formatAmount, formatAmountShort, formatCounted } from "../text/numbers.ts";
import { describeWithout } from "../text/totals.ts";
import type { YearColumn } from "./column.tsx";
import { YearColumns } from "./yearColumns.tsx";
import { findGaps, formatGaps } from "./years.ts";

type Year = { readonly transaction_year: number; readonly records: number; readonly amount: number };

type Properties = {
  readonly years: readonly Year[];
  /** Likely grants, drawn on top. */
  readonly likely?: readonly Year[];
  /** Grants that another filing lists too, by year. */
  readonly repeated?: readonly Year[];
  /** Whether the dollars were given or received. */
  readonly way: "given" | "received";
  readonly hrefOf: (year: number) => string;
  /** True if the years are those of grants that pass filters. */
  readonly isFiltered?: boolean;
  /** The year that is filtered by. */
  readonly chosen: number | undefined;
};

/** The columns; each leads to the grants of its year. */
export function YearsSection(properties: Properties) {
  const { years, likely = [], repeated = [], way, isFiltered = false, hrefOf, chosen } = properties;
  const title = way === "given" ? "Giving by year" : "Received by year";
  const columns = columnsOf(years, likely);
  const gaps = findGaps(columns.map(({ year }) => year));
  const hatched = likely.length > 0 ? "Gray hatching" : "Hatched";
  return (
    <Section
      title={title}
      note={`Dollars ${way === "given" ? "granted" : "received"}; the number of grants under each year`}
    >
      <YearColumns
        title={title}
        columns={columns}
        formatValue={formatAmountShort}
        formatExact={formatAmount}
        describe={describeColumn}
        hrefOf={hrefOf}
        chosen={chosen}
        height={180}
      />
      {repeated.length === 0 ? null : (
        <p class="note chart-note">Without repeated grants: {formatWithout(years, repeated)}.</p>
      )}
      {gaps.length === 0 ? null : (
        <p class="note chart-note">
          {isFiltered
            ? `${hatched}: none of these grants are of ${formatGaps(gaps)}.`
            : `${hatched}: no grants of ${formatGaps(gaps)} in the data. That can mean no filing was read; it doesn’t mean nothing was ${way}.`}
        </p>
      )}
    </Section>
  );
}

/** A column for each year with grants, filed or likely. */
function columnsOf(years: readonly Year[], likely: readonly Year[]): YearColumn[] {
  const columns = new Map<number, YearColumn>(
    years.map(({ transaction_year: year, amount, records }) => [
      year,
      { year, value: amount, count: records },
    ]),
  );
  for (const { transaction_year: year, amount, records } of likely)
    columns.set(year, {
      ...(columns.get(year) ?? { year, value: 0, count: 0 }),
      likely: { value: amount, count: records },
    });
  return [...columns.values()];
}

/** e.g., "2016: $6,134,800 in 144 grants", and the likely ones apart. */
function describeColumn({ year, value, count = 0, likely }: YearColumn): string {
  const filed = `${year}: ${formatAmount(value)} in ${formatCounted(count)}`;
  if (likely === undefined) return filed;
  return `${filed} as filed; ${formatAmount(likely.value)} in ${formatCounted(likely.count, "likely grant")}`;
}

/** e.g., "$2.8M in 2015, $3K less in 2014". */
function formatWithout(years: readonly Year[], repeated: readonly Year[]): string {
  const amountOf = (year: number) =>
    years.find(({ transaction_year }) => transaction_year === year)?.amount ?? 0;
  return repeated
    .map(
      ({ transaction_year: year, amount }) =>
        `${describeWithout(amountOf(year), amount, formatAmountShort)} in ${year}`,
    )
    .join(", ");
}
