// Shows an organization's dollars by year, and names the years without grants.
import { YearColumns } from "../charts/yearColumns.tsx";
import { findGaps, formatGaps } from "../charts/years.ts";
import { Section } from "../parts/section.tsx";
import { formatAmount, formatAmountShort, formatCounted } from "../text/numbers.ts";

type Year = { readonly transaction_year: number; readonly records: number; readonly amount: number };

type Properties = {
  readonly years: readonly Year[];
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
export function YearsSection({ years, repeated = [], way, isFiltered = false, hrefOf, chosen }: Properties) {
  const title = way === "given" ? "Giving by year" : "Received by year";
  const gaps = findGaps(years.map(({ transaction_year }) => transaction_year));
  return (
    <Section
      title={title}
      note={`Dollars ${way === "given" ? "granted" : "received"}; the number of grants under each year`}
    >
      <YearColumns
        title={title}
        columns={years.map(({ transaction_year: year, amount, records }) => ({
          year,
          value: amount,
          count: records,
        }))}
        formatValue={formatAmountShort}
        formatExact={formatAmount}
        describe={({ year, value, count = 0 }) =>
          `${year}: ${formatAmount(value)} in ${formatCounted(count)}`
        }
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
            ? `Hatched: none of these grants are of ${formatGaps(gaps)}.`
            : `Hatched: no grants of ${formatGaps(gaps)} in the data. That can mean no filing was read; it doesn’t mean nothing was ${way}.`}
        </p>
      )}
    </Section>
  );
}

/** e.g., "$2.8M in 2015, $1.1M in 2014". */
function formatWithout(years: readonly Year[], repeated: readonly Year[]): string {
  const amountOf = (year: number) =>
    years.find(({ transaction_year }) => transaction_year === year)?.amount ?? 0;
  return repeated
    .map(({ transaction_year: year, amount }) => `${formatAmountShort(amountOf(year) - amount)} in ${year}`)
    .join(", ");
}
