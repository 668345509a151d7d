// Shows funders side by side: totals, years covered, usual size, years, sizes.

import type { ComponentChildren } from "preact";
import { hyphenateEin } from "../../../api-static/contract/ein.ts";
import { Bar } from "../charts/bar.tsx";
import { YearColumns } from "../charts/yearColumns.tsx";
import type { useNames } from "../names/useNames.ts";
import { describeNoUsual, findUsualBand } from "../organization/sizes.ts";
import { FiledText } from "../parts/filedText.tsx";
import {
  formatAmountLong,
  formatAmountShort,
  formatCount,
  formatCounted,
  formatShare,
} from "../text/numbers.ts";
import { describeWithout } from "../text/totals.ts";
import {
  type Compared,
  formatCommon,
  formatCovered,
  repeatedOf,
  type Slot,
  type Sum,
  shareOfBands,
  sumOf,
  yearsInCommon,
} from "./compared.ts";

type Properties = {
  /** The columns, also those that failed. */
  readonly columns: readonly Slot[];
  /** The columns that have a summary. */
  readonly compared: readonly Compared[];
  readonly year: number | undefined;
  readonly nameOf: (ein: string) => string;
  readonly names: ReturnType<typeof useNames>;
  readonly onRemove: (ein: string) => void;
  readonly onYear: (year: number | undefined) => void;
};

/** The table, with a column for each funder, and a sentence on values that cannot be compared. */
export function ComparisonTable({ columns, compared, year, nameOf, names, onRemove, onYear }: Properties) {
  const allYears = compared.flatMap(({ summary }) =>
    summary.years.map(({ transaction_year }) => transaction_year),
  );
  const [first, last] = [Math.min(...allYears), Math.max(...allYears)];
  const common = yearsInCommon(compared.map(({ summary }) => summary));
  const row = (label: string, note: string, cell: (one: Compared) => ComponentChildren) => (
    <Row label={label} note={note} columns={columns} compared={compared} nameOf={nameOf} cell={cell} />
  );
  /** A cell of the chosen year; a gap is no zero. */
  const ofYear = (cell: (one: Compared, sum: Sum) => ComponentChildren) => (one: Compared) => {
    const sum = sumOf(one.summary, year);
    return sum === undefined ? <Missing /> : cell(one, sum);
  };
  return (
    <div>
      <table class="table comparison" role="table">
        <caption class="hidden">Funders compared{year === undefined ? "" : `, ${year} only`}</caption>
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
          {row("Total given", year === undefined ? "" : String(year), ({ summary }) => (
            <Total summary={summary} year={year} />
          ))}
          {row(
            "Grants",
            "",
            ofYear((_, { records }) => formatCount(records)),
          )}
          {row("Years with grants", "", ({ summary }) =>
            formatCovered(summary.years.map(({ transaction_year }) => transaction_year)),
          )}
          {row(
            "Usual size",
            "",
            ofYear(({ sizes }) => <UsualSize bands={sizes} />),
          )}
          {row("Giving by year", "Each on its own scale", ({ summary, ein }) => (
            <YearColumns
              columns={summary.years.map(({ transaction_year, amount }) => ({
                year: transaction_year,
                value: amount,
              }))}
              formatValue={formatAmountShort}
              describe={({ year: of, value }) => `${of}: ${formatAmountLong(value)}`}
              title={`Giving of ${nameOf(ein)} by year`}
              hrefOf={(of) => `/funder?ein=${ein}&transaction_year=${of}`}
              first={first}
              last={last}
              chosen={year}
              height={72}
              isSmall
            />
          ))}
          {row(
            "Grants by size",
            "Share of the funder’s grants",
            ofYear(({ sizes }) => <Shares bands={sizes} />),
          )}
        </tbody>
      </table>
      {columns.length < 2 ? null : (
        <p class="note comparison-note">
          {compared.length > 1 ? formatCommon(common, compared.length) : null}{" "}
          <YearChoice common={common} year={year} onYear={onYear} />
        </p>
      )}
    </div>
  );
}

type RowProperties = {
  readonly label: string;
  readonly note: string;
  readonly columns: readonly Slot[];
  readonly compared: readonly Compared[];
  readonly nameOf: (ein: string) => string;
  readonly cell: (one: Compared) => ComponentChildren;
};

/** A row; on phones, where the columns' heads are far away, each cell names its funder. */
function Row({ label, note, columns, compared, nameOf, cell }: RowProperties) {
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
          <span class="comparison-of" aria-hidden="true">
            {nameOf(column.ein)}
          </span>
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
function Total({ summary, year }: { summary: Compared["summary"]; year: number | undefined }) {
  const [sum, repeated] = [sumOf(summary, year), repeatedOf(summary, year)];
  if (sum === undefined) return <span class="is-missing">No grants of {year} in the data</span>;
  return (
    <>
      <span class="comparison-total">{formatAmountLong(sum.amount)}</span>
      {year !== undefined || summary.non_cash.records === 0 ? null : (
        <small>+ {formatAmountLong(summary.non_cash.amount)} non-cash</small>
      )}
      {repeated.records === 0 ? null : (
        <small>
          {describeWithout(sum.amount, repeated.amount)} without {formatCounted(repeated.records)} in a second
          filing
        </small>
      )}
    </>
  );
}

function UsualSize({ bands }: { bands: Compared["sizes"] }) {
  if (bands === undefined) return <Missing />;
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
function Shares({ bands }: { bands: Compared["sizes"] }) {
  if (bands === undefined) return <Missing />;
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

type YearChoiceProperties = {
  readonly common: readonly number[];
  readonly year: number | undefined;
  readonly onYear: (year: number | undefined) => void;
};

/** Buttons that compare one common year only, or all again. */
function YearChoice({ common, year, onYear }: YearChoiceProperties) {
  if (year !== undefined)
    return (
      <button type="button" class="link-button" onClick={() => onYear(undefined)}>
        Show all years
      </button>
    );
  const newest = common.at(-1);
  return newest === undefined ? null : (
    <button type="button" class="link-button" onClick={() => onYear(newest)}>
      Show {newest} only
    </button>
  );
}
