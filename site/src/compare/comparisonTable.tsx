// Shows funders side by side: totals, years covered, usual size, years, sizes.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { hyphenateEin } from "../../../api-static/contract/ein.ts";
import { describeYears } from "../../../api-static/contract/searchText.ts";
import { Bar } from "../charts/bar.tsx";
import { YearColumns } from "../charts/yearColumns.tsx";
import type { useNames } from "../names/useNames.ts";
import { describeNoUsual, findUsualBand } from "../organization/sizes.ts";
import { FiledText } from "../parts/filedText.tsx";
import { fieldClass } from "../parts/labeled.tsx";
import { Switch } from "../parts/switch.tsx";
import {
  formatAmountLong,
  formatAmountShort,
  formatCount,
  formatCounted,
  formatShare,
} from "../text/numbers.ts";
import { describeWithout, repeatsOfYears } from "../text/totals.ts";
import {
  type Compared,
  type ComparedTotals,
  formatCommon,
  formatCovered,
  lastRun,
  type Slot,
  shareOfBands,
  yearsInCommon,
} from "./compared.ts";
import { allYears, isAll, queryOf, type Years } from "./selection.ts";

type Properties = {
  /** The columns, also those that failed. */
  readonly columns: readonly Slot[];
  /** The columns that have a summary. */
  readonly compared: readonly Compared[];
  readonly years: Years;
  readonly nameOf: (ein: string) => string;
  readonly names: ReturnType<typeof useNames>;
  readonly onRemove: (ein: string) => void;
  readonly onYears: (years: Years) => void;
};

/** The table, with a column for each funder, and a sentence on values that cannot be compared. */
export function ComparisonTable(properties: Properties) {
  const { columns, compared, years, nameOf, names, onRemove } = properties;
  const [scale, setScale] = useState<Scale>(ownScale);
  const drawn = compared.flatMap(({ totals }) => totals.years);
  const drawnYears = drawn.map(({ transaction_year }) => transaction_year);
  const [first, last] = [years.min ?? Math.min(...drawnYears), years.max ?? Math.max(...drawnYears)];
  const top = scale === ownScale ? undefined : Math.max(...drawn.map(({ amount }) => amount));
  const common = yearsInCommon(compared.map(({ summary }) => summary));
  const row = (label: string, note: ComponentChildren, cell: (one: Compared) => ComponentChildren) => (
    <Row label={label} note={note} columns={columns} compared={compared} cell={cell} />
  );
  /** A cell of the chosen years; a gap is no zero. */
  const ofYears = (cell: (totals: ComparedTotals) => ComponentChildren) => (one: Compared) =>
    one.totals.records === 0 ? <Missing /> : cell(one.totals);
  const label = isAll(years) ? "" : describeYears(queryOf(years));
  return (
    <div>
      {compared.length === 0 ? null : <YearsForm {...properties} common={common} />}
      <table class="table comparison" role="table">
        <caption class="hidden">Funders compared{label === "" ? "" : `, ${label}`}</caption>
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader" scope="col">
              <span class="hidden">What is compared</span>
            </th>
            {columns.map(({ ein, failure }, index) => (
              <th key={ein} role="columnheader" scope="col" class={`comparison-head tone-${index + 1}`}>
                <a href={`/funder?ein=${ein}`}>
                  <FiledText text={nameOf(ein)} />
                </a>
                <small>
                  {failure?.code === "funder_not_found"
                    ? "No grants made"
                    : names.nameOf(ein) === undefined
                      ? "Name not known"
                      : `EIN ${hyphenateEin(ein)}`}{" "}
                  ·{" "}
                  <button type="button" class="link-button" onClick={() => onRemove(ein)}>
                    Remove<span class="hidden"> {nameOf(ein)}</span>
                  </button>
                </small>
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {row("Total given", label, (one) => (
            <Total {...one} years={years} label={label} />
          ))}
          {row(
            "Grants",
            "",
            ofYears(({ records }) => formatCount(records)),
          )}
          {row("Years with grants", "", ({ totals }) =>
            formatCovered(totals.years.map(({ transaction_year }) => transaction_year)),
          )}
          {row(
            "Usual size",
            "",
            ofYears(({ sizes }) => <UsualSize bands={sizes} />),
          )}
          {row("Giving by year", <ScaleSwitch scale={scale} onScale={setScale} />, ({ totals, ein }) => (
            <YearColumns
              columns={totals.years.map(({ transaction_year, amount }) => ({
                year: transaction_year,
                value: amount,
              }))}
              formatValue={formatAmountShort}
              describe={({ year: of, value }) => `${of}: ${formatAmountLong(value)}`}
              title={`Giving of ${nameOf(ein)} by year`}
              hrefOf={(of) => `/funder?ein=${ein}&transaction_year=${of}`}
              first={first}
              last={last}
              top={top}
              height={72}
              isSmall
            />
          ))}
          {row(
            "Grants by size",
            "Share of the funder’s grants",
            ofYears(({ sizes }) => <Shares bands={sizes} />),
          )}
        </tbody>
      </table>
      {columns.length < 2 ? null : (
        <p class="note comparison-note">
          {compared.length > 1 ? formatCommon(common, compared.length) : null}
        </p>
      )}
    </div>
  );
}

type RowProperties = {
  readonly label: string;
  readonly note: ComponentChildren;
  readonly columns: readonly Slot[];
  readonly compared: readonly Compared[];
  readonly cell: (one: Compared) => ComponentChildren;
};

/** A row. On phones its cells keep the places and colors of their heads. */
function Row({ label, note, columns, compared, cell }: RowProperties) {
  const content = ({ ein }: Slot) => {
    const one = compared.find((other) => other.ein === ein);
    return one === undefined ? <Missing /> : cell(one);
  };
  return (
    <tr role="row">
      <th role="rowheader" scope="row">
        {label}
        {note === "" ? null : <small>{note}</small>}
      </th>
      {columns.map((column, index) => (
        <td key={column.ein} role="cell" class={`tone-${index + 1}`}>
          {content(column)}
        </td>
      ))}
    </tr>
  );
}

function Missing() {
  return <span class="is-missing">–</span>;
}

/** The total, and the total without grants that another filing lists too. */
function Total({ summary, totals, years, label }: Compared & { years: Years; label: string }) {
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

function UsualSize({ bands }: { bands: ComparedTotals["sizes"] }) {
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
function Shares({ bands }: { bands: ComparedTotals["sizes"] }) {
  return (
    <table class="shares">
      <caption class="hidden">Share of grants by size</caption>
      <tbody>
        {shareOfBands(bands).map(({ from, below, share }) => (
          <tr key={String(from)}>
            <th scope="row">{formatBandShort(from, below)}</th>
            <td>
              <Bar share={share} hasTrack />
            </td>
            <td class="is-number">{formatShare(share)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function formatBandShort(from: number | null, below: number | null): string {
  if (from === null || from <= 0) return `under ${formatAmountShort(below ?? 0)}`;
  const least = formatAmountShort(from);
  return below === null ? `${least} and up` : `${least}–${formatAmountShort(below)}`;
}

const [ownScale, sameScale] = ["Own scales", "Same scale"] as const;

type Scale = typeof ownScale | typeof sameScale;

function ScaleSwitch({ scale, onScale }: { scale: Scale; onScale: (scale: Scale) => void }) {
  return (
    <Switch
      legend="Scale of the charts"
      name="scale"
      choices={[ownScale, sameScale]}
      chosen={scale}
      onChoose={onScale}
    />
  );
}

/** The choice of years, which all rows follow: two fields, and the years that the funders have in common. */
function YearsForm({ compared, common, years, onYears }: Properties & { common: readonly number[] }) {
  const all = [...new Set(compared.flatMap(({ summary }) => summary.years.map((of) => of.transaction_year)))];
  const run = compared.length > 1 ? lastRun(common) : undefined;
  const field = (bound: keyof Years, label: string) => (
    <label class="label">
      {label}
      <select
        class={fieldClass(years[bound] !== undefined)}
        value={years[bound] ?? ""}
        onChange={({ currentTarget: { value } }) => {
          const chosen = { ...years, [bound]: value === "" ? undefined : Number(value) };
          const { min = -Infinity, max = Infinity } = chosen;
          onYears(min <= max ? chosen : { min: Number(value), max: Number(value) });
        }}
      >
        <option value="">Any</option>
        {[...new Set([...all, years[bound] ?? []].flat())]
          .sort((a, b) => b - a)
          .map((year) => (
            <option key={year} value={year}>
              {year}
            </option>
          ))}
      </select>
    </label>
  );
  return (
    <div class="compared-years" role="group" aria-label="Years to compare">
      {field("min", "From year")}
      {field("max", "To year")}
      {run === undefined ? null : (
        <button type="button" class="button" onClick={() => onYears(run)}>
          Common years: {describeYears(queryOf(run))}
        </button>
      )}
      {isAll(years) ? null : (
        <button type="button" class="button" onClick={() => onYears(allYears)}>
          All years
        </button>
      )}
    </div>
  );
}
