// Shows who funds a recipient, year by year: a stronger color is more.
import { useMemo } from "preact/hooks";
import { formatQuery } from "../address/query.ts";
import type { Grant } from "../api/client.ts";
import { useNames } from "../names/useNames.ts";
import { FunderName } from "../parts/organizationName.tsx";
import { Section } from "../parts/section.tsx";
import { formatAmount, formatAmountShort, formatCounted, newestOf } from "../text/numbers.ts";
import { type Cell, sumGrid } from "./grid.ts";
import { useFolded } from "./useFolded.tsx";

/** Funders shown at first. */
const shownAtFirst = 10;

type Properties = {
  readonly ein: string;
  readonly grants: readonly Grant[];
  /** Number of the recipient's grants. */
  readonly total: number;
};

/** The grid; each amount leads to its grants. */
export function FunderGrid({ ein, grants, total }: Properties) {
  const { years, rows } = useMemo(() => sumGrid(grants), [grants]);
  const [shown, button] = useFolded(rows, shownAtFirst, "funder", "grid");
  const names = useNames(shown.map(({ ein: funder }) => funder));
  return (
    <Section
      title="Who funds it, year by year"
      note={`${newestOf(grants.length, total)}Dollars; a stronger color is more. Choose an amount to see its grants.`}
    >
      <div class="scroll grid-scroll" tabIndex={0} role="region" aria-label="Funders by year">
        <table class="table grid" id="grid">
          <caption class="hidden">Dollars by funder and year</caption>
          <thead>
            <tr>
              <th scope="col">Funder</th>
              {years.map((year) => (
                <th key={year} scope="col" class="is-number">
                  {year}
                </th>
              ))}
              <th scope="col" class="is-number">
                Total
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ ein: funder, cells, amount }) => (
              <tr key={funder}>
                <th scope="row">
                  <FunderName ein={funder} names={names} />
                </th>
                {years.map((year) => (
                  <GridCell
                    key={year}
                    cell={cells.get(year)}
                    year={year}
                    href={`/${formatQuery({ funder_ein: funder, recipient_ein: ein, transaction_year: year })}`}
                  />
                ))}
                <td class="is-number">
                  <b>{formatAmount(amount)}</b>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {button}
    </Section>
  );
}

function GridCell({ cell, year, href }: { cell: Cell | undefined; year: number; href: string }) {
  if (cell === undefined)
    return (
      <td class="is-number is-missing">
        <span aria-hidden="true">·</span>
        <span class="hidden">none</span>
      </td>
    );
  const { amount, grants, level } = cell;
  return (
    <td class={`is-number heat-${level}`}>
      <a href={href}>
        {formatAmountShort(amount)}
        <span class="hidden">
          {" "}
          in {year}, {formatCounted(grants)}
        </span>
      </a>
    </td>
  );
}
