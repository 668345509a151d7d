// Shows funders side by side: totals, years covered, usual size, years, sizes.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { hyphenateEin } from "../../../api-static/contract/ein.ts";
import { describeYears } from "../../../api-static/contract/text/searchText.ts";
import { YearColumns } from "../charts/yearColumns.tsx";
import type { useNames } from "../names/useNames.ts";
import { DataTable } from "../parts/dataTable.tsx";
import { FiledText } from "../parts/filedText.tsx";
import { Switch } from "../parts/switch.tsx";
import { formatAmountLong, formatAmountShort, formatCount } from "../text/numbers.ts";
import {
  type Compared,
  type ComparedTotals,
  formatCommon,
  formatCovered,
  type Slot,
  yearsInCommon,
} from "./compared.ts";
import { Missing, Shares, Total, UsualSize } from "./comparedCells.tsx";
import { isAll, queryOf, type Years } from "./selection.ts";
import { YearsForm } from "./yearsForm.tsx";

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

type Row = {
  readonly label: string;
  readonly note?: ComponentChildren;
  readonly cell: (one: Compared) => ComponentChildren;
};

/** The table, with a column for each funder, and a sentence on values that cannot be compared. */
export function ComparisonTable(properties: Properties) {
  const { columns, compared, years, nameOf, names, onRemove, onYears } = properties;
  const [scale, setScale] = useState<Scale>(ownScale);
  const drawn = compared.flatMap(({ totals }) => totals.years);
  const drawnYears = drawn.map(({ transaction_year }) => transaction_year);
  const [first, last] = [years.min ?? Math.min(...drawnYears), years.max ?? Math.max(...drawnYears)];
  const top = scale === ownScale ? undefined : Math.max(...drawn.map(({ amount }) => amount));
  const common = yearsInCommon(compared.map(({ summary }) => summary));
  /** A cell of the chosen years; a gap is no zero. */
  const ofYears = (cell: (totals: ComparedTotals) => ComponentChildren) => (one: Compared) =>
    one.totals.records === 0 ? <Missing /> : cell(one.totals);
  const label = isAll(years) ? undefined : describeYears(queryOf(years));
  const rows: readonly Row[] = [
    { label: "Total given", note: label, cell: (one) => <Total {...one} years={years} label={label} /> },
    { label: "Grants", cell: ofYears(({ records }) => formatCount(records)) },
    {
      label: "Years with grants",
      cell: ({ totals }) => formatCovered(totals.years.map(({ transaction_year }) => transaction_year)),
    },
    { label: "Usual size", cell: ofYears(({ sizes }) => <UsualSize bands={sizes} />) },
    {
      label: "Giving by year",
      note: <ScaleSwitch scale={scale} onScale={setScale} />,
      cell: ({ totals, ein }) => (
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
      ),
    },
    {
      label: "Grants by size",
      note: "Share of the funder’s grants",
      cell: ofYears(({ sizes }) => <Shares bands={sizes} />),
    },
  ];
  return (
    <div>
      {compared.length === 0 ? null : (
        <YearsForm compared={compared} common={common} years={years} onYears={onYears} />
      )}
      <DataTable
        name="comparison"
        caption={`Funders compared${label === undefined ? "" : `, ${label}`}`}
        rows={rows}
        keyOf={(row) => row.label}
        columns={[
          {
            head: <span class="hidden">What is compared</span>,
            cell: (row) => (
              <>
                {row.label}
                {row.note === undefined ? null : <small>{row.note}</small>}
              </>
            ),
          },
          ...columns.map(({ ein, failure }, index) => ({
            head: (
              <>
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
              </>
            ),
            name: `tone-${index + 1}`,
            cell: (row: Row) => {
              const one = compared.find((other) => other.ein === ein);
              return one === undefined ? <Missing /> : row.cell(one);
            },
          })),
        ]}
      />
      {columns.length < 2 ? null : (
        <p class="note comparison-note">
          {compared.length > 1 ? formatCommon(common, compared.length) : null}
        </p>
      )}
    </div>
  );
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
