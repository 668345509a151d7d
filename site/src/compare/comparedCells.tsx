// Shows the values of a funder that is compared: its total, its usual size, the shares of sizes.
import { Bar } from "../charts/bar.tsx";
import { DataTable } from "../parts/dataTable.tsx";
import { formatAmountLong, formatAmountShort, formatCounted, formatShare } from "../text/numbers.ts";
import { describeNoUsual, findUsualBand } from "../text/sizes.ts";
import { describeWithout, repeatsOfYears } from "../text/totals.ts";
import { type Compared, type ComparedTotals, shareOfBands } from "./compared.ts";
import { queryOf, type Years } from "./selection.ts";

/** In place of a value that is not known. */
export function Missing() {
  return <span class="is-missing">–</span>;
}

/** The total, and the total without grants that another filing lists too. */
export function Total({
  summary,
  totals,
  years,
  label,
}: Compared & { years: Years; label: string | undefined }) {
  const { records, amount, non_cash } = totals;
  const repeated = repeatsOfYears(summary, queryOf(years));
  if (records === 0) return <span class="is-missing">No grants of {label} in the data</span>;
  return (
    <>
      <span class="comparison-total">{formatAmountLong(amount)}</span>
      {non_cash.records === 0 ? null : <small>+ {formatAmountLong(non_cash.amount)} non-cash</small>}
      {repeated === undefined || repeated.records === 0 ? null : (
        <small>
          {describeWithout(amount, repeated.amount)} without {formatCounted(repeated.records)} in a second
          filing
        </small>
      )}
    </>
  );
}

/** The size of most grants, or why there is none. */
export function UsualSize({ bands }: { bands: ComparedTotals["sizes"] }) {
  const usual = findUsualBand(bands);
  if (usual === undefined) return <span class="is-missing">{describeNoUsual(bands)}</span>;
  return (
    <>
      {usual.text}
      <small>{formatShare(usual.share)} of grants</small>
    </>
  );
}

/** The shares of the size bands on a common scale: a full track is 100 %. */
export function Shares({ bands }: { bands: ComparedTotals["sizes"] }) {
  return (
    <DataTable
      name="shares"
      caption="Share of grants by size"
      rows={shareOfBands(bands)}
      keyOf={({ from }) => String(from)}
      columns={[
        { cell: ({ from, below }) => formatBandShort(from, below) },
        { cell: ({ share }) => <Bar share={share} hasTrack /> },
        { name: "is-number", cell: ({ share }) => formatShare(share) },
      ]}
    />
  );
}

function formatBandShort(from: number | null, below: number | null): string {
  if (from === null || from <= 0) return `under ${formatAmountShort(below ?? 0)}`;
  const least = formatAmountShort(from);
  return below === null ? `${least} and up` : `${least}–${formatAmountShort(below)}`;
}
