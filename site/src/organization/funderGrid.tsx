// Shows who funds a recipient, year by year: a stronger color is more.
import { useMemo } from "preact/hooks";
import { formatQuery } from "../address/query.ts";
import type { Grant } from "../api/client.ts";
import { yearsBetween } from "../charts/years.ts";
import { useNames } from "../names/useNames.ts";
import { type Column, DataTable } from "../parts/dataTable.tsx";
import { FunderName } from "../parts/organizationName.tsx";
import { Section } from "../parts/section.tsx";
import { formatAmount, formatAmountShort, formatCounted, newestOf } from "../text/numbers.ts";
import { type Grid, type GridRow, sumGrid } from "./grid.ts";
import { useFolded } from "./useFolded.tsx";

/** Funders shown at first. */
const shownAtFirst = 10;

/** Years in columns on paper. More are printed as a list of amounts for each funder. */
const onPaper = 9;

type Properties = {
  readonly ein: string;
  /** Filed ones, and likely ones if they are shown. */
  readonly grants: readonly Grant[];
  /** Number of the recipient's grants. */
  readonly total: number;
};

/** The grid; each amount leads to its grants. */
export function FunderGrid({ ein, grants, total }: Properties) {
  const { years, rows, hasLikely } = useMemo(() => sumBoth(ein, grants), [ein, grants]);
  const [shown, button] = useFolded(rows, shownAtFirst, "funder", "grid");
  const names = useNames(shown.map(({ ein: funder }) => funder));
  if (rows.length === 0) return null;
  const note = hasLikely ? " In a dashed frame: likely grants, apart." : "";
  return (
    <Section
      title="Who funds it, year by year"
      note={`${newestOf(grants.length, total)}Dollars, newest year first; a stronger color is more. Choose an amount to see its grants.${note}`}
    >
      <div class="scroll grid-scroll" tabIndex={0} role="region" aria-label="Funders by year">
        <DataTable
          id="grid"
          name={`grid${years.length > onPaper ? " is-long" : ""}`}
          caption="Dollars by funder and year"
          rows={shown}
          keyOf={(row) => row.ein}
          columns={[
            { head: "Funder", cell: (row) => <FunderName ein={row.ein} names={names} /> },
            {
              head: "Total",
              name: "is-number",
              cell: ({ filed, likely }) => (
                <>
                  {filed === undefined ? null : <b>{formatAmount(filed.amount)}</b>}
                  {likely === undefined ? null : <LikelySum text={formatAmount(likely.amount)} />}
                </>
              ),
            },
            ...years.map((year) => columnOf(ein, year)),
          ]}
        />
      </div>
      {button}
    </Section>
  );
}

type Row = {
  readonly ein: string;
  readonly filed: GridRow | undefined;
  readonly likely: GridRow | undefined;
};

/** Sums filed and likely grants apart, newest year first; the larger of the two ranks a funder. */
function sumBoth(
  ein: string,
  grants: readonly Grant[],
): { years: readonly number[]; rows: readonly Row[]; hasLikely: boolean } {
  const [filed, likely] = [true, false].map((isFiled) =>
    sumGrid(grants.filter(({ recipient_ein }) => (recipient_ein === ein) === isFiled)),
  ) as [Grid, Grid];
  const [inFiled, inLikely] = [filed, likely].map(({ rows }) => new Map(rows.map((row) => [row.ein, row])));
  const years = [...filed.years, ...likely.years];
  const sumOf = (row: Row) => Math.max(row.filed?.amount ?? 0, row.likely?.amount ?? 0);
  const funders = [...new Set([...filed.rows, ...likely.rows].map((row) => row.ein))];
  const rows = funders.map((funder) => ({
    ein: funder,
    filed: inFiled?.get(funder),
    likely: inLikely?.get(funder),
  }));
  return {
    years: years.length === 0 ? [] : yearsBetween(Math.min(...years), Math.max(...years)).reverse(),
    rows: rows.sort((a, b) => sumOf(b) - sumOf(a)),
    hasLikely: likely.rows.length > 0,
  };
}

function LikelySum({ text }: { text: string }) {
  return (
    <span class="likely-sum">
      <span class="hidden">, and likely </span>+{text}
    </span>
  );
}

/** The column of a year; each amount leads to its grants. */
function columnOf(recipient_ein: string, year: number): Column<Row> {
  return {
    head: year,
    name: "is-number",
    mark({ filed, likely }) {
      const cell = filed?.cells.get(year);
      if (cell === undefined && likely?.cells.get(year) === undefined) return { class: "is-missing" };
      return { class: cell && `heat-${cell.level}`, "data-year": year };
    },
    cell({ ein: funder_ein, filed, likely }) {
      const [cell, likelyCell] = [filed?.cells.get(year), likely?.cells.get(year)];
      const sum = likelyCell && <LikelySum text={formatAmountShort(likelyCell.amount)} />;
      if (cell === undefined)
        return (
          sum ?? (
            <>
              <span aria-hidden="true">·</span>
              <span class="hidden">none</span>
            </>
          )
        );
      return (
        <>
          <a href={`/${formatQuery({ funder_ein, recipient_ein, transaction_year: year })}`}>
            {formatAmountShort(cell.amount)}
            <span class="hidden">
              {" "}
              in {year}, {formatCounted(cell.grants)}
            </span>
          </a>
          {sum}
        </>
      );
    },
  };
}
